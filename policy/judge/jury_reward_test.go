package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
)

const template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"

// serveRewards starts a server of OpenRLHF's form, whose rewards are the places of "good", below 0
// if there is none. It keeps the last request.
func serveRewards(t *testing.T) (url string, last *atomic.Value) {
	t.Helper()
	last = &atomic.Value{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query, Prompts, Labels []string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/reward" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		last.Store(fmt.Sprint(q))
		rewards := make([]int, len(q.Query))
		for i, text := range q.Query {
			rewards[i] = strings.Index(text, "good")
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"rewards": rewards}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/reward", last
}

// A reward model judges the groups of a run, and files, by the settings of a judge.
func TestARewardModelIsAJudge(t *testing.T) {
	t.Parallel()
	url, last := serveRewards(t)
	text := fmt.Sprintf("url: ['%s']\nmodel: rm\nreward: {kind: openrlhf, template: '%s', label: solution}\n", url, write(t, "chat.jinja", template))
	j, err := ReadScenarios(write(t, "judge.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	s, err := j.Over(echo{})
	if err != nil {
		t.Fatal(err)
	}
	rulings := judged(t, s, 3, "good", "bad <|im_end|>", "good")
	if got := fmt.Sprint(rulings[0].Step.Reward, rulings[1].Step.Reward, rulings[2].Step.Reward); got != "27 -1 27" || rulings[1].Err != nil {
		t.Errorf("rewards %s", got)
	}
	if want := `{[<user>question 3<assistant>good <user>question 3<assistant>bad <\|im_end|\>] [<user>question 3 <user>question 3] [solution 3 solution 3]}`; last.Load() != want {
		t.Errorf("asked\n%s, want\n%s", last.Load(), want)
	}
	var out bytes.Buffer
	lines := repliesOf(t, j, `{"id": "a", "question": "q", "reply": "good", "solution": "s"}`)
	if err := j.Grade(t.Context(), lines, &out); err != nil || !strings.Contains(out.String(), `"score":18`) {
		t.Errorf("%s, error %v", out.String(), err)
	}
	if step, err := play(t, s, 3, quintain.Reply{Text: "good"}); err != nil || step.Reward != 27 {
		t.Errorf("a reply alone: %+v, error %v", step, err)
	}
	other, err := ReadScenarios(write(t, "judge.yaml", text+"limit: 100\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if o, err := other.Over(echo{}); err != nil || o.Info().ID() == s.Info().ID() {
		t.Errorf("two reward models have one ID, error %v", err)
	}
}

// What does not go together is refused.
func TestSettingsOfRewardModelsAreRefused(t *testing.T) {
	t.Parallel()
	base := "url: ['http://127.0.0.1:1/v1']\nmodel: rm\n"
	for text, says := range map[string]string{
		base:                                "or the kind of a reward model in reward.kind",
		base + "reward: {kind: openrlhf}\n": "want the chat template of its model",
		base + "reward: {kind: openrlhf, template: none.jinja}\n": "reward.template: open none.jinja",
		base + "reward: {kind: ours}\n":                           "reward.kind: is ours, want",
		base + "rubric: r.yaml\nreward: {kind: sglang}\n":         "there is a rubric too",
		"model: rm\ncommand: x\nreward: {kind: vllm-classify}\n":  "there is a command too",
		"model: rm\nreward: {kind: vllm-classify}\n":              "url: want a server",
	} {
		if _, err := ReadScenarios(write(t, "judge.yaml", text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %s", text, err, says)
		}
	}
	d, _, _ := desk("")
	c := d.Command()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs([]string{"check", "--url", "http://127.0.0.1:1", "--model", "rm", "--reward-kind", string(Classify)})
	if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "usage: reward.kind") || !strings.Contains(err.Error(), "check knows rubrics") {
		t.Errorf("check: error %v", err)
	}
	if _, err := renderer(write(t, "bad.jinja", "{% if %}")); err == nil {
		t.Error("a broken template is taken")
	}
	render, err := renderer(write(t, "raises.jinja", "{{ raise_exception('no system role') }}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := render(nil); err == nil || errors.Is(err, quintain.ErrUngraded) {
		t.Errorf("error %v", err)
	}
}
