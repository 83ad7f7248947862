package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

func system(text string) quintain.Message {
	return quintain.Message{Role: quintain.RoleSystem, Content: text}
}

func says(text string) quintain.Message {
	return quintain.Message{Role: quintain.RoleAssistant, Content: text}
}

// A talk is a conversation of a call.
type talk = []quintain.Message

// How a call's messages relate to those of earlier ones.
func TestClasses(t *testing.T) {
	base := talk{system("You help.\nToday's date is 2026-01-01"), user("one")}
	on := func(reply string, more ...quintain.Message) talk {
		return append(append(talk{}, append(base, says(reply))...), more...)
	}
	for _, test := range []struct {
		why    string
		talks  []talk
		strict bool
		want   string // class and parent of the last call
	}{
		{"the first", []talk{base}, false, "root -1"},
		{"it goes on", []talk{base, on("reply 1", user("two"))}, false, "extends 0"},
		{"another way on", []talk{base, on("reply 1", user("two")), on("reply 1", user("three"))}, false, "branches 0"},
		{"white space around the reply is trimmed", []talk{base, on(" reply 1\n", user("two"))}, false, "extends 0"},
		{"two messages at once", []talk{base, on("reply 1", user("two"), user("and"))}, false, "extends 0"},
		{"back beyond a reply", []talk{base, on("reply 1", user("two")), on("reply 1", user("two"), says("reply 2"), user("three")), on("reply 1", user("four"))}, false, "branches 0"},
		{"the same again", []talk{base, base}, false, "again -1"},
		{"the same again, later", []talk{base, on("reply 1", user("two")), on("reply 1", user("two"))}, false, "again 0"},
		{"the reply was changed", []talk{base, on("reply one", user("two"))}, false, "root -1"},
		{"an earlier reply was changed", []talk{base, on("reply 1", user("two")), on("reply one", user("two"), says("reply 2"), user("three"))}, false, "root -1"},
		{"the user's message was changed", []talk{base, {base[0], user("uno"), says("reply 1"), user("two")}}, false, "root -1"},
		{"the date changed", []talk{base, append(talk{system("You help.\nToday's date is 2026-01-02")}, on("reply 1", user("two"))[1:]...)}, false, "extends 0"},
		{"the date changed, and prompts are strict", []talk{base, append(talk{system("You help.\nToday's date is 2026-01-02")}, on("reply 1", user("two"))[1:]...)}, true, "root -1"},
		{"dates are part of the instructions", []talk{{system("Dates are ISO"), user("one")}, {system("Dates are not ISO"), user("one"), says("reply 1"), user("two")}}, false, "root -1"},
		{"a billing line", []talk{{system("x-anthropic-billing-header: a"), user("one")}, {system("x-anthropic-billing-header: b"), user("one"), says("reply 1"), user("two")}}, false, "extends 0"},
		{"other instructions", []talk{base, append(talk{system("You don't, ever, under no circumstances at all.")}, on("reply 1", user("two"))[1:]...)}, false, "root -1"},
	} {
		b := open(t, func(c *Config) { c.Settings.StrictPrompts = test.strict })
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		for _, one := range test.talks {
			b.chat(s, one...)
		}
		if got := b.lastCall(s); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// lastCall is the class and the parent of the last call, and its label.
func (b *bench) lastCall(s MadeSession) string {
	nodes := b.gateway.sessions[s.ID].tree.Nodes
	c := nodes[len(nodes)-1].Turn.Call
	return strings.TrimSpace(fmt.Sprintln(c.Class, c.Parent, c.Branch))
}

const twoCalls = "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1.0}}\n</tool_call>\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2e0}}\n</tool_call>"

// What clients make of tool calls in their history.
func TestToolCallsInHistory(t *testing.T) {
	for _, test := range []struct {
		why    string
		change func(m *quintain.Message) []quintain.Message // returns the results too
		body   map[string]any
		want   string
	}{
		{"unchanged", results, nil, "extends 0"},
		{"results in another order", func(m *quintain.Message) []quintain.Message { r := results(m); return []quintain.Message{r[1], r[0]} }, nil, "extends 0"},
		{"arguments as Python writes them", func(m *quintain.Message) []quintain.Message {
			m.ToolCalls[0].Arguments = `{"a": 1.0}`
			return results(m)
		}, nil, "extends 0"},
		{"arguments as JavaScript writes them", func(m *quintain.Message) []quintain.Message {
			m.ToolCalls[0].Arguments, m.ToolCalls[1].Arguments = `{"a":1}`, `{"a":2}`
			return results(m)
		}, nil, "extends 0"},
		{"other ids, as LiteLLM gives", func(m *quintain.Message) []quintain.Message {
			m.ToolCalls[0].ID, m.ToolCalls[1].ID = "toolu_1", "toolu_2"
			return results(m)
		}, nil, "extends 0"},
		{"other arguments", func(m *quintain.Message) []quintain.Message {
			m.ToolCalls[0].Arguments = `{"a": 7}`
			return results(m)
		}, nil, "edited -1"},
		{"a call left out", func(m *quintain.Message) []quintain.Message {
			m.ToolCalls = m.ToolCalls[:1]
			return results(m)
		}, nil, "edited -1"},
		{"only one call wanted", results, map[string]any{"parallel_tool_calls": false}, "extends 0"},
		{"the calls as text, as smolagents writes them", func(m *quintain.Message) []quintain.Message {
			m.Content, m.ToolCalls = "Calling tools:\n[{'id': '"+m.ToolCalls[0].ID+"', 'function': {'name': 'add'}}]", nil
			return []quintain.Message{user("Observation:\n3")}
		}, nil, "edited -1"},
		{"reasoning left out", func(m *quintain.Message) []quintain.Message { m.Reasoning = ""; return results(m) }, nil, "extends 0"},
		{"other reasoning", func(m *quintain.Message) []quintain.Message { m.Reasoning = "Eh?"; return results(m) }, nil, "extends 0"},
	} {
		b := open(t, nil)
		b.policy.says = []string{"<think>Hm.</think>" + twoCalls}
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		body := map[string]any{"messages": talk{user("sum")}, "tools": json.RawMessage(tools)}
		maps.Copy(body, test.body)
		m := b.chatWith(s, body).Choices[0].Message
		if m.Reasoning != "Hm." || len(m.ToolCalls) == 0 {
			t.Fatalf("%s: %+v", test.why, m)
		}
		after := test.change(&m)
		body["messages"] = append(talk{user("sum"), m}, after...)
		b.chatWith(s, body)
		if got := b.lastCall(s); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// results are the results of a message's calls.
func results(m *quintain.Message) (all []quintain.Message) {
	for _, c := range m.ToolCalls {
		all = append(all, quintain.Message{Role: quintain.RoleTool, Content: "3", ToolCallID: c.ID})
	}
	return all
}

// Labels of branches.
func TestLabels(t *testing.T) {
	for _, test := range []struct {
		why  string
		play func(b *bench, s MadeSession)
		want string
	}{
		{"a summary", func(b *bench, s MadeSession) {
			b.chat(s, system("A"), user("one and much more"))
			b.chat(s, system("A"), user("in brief"))
		}, "root -1 compacted"},
		{"something longer", func(b *bench, s MadeSession) {
			b.chat(s, system("A"), user("one"))
			b.chat(s, system("A"), user("something that is not as brief"))
		}, "root -1"},
		{"a sub-agent, while a tool is open", func(b *bench, s MadeSession) {
			b.policy.says = []string{twoCalls}
			b.chatWith(s, map[string]any{"messages": talk{system("A"), user("one")}, "tools": json.RawMessage(tools)})
			b.chat(s, system("B"), user("sub"))
		}, "root -1 subagent"},
		{"its second call", func(b *bench, s MadeSession) {
			b.policy.says = []string{twoCalls}
			b.chatWith(s, map[string]any{"messages": talk{system("A"), user("one")}, "tools": json.RawMessage(tools)})
			b.chat(s, system("B"), user("sub"))
			b.chat(s, system("B"), user("sub"), says("reply 2"), user("on"))
		}, "extends 1 subagent"},
		{"a name of the agent's", func(b *bench, s MadeSession) {
			b.chatWith(s, map[string]any{"messages": talk{user("one")}}, "Quintain-Branch", "planner")
		}, "root -1 planner"},
		{"something else", func(b *bench, s MadeSession) {
			b.chatWith(s, map[string]any{"messages": talk{system("A"), user("one")}, "tools": json.RawMessage(tools)})
			b.chat(s, system("B"), user("two"))
		}, "root -1"},
	} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		test.play(b, s)
		if got := b.lastCall(s); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// A policy that fails or breaks its promises gives no reply, and its session no reward; what
// the agent asked wrong is the agent's.
func TestFaultsOfThePolicy(t *testing.T) {
	for _, test := range []struct {
		why    string
		err    error
		spoil  func(s *quintain.Sample)
		status int
		want   quintain.Outcome
	}{
		{"an error of the engine", errors.New("502"), nil, 503, quintain.InfraFailed},
		{"final", quintain.ErrFinal, nil, 503, quintain.InfraFailed},
		{"too slow", quintain.ErrTimeout, nil, 503, quintain.InfraFailed},
		{"the template refuses the messages", fmt.Errorf("exact: chat template: %w; %w", &chattemplate.Error{Message: "roles must alternate", Raised: true}, quintain.ErrFinal), nil, 400, quintain.Scored},
		{"the template drops a text", fmt.Errorf("exact: %w; %w", &policy.UnreadError{Message: 2, Part: -1, Why: "the chat template drops the text"}, quintain.ErrFinal), nil, 400, quintain.Scored},
		{"a prompt without room", quintain.ErrNoRoom, nil, 400, quintain.Scored},
		{"an aborted reply", nil, func(s *quintain.Sample) { s.Finish = quintain.Aborted }, 503, quintain.InfraFailed},
		{"a log-probability too few", nil, func(s *quintain.Sample) { s.LogProbs = s.LogProbs[1:] }, 503, quintain.InfraFailed},
		{"a log-probability that is NaN", nil, func(s *quintain.Sample) { s.LogProbs[0] = float32(math.NaN()) }, 503, quintain.InfraFailed},
		{"an infinite one", nil, func(s *quintain.Sample) { s.LogProbs[0] = float32(math.Inf(-1)) }, 503, quintain.InfraFailed},
		{"one above 0", nil, func(s *quintain.Sample) { s.LogProbs[0] = 0.5 }, 503, quintain.InfraFailed},
		{"a version too few", nil, func(s *quintain.Sample) { s.Versions = s.Versions[1:] }, 503, quintain.InfraFailed},
		{"versions that fall", nil, func(s *quintain.Sample) { s.Versions[0] = 9 }, 503, quintain.InfraFailed},
		{"a negative token", nil, func(s *quintain.Sample) { s.Wrote[1] = -1 }, 503, quintain.InfraFailed},
		{"a negative token of the prompt", nil, func(s *quintain.Sample) { s.Read = []quintain.Token{-1} }, 503, quintain.InfraFailed},
	} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		b.post(s, 200, ask)
		b.policy.mu.Lock()
		b.policy.fails, b.policy.breaks = []error{test.err}, test.spoil
		b.policy.mu.Unlock()
		text := b.post(s, test.status, ask)
		if test.status == http.StatusBadRequest && !strings.Contains(text, `"param":"messages`) {
			t.Errorf("%s: the refusal names no field: %s", test.why, text)
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		if r := b.result().Trajectories[0]; r.Outcome != test.want || len(r.Turns) != 1 || !r.Outcome.Rewarded() && r.Reward() != 0 {
			t.Errorf("%s: outcome %s, reward %v, %d turns", test.why, r.Outcome, r.Reward(), len(r.Turns))
		}
	}
}
