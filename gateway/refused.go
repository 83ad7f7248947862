package gateway

import (
	"context"
	"errors"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// sample asks the policy. Some templates refuse replies as the model wrote them, which hold no
// tool calls for them, or IDs of calls as long as ours; Mistral's do both. They get the parts of
// the replies, and short IDs; where the template then writes something else, the tokens fork.
func (p *Player) sample(ctx context.Context, parent *node, ask quintain.Request) ([]quintain.Sample, error) {
	samples, err := p.Policy.Sample(ctx, ask)
	tools := func(m quintain.Message) bool { return m.ToolCallID != "" || m.ToolCalls != nil }
	if !isRefused(err) || parent == nil && !slices.ContainsFunc(ask.Messages, tools) {
		return samples, err
	}
	var talk []quintain.Message
	if parent != nil {
		for _, n := range parent.path() {
			talk = append(append(talk, n.turn.Observed...), n.turn.Message())
		}
	}
	ask.Messages = withShortIDs(append(talk, ask.Messages[ask.Fresh:]...))
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

// withShortIDs gives messages, which are the caller's own, IDs of tool calls that all templates
// take.
func withShortIDs(talk []quintain.Message) []quintain.Message {
	for i := range talk {
		m := &talk[i]
		if m.ToolCallID != "" {
			m.ToolCallID = dialect.ShortID(m.ToolCallID)
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].ID, m.ToolCalls[k].Raw = dialect.ShortID(m.ToolCalls[k].ID), nil
		}
	}
	return talk
}
