package gateway

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// Instructions belong to one response: they are not carried over to the next, although the
// response continues a conversation whose system message was an item.
func TestInstructionsAreOfOneResponse(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.want(200, "POST", s.OpenAI+"/responses", `{"input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "a"}]}`)
	second := parse[struct{ ID string }](t, b.want(200, "POST", s.OpenAI+"/responses",
		`{"instructions": "Be brief.", "input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "reply 1"}, {"role": "user", "content": "b"}]}`))
	b.want(200, "POST", s.OpenAI+"/responses", fmt.Sprintf(`{"previous_response_id": %q, "input": "c"}`, second.ID))
	last := b.policy.asked[2]
	if len(last.Messages) != 5 || last.Messages[0].Content != "a" {
		t.Errorf("the policy read %+v", last.Messages)
	}
	b.want(200, "POST", s.OpenAI+"/responses", fmt.Sprintf(`{"previous_response_id": %q, "instructions": "Be brief.", "input": "c"}`, second.ID))
	if last = b.policy.asked[3]; last.Fresh != 5 || len(last.Messages) != 6 {
		t.Errorf("the policy read %d of %+v anew", len(last.Messages)-last.Fresh, last.Messages)
	}
}

// A response of which the client got one tool call is continued by its ID.
func TestAResponseWithOneOfItsCallsIsContinued(t *testing.T) {
	b := open(t, nil)
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	b.gateway.player.Format = hermes
	b.policy.says = []string{strings.Repeat(`<tool_call>{"name": "add", "arguments": {}}</tool_call>`, 2)}
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	first := parse[struct{ ID string }](t, b.want(200, "POST", s.OpenAI+"/responses", `{"input": "a", "parallel_tool_calls": false}`))
	b.want(200, "POST", s.OpenAI+"/responses", fmt.Sprintf(`{"previous_response_id": %q, "input": "b"}`, first.ID))
	b.want(200, "POST", s.OpenAI+"/responses", fmt.Sprintf(`{"input": [{"role": "user", "content": "a"}, {"type": "item_reference", "id": "msg_%s"}, {"role": "user", "content": "c"}]}`, strings.TrimPrefix(first.ID, "resp_")))
	for _, asked := range b.policy.asked[1:] {
		if asked.Fresh != 2 {
			t.Errorf("the policy read %+v from message %d", asked.Messages, asked.Fresh)
		}
	}
}

// Of two completions of a text, the agent used the one from whose text it went on, also after a
// restart that leaves the texts on disk.
func TestATextThatGoesOnWasUsed(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarts=%v", restarts), func(t *testing.T) { continueText(t, restarts) })
	}
}

func continueText(t *testing.T, restarts bool) {
	c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret"), Folder: filepath.Join(t.TempDir(), "s")}
	player, err := c.Settings.Player(exact.New(newDice(1, policy.End), exact.Bytes{}), exact.Bytes{})
	if err != nil {
		t.Fatal(err)
	}
	host := &desk{results: make(chan rollout.Result, 1)}
	b := start(t, c, player, host)
	s := b.make(`{"name": "x"}`).Sessions[0]
	type reply struct{ Choices []struct{ Text string } }
	first := parse[reply](t, b.want(200, "POST", s.OpenAI+"/completions", `{"prompt": "once upon"}`))
	b.want(200, "POST", s.OpenAI+"/completions", `{"prompt": "once upon"}`)
	b.want(200, "POST", s.OpenAI+"/completions", fmt.Sprintf(`{"prompt": %q}`, "once upon"+first.Choices[0].Text+" a time"))
	if restarts {
		b.stop()
		c.Settings.Hold = 0
		b = start(t, c, player, host)
	}
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	turns := (<-host.results).Trajectories[0].Turns
	for i, want := range []string{"", tree.Abandoned, ""} {
		if got := turns[i].Call.Unused; got != want {
			t.Errorf("reply %d: unused %q, want %q", i, got, want)
		}
	}
}
