package gateway

import (
	"context"
	"errors"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// sample asks the policy. Some templates refuse replies as the model wrote them, which hold no
// tool calls for them, or IDs of calls as long as ours; Mistral's do both. They get the parts of
// the replies, and short IDs; where the template then writes something else, the tokens fork.
func (p *Player) sample(ctx context.Context, at tree.Place, ask quintain.Request) ([]quintain.Sample, error) {
	samples, err := p.Policy.Sample(ctx, ask)
	tools := func(m quintain.Message) bool { return m.ToolCallID != "" || m.ToolCalls != nil }
	if !isRefused(err) || at.Parent == nil && !slices.ContainsFunc(ask.Messages, tools) {
		return samples, err
	}
	var talk []quintain.Message
	if at.Parent != nil {
		for _, n := range at.Parent.Path() {
			talk = append(append(talk, n.Turn.Observed...), n.Turn.Message())
		}
	}
	ask.Messages = dialect.WithShortIDs(append(talk, ask.Messages[ask.Fresh:]...))
	again, other := p.Policy.Sample(ctx, ask)
	if isRefused(other) {
		return nil, err
	}
	return again, other
}

// isRefused reports whether a template refuses a conversation.
func isRefused(err error) bool {
	_, is := errors.AsType[*chattemplate.Error](err)
	return is
}
