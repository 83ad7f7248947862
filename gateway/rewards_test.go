package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// Rewards, before, during and after all else.
func TestRewards(t *testing.T) {
	type give struct {
		status int
		body   string
		key    string
	}
	for _, test := range []struct {
		why   string
		gives []give
		want  string // reward of the first turn and of the last; or an outcome
	}{
		{"one", []give{{200, `{"reward": 0.5}`, ""}}, "0 0.5"},
		{"a zero is a reward", []give{{200, `{"reward": 0}`, ""}}, "0 0"},
		{"a negative one", []give{{200, `{"reward": -3, "why": "slow", "metrics": {"x": 1}}`, ""}}, "0 -3"},
		{"the last holds", []give{{200, `{"reward": 1}`, ""}, {200, `{"reward": 2}`, ""}}, "0 2"},
		{"a sum", []give{{200, `{"reward": 1}`, ""}, {200, `{"reward": 2, "mode": "add"}`, ""}}, "0 3"},
		{"a sum of nothing", []give{{200, `{"reward": 2, "mode": "add"}`, ""}}, "0 2"},
		{"twice with a key", []give{{200, `{"reward": 1, "mode": "add"}`, "k"}, {200, `{"reward": 1, "mode": "add"}`, "k"}}, "0 1"},
		{"a key in the body", []give{{200, `{"reward": 1, "mode": "add", "key": "k"}`, ""}, {200, `{"reward": 1, "mode": "add", "key": "k"}`, ""}}, "0 1"},
		{"a key of another reward", []give{{200, `{"reward": 1}`, "k"}, {409, `{"reward": 2}`, "k"}, {409, `{"reward": 1, "mode": "add"}`, "k"}}, "0 1"},
		{"two keys", []give{{200, `{"reward": 1, "mode": "add"}`, "k"}, {200, `{"reward": 1, "mode": "add"}`, "l"}}, "0 2"},
		{"for a call", []give{{200, `{"reward": 1}`, ""}, {200, `{"reward": 4, "call": "FIRST"}`, ""}}, "4 1"},
		{"for a call, by the ID in its reply", []give{{200, `{"reward": 1}`, ""}, {200, `{"reward": 4, "call": "chatcmpl-FIRST"}`, ""}}, "4 1"},
		{"for a call, a sum", []give{{200, `{"reward": 1}`, ""}, {200, `{"reward": 4, "call": "FIRST"}`, ""}, {200, `{"reward": 4, "call": "FIRST", "mode": "add"}`, ""}}, "8 1"},
		{"an unknown call", []give{{404, `{"reward": 1, "call": "nobody"}`, ""}, {200, `{"reward": 1}`, ""}}, "0 1"},
		{"infinite", []give{{422, `{"reward": 1e999}`, ""}}, string(quintain.EnvFailed)},
		{"no number", []give{{422, `{"reward": NaN}`, ""}, {422, `{"reward": "1"}`, ""}, {422, `{"reward": null}`, ""}, {422, `{}`, ""}, {422, ``, ""}}, string(quintain.EnvFailed)},
		{"a vast sum", []give{{200, `{"reward": 1e6}`, ""}, {422, `{"reward": 1, "mode": "add"}`, ""}, {422, `{"reward": 1e308}`, ""}}, "0 1e+06"},
		{"another mode", []give{{422, `{"reward": 1, "mode": "max"}`, ""}}, string(quintain.EnvFailed)},
		{"a field in other letters", []give{{422, `{"reward": 1, "Reward": 3}`, ""}, {422, `{"Reward": 1}`, ""}}, string(quintain.EnvFailed)},
		{"an unknown field", []give{{422, `{"reward": 1, "rewrad": 2}`, ""}}, string(quintain.EnvFailed)},
		{"malformed", []give{{200, `{"reward": 1, "malformed": true}`, ""}}, "0 1 " + string(quintain.ModelFailed)},
		{"none", nil, string(quintain.EnvFailed)},
	} {
		b := open(t, func(c *Config) { c.Settings.RewardWithin = 1 })
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		first := b.chat(s, user("one"))
		b.chat(s, user("one"), quintain.Message{Role: "assistant", Content: "reply 1"}, user("two"))
		for _, g := range test.gives {
			body := strings.ReplaceAll(g.body, "FIRST", strings.TrimPrefix(first.ID, "chatcmpl-"))
			b.want(g.status, "POST", "/v1/sessions/"+s.ID+"/reward", body, "Idempotency-Key", g.key)
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		got := b.result().Trajectories[0]
		says := string(got.Outcome)
		if got.Outcome.Rewarded() {
			says = fmt.Sprint(got.Turns[0].Reward, got.Turns[1].Reward)
		}
		if got.Outcome == quintain.ModelFailed {
			says += " " + string(got.Outcome)
		}
		if says != test.want || !got.Outcome.Rewarded() && got.Reward() != 0 {
			t.Errorf("%s: %s, want %s", test.why, says, test.want)
		}
		for _, g := range test.gives { // after the seal
			want := 409
			if g.status == 200 && (g.key != "" || strings.Contains(g.body, "key")) {
				want = 200 // it was taken: a retry
			}
			if g.status == 200 {
				b.want(want, "POST", "/v1/sessions/"+s.ID+"/reward", strings.ReplaceAll(g.body, `, "call": "FIRST"`, ""), "Idempotency-Key", g.key)
			}
		}
	}
}

// A reward may come before any call, and during one.
func TestEarlyRewards(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.policy.hold = make(chan struct{})
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.OpenAI+"/chat/completions", strings.NewReader(ask))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() { got <- b.send(r) }()
	b.until(func() bool {
		b.policy.mu.Lock()
		defer b.policy.mu.Unlock()
		return len(b.policy.asked) > 0
	})
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 2}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	close(b.policy.hold)
	if text := <-got; !strings.Contains(text, "reply 1") {
		t.Error(text)
	}
	if r := b.result().Trajectories[0]; r.Reward() != 2 || len(r.Turns) != 1 || r.Outcome != quintain.Scored {
		t.Errorf("%+v", r)
	}
}

// Judges that compare reward a group at once.
func TestRewardsOfAGroup(t *testing.T) {
	b := open(t, nil)
	m := b.make(`{"name": "x", "of": 2}`)
	for _, s := range m.Sessions {
		b.post(s, 200, ask)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	}
	b.want(422, "POST", "/v1/groups/"+m.Group+"/rewards", `[1]`)
	b.want(200, "POST", "/v1/groups/"+m.Group+"/rewards", `[1, null]`)
	b.want(200, "POST", "/v1/sessions/"+m.Sessions[1].ID+"/reward", `{"reward": 0.25}`)
	if got := rewardsOf(b.result()); got != "1 0.25" {
		t.Error(got)
	}
}

// Calls that have rewards are enough, once none comes for the whole session.
func TestRewardsOfCallsAlone(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "n", "of": 1, "reward_within": 0.2}`).Sessions[0]
	call := strings.TrimPrefix(b.chat(s, user("1+2?")).ID, "chatcmpl-")
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", fmt.Sprintf(`{"reward": 0.5, "call": %q}`, call))
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	if got := b.result().Trajectories[0]; got.Outcome != quintain.Scored || got.Reward() != 0.5 {
		t.Errorf("%s with the reward %v: %s", got.Outcome, got.Reward(), got.Error)
	}
}

// What a caller has seen of a session does not change with it.
func TestViewsAreCopies(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "n", "of": 1}`).Sessions[0]
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 0.5}`)
	before := b.gateway.Views()[0]
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	if *before.Reward != 0.5 {
		t.Errorf("the reward seen before has become %v", *before.Reward)
	}
}
