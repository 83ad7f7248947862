package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/policytest"
)

// echo is a task whose prompt and solution are numbers.
type echo struct{ quintain.Task }

func (echo) Info() quintain.Info { return quintain.Info{Name: "echo", Version: 1} }

func (echo) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "echo", Version: 1, Seed: d.Seed, Index: d.Index, Params: json.RawMessage("{}"), Prompt: fmt.Sprint("question ", d.Index)}, nil
}

func (echo) Solve(p quintain.Problem) (string, error) {
	if p.Index > 5 {
		return "", errors.New("it is unreadable")
	}
	return fmt.Sprint("solution ", p.Index), nil
}

// openScenario returns the scenario of a judge at a server.
func openScenario(t *testing.T, url, rubric string) *Scenario {
	t.Helper()
	path := write(t, "judge.yaml", fmt.Sprintf("rubric: '%s'\nurl: ['%s']\nmodel: m\nretries: 0\ncheck: {every: 0}\n", write(t, "rubric.yaml", rubric), url))
	j, err := ReadScenarios(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	if j.Config.Within != longestGrade {
		t.Errorf("a reply is judged again for %v", j.Config.Within)
	}
	s, err := j.Over(echo{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play plays one reply to problem n.
func play(t *testing.T, s *Scenario, n int, reply quintain.Reply) (quintain.Step, error) {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1, Index: n})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		return quintain.Step{}, err
	}
	defer e.Close()
	if talk, err := e.Open(t.Context()); err != nil || len(talk) != 1 || talk[0].Content != p.Prompt {
		t.Errorf("the episode opens with %+v, error %v", talk, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return e.Step(ctx, reply)
}

func TestScenario(t *testing.T) {
	t.Parallel()
	server, url := serve(t, policytest.Status(503)) // the judge fails once, and the episode waits
	s := openScenario(t, url, rubricFile+"reference: solution\n")
	for _, test := range []struct {
		why   string
		reply quintain.Reply
		want  quintain.Step
	}{
		{"right", quintain.Reply{Text: "<think>x</think>good", Finish: quintain.Stop}, quintain.Step{Reward: 1, Right: true, End: quintain.Terminated, Why: "correct: yes"}},
		{"wrong", quintain.Reply{Text: "bad", Finish: quintain.Stop}, quintain.Step{End: quintain.Terminated, Why: "correct: no"}},
		{"empty", quintain.Reply{Text: "", Finish: quintain.Stop}, quintain.Step{Malformed: true, End: quintain.Terminated, Why: "the reply is empty"}},
		{"cut", quintain.Reply{Text: "good", Finish: quintain.Length}, quintain.Step{Reward: 1, Right: true, End: quintain.Truncated, Why: "the length limit cut the reply; correct: yes"}},
	} {
		test.want.Answer = test.reply.Text
		if step, err := play(t, s, 3, test.reply); err != nil || fmt.Sprint(step) != fmt.Sprint(test.want) {
			t.Errorf("%s: %+v, error %v; want %+v", test.why, step, err, test.want)
		}
	}
	body := fmt.Sprint(server.Requests()[1])
	if !strings.Contains(body, "question 3") || !strings.Contains(body, "solution 3") {
		t.Errorf("the judge reads %s", body)
	}
	if _, err := play(t, s, 6, quintain.Reply{}); err == nil || !strings.Contains(err.Error(), "the reference of") {
		t.Errorf("a problem without a solution: error %v", err)
	}
	if _, err := s.Env(quintain.Problem{Task: "echo", Scenario: "judge.v1"}); err == nil || !strings.Contains(err.Error(), "does not belong") {
		t.Errorf("another scenario's problem: error %v", err)
	}
	if got, err := s.Solve(quintain.Problem{Index: 2}); got != "solution 2" || err != nil || s.Size(0) != 0 || s.TaskInfo().Name != "echo" {
		t.Errorf("it solves %q, error %v", got, err)
	}
	if _, err := s.Key(quintain.Problem{Prompt: "question 1"}); err != nil {
		t.Error(err)
	}
}

// The ID changes with the rubric, so that problems under different judges are different ones.
func TestScenarioIsNamedAfterItsJudge(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	a, b := openScenario(t, url, rubricFile), openScenario(t, url, rubricFile+"votes: 3\n")
	if a.Info().ID() == b.Info().ID() || !strings.HasPrefix(a.Info().ID(), "judge.v1-") || a.Info().ID() != openScenario(t, url, rubricFile).Info().ID() {
		t.Errorf("IDs %s and %s", a.Info().ID(), b.Info().ID())
	}
}

// An episode whose reply has no verdict has no reward, and the reply is not the cause.
func TestEpisodesWithoutVerdictAreLost(t *testing.T) {
	t.Parallel()
	_, url := serve(t, policytest.Status(400))
	s := openScenario(t, url, rubricFile)
	s.jury = open(t, url, rubricFile, nil) // which does not wait
	if step, err := play(t, s, 1, quintain.Reply{Text: "good"}); !errors.Is(err, quintain.ErrLost) || step.Reward != 0 || step.End != quintain.Going {
		t.Errorf("%+v, error %v", step, err)
	}
}

func TestScenarioNeedsItsFile(t *testing.T) {
	t.Parallel()
	if _, err := ReadScenarios(filepath.Join(t.TempDir(), "judge.yaml")); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadScenarios(write(t, "judge.yaml", "rubric: r.yaml\nmodel: m\n")); err == nil || !strings.Contains(err.Error(), "url: want a server") {
		t.Errorf("error %v", err)
	}
}

// judged has the scenario judge replies to problem n.
func judged(t *testing.T, s *Scenario, n int, texts ...string) []quintain.Ruling {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1, Index: n})
	if err != nil {
		t.Fatal(err)
	}
	replies := make([]quintain.Reply, len(texts))
	for i, text := range texts {
		replies[i] = quintain.Reply{Text: text, Finish: quintain.Stop}
	}
	return s.Judge(t.Context(), p, replies)
}

// The replies of a group are judged at once: equal ones by one call, and with a rubric that
// compares, each against the others.
func TestScenarioJudgesGroups(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode    string
		replies []string
		want    string
		calls   int
	}{
		{"absolute", []string{"good", "bad", "good", ""}, "[1 0 1 0]", 2},
		{"pairs", []string{"bad", "good", "bad"}, "[0 1 0]", 2},
		{"rank", []string{"good", "", "good"}, "[1 0 1]", 0},
	} {
		server, url := serve(t)
		s := openScenario(t, url, rubricFile+"mode: "+test.mode+"\n")
		var got []float64
		for i, r := range judged(t, s, 1, test.replies...) {
			if r.Err != nil || r.Step.End != quintain.Terminated || r.Step.Answer != test.replies[i] || r.Step.Malformed != (test.replies[i] == "") {
				t.Errorf("%s: %+v", test.mode, r)
			}
			got = append(got, r.Step.Reward)
		}
		if fmt.Sprint(got) != test.want || len(server.Requests()) != test.calls {
			t.Errorf("%s: rewards %v, want %s; %d calls", test.mode, got, test.want, len(server.Requests()))
		}
	}
}

// A reply that has nobody to be compared with is ungraded; a problem whose reference is unknown
// is a failure.
func TestScenarioCannotJudge(t *testing.T) {
	t.Parallel()
	server, url := serve(t)
	s := openScenario(t, url, rubricFile+"mode: pairs\nreference: solution\n")
	if r := judged(t, s, 1, "good"); !errors.Is(r[0].Err, quintain.ErrUngraded) || !strings.Contains(r[0].Err.Error(), "want a group") {
		t.Errorf("one reply: %+v", r)
	}
	if r := judged(t, s, 6, "good", "bad"); errors.Is(r[1].Err, quintain.ErrUngraded) || r[1].Err == nil {
		t.Errorf("no reference: %+v", r)
	}
	if len(server.Requests()) > 0 {
		t.Errorf("the judge was asked %d times", len(server.Requests()))
	}
}
