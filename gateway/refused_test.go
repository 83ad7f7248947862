package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run/rollout"
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

// An image is refused where the policy reads only texts, beside a text too, in every dialect and in
// the results of tools.
func TestImagesAreRefusedUnlessThePolicyReadsThem(t *testing.T) {
	const image, block = `{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}`, `{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}`
	const call = `{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}]}`
	for _, test := range []struct{ path, body, field string }{
		{"/v1/chat/completions", `{"messages": [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, ` + image + `]}]}`, "messages[0].content[1].type"},
		{"/v1/chat/completions", `{"messages": [{"role": "user", "content": "?"}, ` + call + `, {"role": "tool", "tool_call_id": "c", "content": [` + image + `, {"type": "text", "text": "It is this."}]}]}`, "messages[2].content[0].type"},
		{"/v1/responses", `{"input": [{"role": "user", "content": [{"type": "input_text", "text": "?"}, {"type": "input_image", "image_url": "data:x"}]}]}`, "input[0].content[1].type"},
		{"/v1/responses", `{"input": [{"role": "user", "content": "?"}, {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:x"}]}]}`, "input[2].output[1].type"},
		{"/v1/messages", `{"max_tokens": 9, "messages": [{"role": "user", "content": [` + block + `, {"type": "text", "text": "?"}]}]}`, "messages[0].content[0].type"},
		{"/v1/messages", `{"max_tokens": 9, "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "add", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "a"}, ` + block + `]}]}]}`, "messages[2].content[0].content[1].type"},
		{"/v1/messages/count_tokens", `{"messages": [{"role": "user", "content": [` + block + `, {"type": "text", "text": "?"}]}]}`, "messages[0].content[0].type"},
	} {
		for reads, want := range map[bool]int{true: 200, false: 400} {
			b := start(t, Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}, Player{Policy: &parrot{}, Images: reads, Count: func(quintain.Request) (int, error) { return 1, nil }}, &desk{results: make(chan rollout.Result, 1)})
			s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
			text := b.want(want, "POST", strings.TrimSuffix(s.OpenAI, "/v1")+test.path, test.body, "Authorization", "Bearer "+s.Key)
			if !reads && (!strings.Contains(text, test.field) || !strings.Contains(text, "reads only texts")) {
				t.Errorf("%s: %s, want the field %s", test.path, text, test.field)
			}
		}
	}
}

// An agent is not told where the engine is, in any dialect: it could ask it itself. The log and the
// outcome are.
func TestAgentsDoNotLearnWhereTheEngineIs(t *testing.T) {
	const where, said = "http://10.1.2.3:8123/v1/chat/completions", "the engine's own words"
	fault := func(kind remote.Kind) error {
		return fmt.Errorf("pool: %w", &remote.Error{Kind: kind, URL: where, Status: 500, Excerpt: said, Err: errors.New("dial tcp 10.1.2.3:8123: connection refused"), Remedy: "look at 10.1.2.3"})
	}
	const one = `"messages": [{"role": "user", "content": "?"}]`
	paths := map[string]string{
		"/v1/chat/completions": `{` + one + `}`, "/v1/completions": `{"prompt": "?"}`, "/v1/responses": `{"input": "?"}`, "/v1/messages": `{"max_tokens": 9, ` + one + `}`,
	}
	for _, test := range []struct {
		why string
		err error
		bad bool // the request is
	}{
		{"unreachable", fault(remote.Unreachable), false}, {"the engine's fault", fault(remote.ServerFailed), false}, {"refused", fault(remote.Refused), false},
		{"no such model", fault(remote.UnknownModel), false}, {"too slow", fault(remote.TooSlow), false}, {"too long", fault(remote.TooLong), true},
		{"no schema", &remote.Error{Kind: remote.Refused, URL: where, Excerpt: said, Err: quintain.ErrUnguided}, true},
		{"no error of the engine's client", errors.New("lookup engine-7.internal: 10.1.2.3:8123 refused it"), false},
	} {
		for path, body := range paths {
			for _, stream := range []bool{false, true} {
				var log bytes.Buffer
				b := open(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
				b.gateway.player.Encode = func(string, bool) ([]quintain.Token, error) { return []quintain.Token{1}, nil }
				s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
				b.policy.mu.Lock()
				b.policy.fails = []error{test.err}
				b.policy.mu.Unlock()
				if stream {
					body = strings.TrimSuffix(body, "}") + `, "stream": true}`
				}
				status, text := b.do("POST", b.url+"/sessions/"+s.ID+path, body, "Authorization", "Bearer "+s.Key)
				if (status == 200) != stream || strings.Contains(text, "10.1.2.3") || strings.Contains(text, "8123") || strings.Contains(text, said) || strings.Contains(text, "reply 1") {
					t.Errorf("%s: %s, stream %v: status %d: %s", test.why, path, stream, status, text)
				}
				if failed := strings.Contains(text, "policy_failed"); failed == test.bad {
					t.Errorf("%s: %s, stream %v: %s", test.why, path, stream, text)
				}
				b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
				r := b.result().Trajectories[0]
				b.stop()
				if !test.bad && (!strings.Contains(log.String(), "10.1.2.3:8123") || !strings.Contains(r.Error, "10.1.2.3:8123")) {
					t.Errorf("%s: %s: the log says %q, the outcome %q", test.why, path, log.String(), r.Error)
				}
			}
		}
	}
}
