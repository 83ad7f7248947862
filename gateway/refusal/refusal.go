// Package refusal says to the clients of a gateway why their call has no reply.
package refusal

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// CodeAgain is the code of calls that ended for no fault of the policy: a client may ask again.
const CodeAgain = "ask_again"

// ErrGone ends a call that nobody waits for.
var ErrGone = errors.New("nobody waits for the reply")

// ErrEnded ends the calls of a session that has ended.
var ErrEnded = errors.New("the session has ended")

// ErrStops ends calls because the gateway ends.
var ErrStops = errors.New("the gateway ends: ask again")

// Ended refuses the calls of a session that is over.
func Ended(why string) *dialect.Error {
	return &dialect.Error{Status: http.StatusGone, Code: dialect.CodeEnded, Message: why}
}

// PolicyFailed is the reply to a call that the policy failed. The agent learns nothing of the cause:
// an error of the policy names its server, which an agent that runs commands could then ask itself.
func PolicyFailed(cause error) error {
	return caused{&dialect.Error{Status: http.StatusServiceUnavailable, Code: "policy_failed", Message: "the model did not answer: ask again"}, cause}
}

// NotKept refuses a reply that the journal does not take: the disk is full or broken, or the call is
// too long for it.
func NotKept(err error) error {
	status := http.StatusServiceUnavailable
	switch {
	case errors.Is(err, journal.ErrTooLarge):
		return TooLarge()
	case errors.Is(err, journal.ErrFull):
		status = http.StatusInsufficientStorage
	}
	return caused{&dialect.Error{Status: status, Code: "not_kept", Message: "the reply cannot be kept"}, fmt.Errorf("the reply cannot be kept: %w", err)}
}

// Fits reports whether the journal would take a call, by its messages and the bytes of its text
// beside them: it has them as JSON, and about a byte of tokens for each of their bytes.
func Fits(text int, talk []quintain.Message) bool {
	for _, m := range talk {
		text += len(m.Text())
	}
	if text < journal.MaxData/16 { // as JSON, a byte has six at most
		return true
	}
	written, err := jsonform.Marshal(talk)
	return err == nil && text+len(written) <= journal.MaxData
}

// TooLarge refuses a call that the journal would not take.
func TooLarge() *dialect.Error {
	return &dialect.Error{Status: http.StatusRequestEntityTooLarge, Field: "messages", Message: fmt.Sprintf("a call and its tokens may have %d bytes in all", journal.MaxData)}
}

// Unguided refuses a call whose field asks for what the policy cannot make sure of.
func Unguided(field string, err error) error {
	return caused{&dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeField, Field: field, Message: shown(err, quintain.ErrUnguided)}, err}
}

// shown returns what an agent is told of an error: an error of a server is told as another, without
// the server's address and words.
func shown(err, as error) string {
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

// Of turns an error of the policy into the reply of a call.
func Of(err error) error {
	switch {
	case errors.Is(err, quintain.ErrNoRoom):
		return caused{&dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeContext, Field: "messages", Message: "the prompt is too long: " + shown(err, quintain.ErrNoRoom)}, err}
	case errors.Is(err, ErrGone), errors.Is(err, ErrStops):
		return &dialect.Error{Status: http.StatusServiceUnavailable, Code: CodeAgain, Message: err.Error()}
	case errors.Is(err, ErrEnded):
		return Ended(ErrEnded.Error())
	}
	if wrong, is := errors.AsType[*chattemplate.Error](err); is {
		return &dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeValue, Field: "messages", Message: "chat template: " + strings.ToValidUTF8(wrong.Error(), "?")}
	}
	if lost, is := errors.AsType[*policy.UnreadError](err); is {
		return &dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeValue, Field: lost.Field(), Message: strings.ToValidUTF8(lost.Why, "?")}
	}
	return PolicyFailed(err)
}
