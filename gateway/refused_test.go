package gateway

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A strict policy has a template like Mistral's: IDs of tool calls have nine characters, and a
// result follows a reply with tool calls.
type strict struct{ *parrot }

func (p strict) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	short := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	for i, m := range r.Messages {
		for _, call := range m.ToolCalls {
			if !short.MatchString(call.ID) {
				return nil, &chattemplate.Error{Message: "want nine characters", Raised: true}
			}
		}
		if m.Role == quintain.RoleTool && (!short.MatchString(m.ToolCallID) || len(r.Messages[i-1].ToolCalls) == 0) {
			return nil, &chattemplate.Error{Message: "want a call", Raised: true}
		}
	}
	return p.parrot.Sample(ctx, r)
}

func TestATemplateMayRefuseRepliesAsWrittenAndOurIDs(t *testing.T) {
	mistral, err := toolcall.Named("mistral")
	if err != nil {
		t.Fatal(err)
	}
	p := &parrot{says: []string{`[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}]`, "It is 3."}}
	b := start(t, Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}, Player{Policy: strict{p}, Format: mistral}, &desk{results: make(chan rollout.Result, 1)})
	s := b.make(`{"name": "sum", "prompt": "1+2?"}`).Sessions[0]
	talk := []quintain.Message{user("1+2?")}
	with := func() map[string]any { return map[string]any{"messages": talk, "tools": json.RawMessage(tools)} }
	first := b.chatWith(s, with()).Choices[0].Message
	talk = append(talk, first, quintain.Message{Role: quintain.RoleTool, ToolCallID: first.ToolCalls[0].ID, Content: "3"})
	if said := b.chatWith(s, with()).Choices[0].Message.Content; said != "It is 3." {
		t.Errorf("the second reply is %q", said)
	}
	asked := p.asked[len(p.asked)-1]
	if n := len(asked.Messages); n != 3 || asked.Messages[1].ToolCalls[0].Name != "add" || asked.Messages[1].ToolCalls[0].ID != asked.Messages[2].ToolCallID || asked.Fresh != 2 {
		t.Errorf("the template gets %+v", asked.Messages)
	}
	node := b.gateway.sessions[s.ID].tree.Nodes[1]
	if node.Turn.Call.Class != tree.Extends || node.Turn.Observed[0].ToolCallID != first.ToolCalls[0].ID || !slices.Equal(node.Parent.Turn.Wrote, asked.Context[len(asked.Context)-asked.Wrote:]) {
		t.Errorf("it is kept as %+v", node.Turn)
	}
}

func TestARefusalOfTheTemplateIsTheAgents(t *testing.T) {
	b := start(t, Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}, Player{Policy: strict{&parrot{}}}, &desk{results: make(chan rollout.Result, 1)})
	s := b.make(`{"name": "sum", "prompt": "1+2?"}`).Sessions[0]
	b.want(400, "POST", s.OpenAI+"/chat/completions", `{"model": "any", "messages": [{"role": "user", "content": "?"}, {"role": "tool", "tool_call_id": "x", "content": "3"}]}`, "Authorization", "Bearer "+s.Key)
}
