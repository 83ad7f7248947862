package tree

import (
	"errors"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// OrInParts does something with a request. Some templates refuse replies as the model wrote them,
// which hold no tool calls for them, or IDs of calls as long as ours; Mistral's do both. It is then
// done with the parts of the replies, and short IDs; where the template writes something else, the
// tokens fork.
func OrInParts[T any](at Place, ask quintain.Request, do func(quintain.Request) (T, error)) (done T, err error) {
	done, err = do(ask)
	tools := func(m quintain.Message) bool { return m.ToolCallID != "" || m.ToolCalls != nil }
	if !isRefused(err) || at.Parent == nil && !slices.ContainsFunc(ask.Messages, tools) {
		return done, err
	}
	var talk []quintain.Message
	if at.Parent != nil {
		for _, n := range at.Parent.Path() {
			talk = append(append(talk, n.Turn.Observed...), n.Turn.Message())
		}
	}
	ask.Messages = dialect.WithShortIDs(append(talk, ask.Messages[ask.Fresh:]...))
	if again, other := do(ask); !isRefused(other) {
		return again, other
	}
	return done, err
}

// isRefused reports whether a template refuses a conversation.
func isRefused(err error) bool {
	_, ok := errors.AsType[*chattemplate.Error](err)
	return ok
}
