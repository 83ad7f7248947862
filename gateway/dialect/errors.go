package dialect

import (
	"cmp"
	"fmt"
	"net/http"
)

// An Error is a refusal or a fault, to be shown to an agent.
type Error struct {
	Status  int    // of HTTP
	Code    string // for programs, one of the constants or the caller's own; empty: the dialect's word for the status
	Field   string // the field at fault, such as "messages[3].content"; empty: none
	Message string // for people
}

// The codes of errors on which agents act.
const (
	CodeContext = "context_length_exceeded" // the prompt is too long: agents compact it
	CodeEnded   = "session_ended"           // nothing more is answered
	CodeField   = "unsupported_parameter"   // a field that the gateway refuses
	CodeValue   = "invalid_value"           // a field of the wrong form
)

// Error implements error.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Errorf returns an error with a status.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// openAIError writes an error as OpenAI does.
func openAIError(e *Error) object {
	message, code := e.Error(), e.Code
	if code == CodeContext {
		message = "This model's maximum context length is exceeded: " + message
	}
	kind := "invalid_request_error"
	switch {
	case e.Status == http.StatusUnauthorized:
		kind, code = "authentication_error", cmp.Or(code, "invalid_api_key")
	case e.Status == http.StatusForbidden:
		kind, code = "permission_error", cmp.Or(code, "forbidden")
	case e.Status == http.StatusNotFound:
		code = cmp.Or(code, "not_found")
	case e.Status == http.StatusTooManyRequests:
		kind, code = "rate_limit_error", cmp.Or(code, "rate_limit_exceeded")
	case e.Status >= http.StatusInternalServerError:
		kind, code = "server_error", cmp.Or(code, "server_error")
	}
	return object{{"message", message}, {"type", kind}, {"param", orNull(e.Field)}, {"code", orNull(code)}}
}

// statusOverloaded is Anthropic's status for a server that cannot answer now.
const statusOverloaded = 529

// anthropicError writes an error as Anthropic does, with its status.
func anthropicError(e *Error) (int, object) {
	status, message, kind := e.Status, e.Error(), "invalid_request_error"
	if e.Code == CodeContext {
		message = "prompt is too long: " + message
	}
	switch {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status == http.StatusNotFound:
		kind = "not_found_error"
	case status == http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status == http.StatusServiceUnavailable:
		kind, status = "overloaded_error", statusOverloaded
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	}
	inner := object{{"type", kind}, {"message", message}}
	if e.Code != "" && e.Code != CodeContext {
		inner = append(inner, member{"code", e.Code})
	}
	return status, object{{"type", "error"}, {"error", inner}}
}

// orNull writes an empty text as null.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
