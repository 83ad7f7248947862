package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Kind classifies an [Error].
type Kind string

// The kinds of errors. Unreachable, Busy, Aborted and ServerFailed are retried
// Config.Retries times, Nonsense at most twice, the others never.
const (
	Unreachable  Kind = "unreachable"   // no answer, or an incomplete one
	Busy         Kind = "busy"          // HTTP 429 or 408
	Aborted      Kind = "aborted"       // the server, which is well, aborted the reply and returned no tokens, as for new weights
	ServerFailed Kind = "server failed" // another HTTP 5xx, or an error within a reply
	Refused      Kind = "refused"       // another HTTP status
	TooLong      Kind = "too long"      // the conversation exceeds the model's context
	TooSlow      Kind = "too slow"      // no answer within Config.Timeout or, by HTTP 504, within a proxy's limit
	TooLarge     Kind = "too large"     // the answer exceeds Config.MaxReplyBytes
	Nonsense     Kind = "nonsense"      // the answer breaks the protocol
	Unsupported  Kind = "unsupported"   // the server cannot report the requested data
	Forked       Kind = "forked"        // the server encoded sampled text again, with different tokens
	Filtered     Kind = "filtered"      // the server withheld part of the reply
	UnknownModel Kind = "unknown model" // the server runs but has no such model
)

// An Error says why a request got no samples.
type Error struct {
	Kind     Kind
	URL      string // without its query
	Status   int    // HTTP status of the last answer; 0: no answer
	Attempts int    // HTTP requests made
	Excerpt  string // beginning of the last answer's body, with the API key removed
	Err      error  // the last fault; nil: see Status
	Remedy   string // advice for the reader; "": that for Kind and Status

	after time.Duration // the server's Retry-After
	final bool          // retrying cannot help, whatever the kind
	page  bool          // the answer is a page for people
}

// Unwrap returns the last fault.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is [quintain.ErrFinal] and e is of a kind that is never
// retried, [quintain.ErrTimeout] and e is TooSlow, or [quintain.ErrNoRoom] and e is TooLong.
func (e *Error) Is(target error) bool {
	switch e.Kind {
	case TooSlow:
		return target == quintain.ErrFinal || target == quintain.ErrTimeout
	case TooLong:
		return target == quintain.ErrFinal || target == quintain.ErrNoRoom
	case Unreachable, Busy, Aborted, ServerFailed, Nonsense:
		return target == quintain.ErrFinal && e.final
	}
	return target == quintain.ErrFinal
}

// Error names the URL, the fault, the number of attempts and, if known, the remedy.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.URL, e.Kind)
	if e.Status != 0 && e.Status != http.StatusOK {
		fmt.Fprintf(&b, ": HTTP %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Excerpt != "" {
		fmt.Fprintf(&b, ": the server said %q", e.Excerpt)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (%s)", stats.Count(e.Attempts, "attempt"))
	}
	if remedy := e.remedy(); remedy != "" {
		b.WriteString("; " + remedy)
	}
	return b.String()
}

// remedy returns advice for the reader; "": none.
func (e *Error) remedy() string {
	switch {
	case e.Remedy != "":
		return e.Remedy
	case e.Kind == Unreachable && e.Status == 0:
		return "is the server running, and is this its address?"
	case e.Kind == TooSlow && e.Status == http.StatusGatewayTimeout:
		return "raise the time limit of the proxy before the server, lower max_tokens or send fewer requests at once"
	case e.Kind == TooSlow:
		return "raise the timeout, lower max_tokens or send fewer requests at once"
	case e.Kind == TooLong:
		return "lower max_tokens, the number of turns or the size of the problems, or serve the model with a longer context"
	case e.Kind == TooLarge:
		return "raise the limit on replies, or lower max_tokens or the number of samples"
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return "is the API key right?"
	case e.Status >= 300 && e.Status < 400:
		return "redirects are not followed: use the address it points to"
	case e.page:
		return "this is a web page, not an inference server's answer: is the server behind the proxy running, and is this its address?"
	}
	return ""
}

// again reports whether to try again, given the retries allowed.
func (e *Error) again(retries int) bool {
	switch {
	case e.final:
		return false
	case e.Kind == Unreachable, e.Kind == Busy, e.Kind == Aborted, e.Kind == ServerFailed:
		return e.Attempts <= retries
	case e.Kind == Nonsense:
		return e.Attempts <= min(retries, 2)
	}
	return false
}

// Stopped returns err as the error of a request given up because Config.Stop was closed: it
// is a [quintain.ErrCancelled], and reads like err.
func Stopped(err error) error { return stopped{err} }

type stopped struct{ error }

func (s stopped) Unwrap() error        { return s.error }
func (s stopped) Is(target error) bool { return target == quintain.ErrCancelled }

// Nonsensef returns the error for an answer that breaks the protocol.
func Nonsensef(format string, args ...any) *Error {
	return &Error{Kind: Nonsense, Err: fmt.Errorf(format, args...)}
}

// Decode reads the JSON of an answer into value. Half an answer counts as none.
func Decode(body []byte, value any) *Error {
	err := strictjson.Unmarshal(body, value)
	if err == nil {
		return nil
	}
	if errors.Is(err, strictjson.ErrEarly) {
		return &Error{Kind: Unreachable, Err: fmt.Errorf("answer of %d bytes: %w", len(body), io.ErrUnexpectedEOF)}
	}
	return Nonsensef("answer is not valid JSON: %w", err)
}

// refused returns the error for an answer with a status other than 2xx.
func refused(status int, body []byte) *Error {
	e := &Error{Kind: Refused, Status: status}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		e.Kind = Busy
	case status == http.StatusGatewayTimeout:
		e.Kind = TooSlow
	case httpclient.Temporary(status):
		e.Kind = ServerFailed
	case status >= 400 && status < 500 && tellsOfContext(body):
		e.Kind = TooLong
	}
	return e
}

// tellsOfContext reports whether body complains about the model's context length, in the
// words of OpenAI, vLLM, SGLang or llama.cpp.
func tellsOfContext(body []byte) bool {
	body = bytes.ToLower(body)
	for _, words := range []string{"context length", "context_length", "context size", "context_size", "context window", "maximum model length"} {
		if bytes.Contains(body, []byte(words)) {
			return true
		}
	}
	return false
}

// RefusesSeveral reports whether the server may have refused the request for wanting
// several samples: llama.cpp then answers 500, other servers 400 or 422.
func (e *Error) RefusesSeveral() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return e.Kind == Refused
	case http.StatusInternalServerError, http.StatusNotImplemented:
		return strings.Contains(strings.ToLower(e.Excerpt), "one completion choice")
	}
	return false
}

// After returns the pause that the server asked for, by Retry-After; 0: none.
func (e *Error) After() time.Duration { return e.after }
