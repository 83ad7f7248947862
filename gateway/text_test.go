package gateway

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/rollout"
)

// A text is continued as it is, without a template; a policy that cannot refuses it.
func TestTexts(t *testing.T) {
	c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}
	player, err := c.Settings.Player(exact.New(newDice(1, policy.End), exact.Bytes{}), exact.Bytes{})
	if err != nil {
		t.Fatal(err)
	}
	host := &desk{results: make(chan rollout.Result, 1)}
	b := start(t, c, player, host)
	s := b.make(`{"name": "x"}`).Sessions[0]
	for range 2 {
		b.want(200, "POST", s.OpenAI+"/completions", `{"prompt": "once upon"}`)
	}
	if text := b.want(400, "POST", s.OpenAI+"/completions", `{"prompt": ""}`); !strings.Contains(text, `"param":"prompt"`) {
		t.Error(text)
	}
	b.want(200, "POST", s.OpenAI+"/chat/completions", `{"messages": [{"role": "user", "content": "once upon"}]}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	turns := (<-host.results).Trajectories[0].Turns
	if len(turns) != 3 || textOf(turns[0].Read) != "once upon" || turns[1].Call.Class != tree.Again || turns[2].Call.Class != tree.Root || turns[0].Observed[0].Content != "once upon" {
		t.Errorf("%+v", turns)
	}
	b = open(t, nil)
	s = b.make(`{"name": "x", "of": 1}`).Sessions[0]
	if text := b.want(400, "POST", s.OpenAI+"/completions", `{"prompt": "once upon"}`); !strings.Contains(text, `"param":"prompt"`) {
		t.Error(text)
	}
}

// A call that panics is one that the policy failed.
func TestPanics(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.policy.breaks = func(*quintain.Sample) { panic("oh") }
	b.post(s, 503, ask)
	b.policy.mu.Lock()
	b.policy.breaks = nil
	b.policy.mu.Unlock()
	b.post(s, 200, ask)
}
