package gateway

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
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

// Log-probabilities are those of the sampled tokens, whole and streamed, and the same for a
// client that asks again.
func TestLogProbsAreThoseOfTheSample(t *testing.T) {
	b := open(t, nil)
	b.policy.says = []string{"<think>hm</think>yes", "<think>hm</think>yes"}
	b.gateway.player.Piece = func(t quintain.Token) string { return textOf([]quintain.Token{t}) }
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	for _, stream := range []string{"false", "true"} {
		body := `{"logprobs": true, "stream": ` + stream + `, "messages": [{"role": "user", "content": "?"}]}`
		first := b.post(s, 200, body)
		var said strings.Builder
		for part := range strings.SplitSeq(first, `{"token":"`) {
			piece, rest, ok := strings.Cut(part, `","logprob":-0.5,"bytes":[`)
			if ok && strings.Contains(rest, `"top_logprobs":[]`) {
				said.WriteString(piece)
			}
		}
		if want := `<think>hm</think>yes\n`; said.String() != want {
			t.Errorf("stream: %s: the tokens say %q, want %q: %s", stream, said.String(), want, first)
		}
		if again := b.post(s, 200, body, "X-Stainless-Retry-Count", "1"); stream == "false" && again != first {
			t.Errorf("%s\nthen\n%s", first, again)
		}
	}
	if text := b.post(s, 200, ask); !strings.Contains(text, `"logprobs":null`) {
		t.Errorf("nobody asked: %s", text)
	}
	if text := b.post(s, 400, `{"logprobs": true, "top_logprobs": 2, "messages": [{"role": "user", "content": "?"}]}`); !strings.Contains(text, `"param":"top_logprobs"`) {
		t.Errorf("%s", text)
	}
}
