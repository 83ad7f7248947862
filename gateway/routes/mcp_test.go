package routes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
)

// solution is what agents must never see.
const solution = "the-secret-solution"

// A judge is a scenario that wants the answer "right", between tags, and fails at "broken".
type judge struct{ quintain.Scenario }

func (judge) Info() quintain.ScenarioInfo                      { return quintain.ScenarioInfo{Name: "judge", Tags: true} }
func (judge) Env(quintain.Problem) (quintain.Env, error)       { return judge{}, nil }
func (judge) Open(context.Context) ([]quintain.Message, error) { return nil, nil }
func (judge) Close() error                                     { return nil }
func (judge) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	switch r.Text {
	case "<answer>broken</answer>":
		return quintain.Step{}, errors.New("the checker of " + solution + " broke")
	case "<answer>right</answer>":
		return quintain.Step{Reward: 1, Right: true, Why: "it is " + solution}, nil
	}
	return quintain.Step{Reward: 0.25, Malformed: true, Why: "it is " + solution}, nil
}

// A session is one that was made.
type session struct{ ID, Key string }

func open(t *testing.T, folder string) *Bench {
	t.Helper()
	b := Open(t, folder, mcpRoutes)
	b.JudgeBy(judge{})
	return b
}

func made(t *testing.T, b *Bench, spec string) session {
	t.Helper()
	return Parse[struct{ Sessions []session }](t, b.Want(http.StatusCreated, Key, "POST /v1/sessions", spec)).Sessions[0]
}

// call calls a tool, and returns the message of the server.
func call(t *testing.T, b *Bench, key, path, tool, arguments string) string {
	t.Helper()
	text := b.Want(http.StatusOK, key, "POST "+path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	if strings.Contains(text, solution) {
		t.Errorf("the agent is told %s", text)
	}
	return text
}

func submitted(t *testing.T, b *Bench, s session, answer string) string {
	t.Helper()
	return call(t, b, s.Key, path, "submit_answer", fmt.Sprintf(`{"answer":%q}`, answer))
}

// wants checks that a message has a part.
func wants(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s\nwant in it %s", text, part)
	}
}

// An agent draws its problem and submits one answer, which is its session's reward.
func TestAnswersAreRewards(t *testing.T) {
	b := open(t, "")
	s := made(t, b, `{"of": 1, "metadata": {"topic": "sums"}}`)
	for _, path := range []string{path, "/sessions/" + s.ID + path} {
		wants(t, call(t, b, s.Key, path, "draw_problem", `{}`), `"structuredContent":{"problem":"t.v1.s0.l0.0","question":"What?","metadata":{"topic":"sums"}}`)
	}
	wants(t, call(t, b, s.Key, path, "draw_problem", `{"task":"other"}`), `unknown field \"task\"`)
	wants(t, call(t, b, s.Key, path, "submit_answer", `{}`), "answer: is missing")
	b.Ask(s.Key, "/v1/chat/completions", "?")
	wants(t, submitted(t, b, s, "right"), `"structuredContent":{"score":1,"malformed":false}`)
	wants(t, submitted(t, b, s, "another"), "the session has its reward: an answer counts once")
	b.Want(http.StatusOK, Key, "POST /v1/sessions/"+s.ID+"/end", "")
	r := b.Result().Trajectories[0]
	if last := r.Turns[0]; r.Outcome != quintain.Scored || last.Reward != 1 || !last.Right || r.Reward() != 1 {
		t.Errorf("%s, reward %v: %+v", r.Outcome, r.Reward(), last)
	}
	if status, text := b.Do("", "POST "+path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusUnauthorized {
		t.Errorf("without a key: status %d: %s", status, text)
	}
}

// Only a task grades; where there is none, or the answer comes too late, the agent learns why.
func TestAnswersThatNobodyGrades(t *testing.T) {
	b := open(t, "")
	for _, test := range []struct {
		why, spec string
		before    string // a request
		body      string
		want      string
	}{
		{"a task of the caller's own", `{"name": "x", "prompt": "Why?", "of": 1}`, "", "", "no task grades the answers of this session: its caller rewards it"},
		{"the caller rewards", `{"grader": "caller", "of": 1}`, "", "", "no task grades"},
		{"the caller has rewarded it", `{"of": 1}`, "/reward", `{"reward": 0.5}`, "the session has its reward"},
		{"it has ended", `{"of": 1}`, "/end", `{"failed": "agent", "why": "it is ` + solution + `"}`, "the session has ended"},
	} {
		s := made(t, b, test.spec)
		if test.before != "" {
			b.Want(http.StatusOK, Key, "POST /v1/sessions/"+s.ID+test.before, test.body)
		}
		text := submitted(t, b, s, "right")
		if !strings.Contains(text, test.want) || !strings.Contains(text, `"isError":true`) {
			t.Errorf("%s: %s, want %s", test.why, text, test.want)
		}
	}
	s := made(t, b, `{"name": "y", "prompt": "Why?", "of": 1}`)
	wants(t, call(t, b, s.Key, path, "draw_problem", `{}`), `"question":"Why?"`)
}

// A grader that fails gives no reward, and certainly no 0; the next answer counts.
func TestAnswersWhoseGraderFails(t *testing.T) {
	b := open(t, "")
	s := made(t, b, `{"of": 1}`)
	b.Ask(s.Key, "/v1/chat/completions", "?")
	wants(t, submitted(t, b, s, "broken"), "the answer cannot be graded: it has no reward")
	wants(t, b.Want(http.StatusOK, Key, "GET /v1/sessions/"+s.ID, ""), `"reward":null`)
	wants(t, submitted(t, b, s, "<answer>wrong</answer>"), `"structuredContent":{"score":0.25,"malformed":true}`)
	b.Want(http.StatusOK, Key, "POST /v1/sessions/"+s.ID+"/end", `{"answer": "right"}`)
	if r := b.Result().Trajectories[0]; r.Outcome != quintain.ModelFailed || r.Reward() != 0.25 {
		t.Errorf("%s, reward %v", r.Outcome, r.Reward())
	}
}

// Of many answers at once one counts, after a restart too.
func TestAnswersAtOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, folder)
	s := made(t, b, `{"of": 1}`)
	b.Ask(s.Key, "/v1/chat/completions", "?")
	texts := make([]string, 20)
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i] = submitted(t, b, s, []string{"right", "wrong"}[i%2]) })
	}
	all.Wait()
	graded := 0
	for _, text := range texts {
		if strings.Contains(text, `"structuredContent"`) {
			graded++
		}
	}
	if graded != 1 {
		t.Errorf("%d answers were graded: %s", graded, texts)
	}
	b.Close()
	b = open(t, folder)
	wants(t, submitted(t, b, s, "right"), "the session has its reward")
}
