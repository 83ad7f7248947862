package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// codeAskAgain is the code of calls that ended for no fault of the policy: a client may ask again.
const codeAskAgain = "ask_again"

// errNobodyWaits ends a call that nobody waits for.
var errNobodyWaits = errors.New("nobody waits for the reply")

// errEnded ends the calls of a session that has ended.
var errEnded = errors.New("the session has ended")

// errStops ends calls because the gateway ends.
var errStops = errors.New("the gateway ends: ask again")

// sessionEnded refuses the calls of a session that is over.
func sessionEnded(why string) *dialect.Error {
	return &dialect.Error{Status: http.StatusGone, Code: dialect.CodeEnded, Message: why}
}

// policyFailed is the reply to a call that the policy failed. The agent learns nothing of the cause:
// an error of the policy names its server, which an agent that runs commands could then ask itself.
func policyFailed(cause error) error {
	return caused{&dialect.Error{Status: http.StatusServiceUnavailable, Code: "policy_failed", Message: "the model did not answer: ask again"}, cause}
}

// replyNotKept refuses a reply that the journal does not take: the disk is full or broken, or the call is
// too long for it.
func replyNotKept(err error) error {
	status := http.StatusServiceUnavailable
	switch {
	case errors.Is(err, journal.ErrTooLarge):
		return tooLarge()
	case errors.Is(err, journal.ErrFull):
		status = http.StatusInsufficientStorage
	}
	return caused{&dialect.Error{Status: status, Code: "not_kept", Message: "the reply cannot be kept"}, fmt.Errorf("the reply cannot be kept: %w", err)}
}

// fitsJournal reports whether the journal would take a call, by its messages and the bytes of its text
// beside them: it has them as JSON, and about a byte of tokens for each of their bytes.
func fitsJournal(text int, talk []quintain.Message) bool {
	for _, m := range talk {
		text += len(m.Text())
	}
	if text < journal.MaxData/16 { // as JSON, a byte has six at most
		return true
	}
	written, err := json.Marshal(talk)
	return err == nil && text+len(written) <= journal.MaxData
}

// tooLarge refuses a call that the journal would not take.
func tooLarge() *dialect.Error {
	return &dialect.Error{Status: http.StatusRequestEntityTooLarge, Field: "messages", Message: fmt.Sprintf("a call and its tokens may have %d bytes in all", journal.MaxData)}
}

// unguided refuses a call whose field asks for what the policy cannot make sure of.
func unguided(field string, err error) error {
	return caused{&dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeField, Field: field, Message: told(err, quintain.ErrUnguided)}, err}
}

// told returns what an agent is told of an error: an error of a server is told as another, without
// the server's address and words.
func told(err, as error) string {
	if _, remotely := errors.AsType[*remote.Error](err); remotely {
		err = as
	}
	return strings.ToValidUTF8(err.Error(), "?")
}

// A caused is a refusal with its cause, which is for the log and the owner of the session.
type caused struct {
	said  *dialect.Error
	cause error
}

// Error is the cause.
func (f caused) Error() string { return strings.ToValidUTF8(f.cause.Error(), "?") }

// Unwrap returns both.
func (f caused) Unwrap() []error { return []error{f.said, f.cause} }

// refusalOf turns an error of the policy into the reply of a call.
func refusalOf(err error) error {
	switch {
	case errors.Is(err, quintain.ErrNoRoom):
		return caused{&dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeContext, Field: "messages", Message: "the prompt is too long: " + told(err, quintain.ErrNoRoom)}, err}
	case errors.Is(err, errNobodyWaits), errors.Is(err, errStops):
		return &dialect.Error{Status: http.StatusServiceUnavailable, Code: codeAskAgain, Message: err.Error()}
	case errors.Is(err, errEnded):
		return sessionEnded(errEnded.Error())
	}
	if wrong, ok := errors.AsType[*chattemplate.Error](err); ok {
		return &dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeValue, Field: "messages", Message: "chat template: " + strings.ToValidUTF8(wrong.Error(), "?")}
	}
	if lost, ok := errors.AsType[*policy.UnreadError](err); ok {
		return &dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeValue, Field: lost.Field(), Message: strings.ToValidUTF8(lost.Why, "?")}
	}
	return policyFailed(err)
}
