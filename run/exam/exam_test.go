package exam_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A space is a scenario of n questions. It asks number Index·step mod n; odd and even
// indices word a question differently.
type space struct {
	n, step int
	file    bool // its size is known
	env     func(p quintain.Problem) (quintain.Env, error)
}

func (s space) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "space", Version: 1, Default: true}
}

func (s space) TaskInfo() quintain.Info {
	return quintain.Info{Name: "space", Levels: []json.RawMessage{[]byte("{}")}}
}

func (s space) Problem(d quintain.Draw) (quintain.Problem, error) {
	at := d.Index * s.step % s.n
	return quintain.Problem{
		Task: "space", Scenario: "space.v1", Seed: d.Seed, Index: d.Index,
		Prompt: fmt.Sprintf("%s question %d", []string{"A", "Another"}[d.Index%2], at), Instance: quintain.NewRecord(at),
	}, nil
}

func (s space) Key(p quintain.Problem) (quintain.Key, error) {
	return quintain.NewKey(p.Instance.String()), nil
}

func (s space) Env(p quintain.Problem) (quintain.Env, error) {
	if s.env == nil {
		panic("an environment is opened")
	}
	return s.env(p)
}

func (s space) Size(int) int {
	if s.file {
		return s.n
	}
	return 0
}

// sets returns the sets of one space.
func sets(t *testing.T, s space, how exam.Settings) []exam.Set {
	t.Helper()
	all, err := exam.NewSets(t.Context(), []rollout.Stream{{Scenario: s, Weight: 1}}, how)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why      string
		space    space
		how      exam.Settings
		want     int
		complete bool
	}{
		{"a large space", space{n: 1_000_000, step: 7919}, exam.Settings{Split: exam.HeldOutSide}, 64, false},
		{"as many as are wanted", space{n: 1_000_000, step: 7919}, exam.Settings{Split: exam.HeldOutSide, Problems: 9}, 9, false},
		{"a small space is taken completely", space{n: 40, step: 3}, exam.Settings{Split: exam.BothSides}, 40, true},
		{"one side of a small space", space{n: 40, step: 3}, exam.Settings{Split: exam.TrainedSide}, 39, true},
		{"a file, once through", space{n: 200, step: 1, file: true}, exam.Settings{Split: exam.BothSides}, 200, true},
		{"a short file", space{n: 12, step: 1, file: true}, exam.Settings{Split: exam.BothSides}, 12, true},
		{"some rows of a file", space{n: 200, step: 1, file: true}, exam.Settings{Split: exam.BothSides, Problems: 10}, 10, false},
		{"the side of a file that is left out of training", space{n: 200, step: 1, file: true}, exam.Settings{Split: exam.HeldOutSide}, 15, true},
	} {
		set := sets(t, test.space, test.how)[0]
		if len(set.Problems) != test.want || set.Distinct != test.want || set.Complete != test.complete {
			t.Errorf("%s: %d problems, complete: %v; want %d, %v", test.why, len(set.Problems), set.Complete, test.want, test.complete)
		}
		asked := map[string]bool{}
		for _, p := range set.Problems {
			if key, err := test.space.Key(p); err != nil || !test.how.Split.Has(key) || asked[p.Instance.String()] {
				t.Errorf("%s: problem %s is on the wrong side, or asked twice (error %v)", test.why, p.ID(), err)
			}
			asked[p.Instance.String()] = true
		}
	}
	var told [2]int
	sets(t, space{n: 40, step: 3}, exam.Settings{Split: exam.BothSides, Told: func(done, total int) { told = [2]int{done, total} }})
	if told != [2]int{1, 1} {
		t.Errorf("of one set, %v are told", told)
	}
}

// Every row of a file is asked; the count of questions leaves out repeated ones.
func TestRowsThatRepeatAQuestion(t *testing.T) {
	t.Parallel()
	set := sets(t, space{n: 12, step: 4, file: true}, exam.Settings{Split: exam.BothSides})[0]
	if len(set.Problems) != 12 || set.Distinct != 3 || !set.Complete {
		t.Errorf("%d problems, %d questions, complete: %v; want 12, 3, true", len(set.Problems), set.Distinct, set.Complete)
	}
}

func TestTheSidesOfASplitAreAllAndShareNothing(t *testing.T) {
	t.Parallel()
	held := 0
	for i := range 10_000 {
		key := quintain.NewKey(fmt.Sprint(i))
		if exam.HeldOutSide.Has(key) == exam.TrainedSide.Has(key) || !exam.BothSides.Has(key) {
			t.Fatalf("key %d is on both sides, or on none", i)
		}
		if key.HeldOut() {
			held++
		}
	}
	if held < 900 || held > 1100 {
		t.Errorf("%d of 10,000 are held out, want about a tenth", held)
	}
}

// All problems of a family are on one side, and have keys of their own.
func TestFamiliesAreOnOneSide(t *testing.T) {
	t.Parallel()
	held := 0
	for family := range 1000 {
		name, keys := fmt.Sprint(family), map[quintain.Key]bool{}
		side := quintain.NewFamilyKey(name, "").HeldOut()
		for i := range 20 {
			key := quintain.NewFamilyKey(name, fmt.Sprint(i))
			keys[key] = true
			if key.HeldOut() != side {
				t.Fatalf("family %d is on both sides", family)
			}
		}
		if len(keys) != 20 {
			t.Fatalf("20 problems of a family have %d keys", len(keys))
		}
		if side {
			held++
		}
	}
	if held < 70 || held > 130 {
		t.Errorf("%d of 1,000 families are held out, want about a tenth", held)
	}
}

// An ask is an episode. The right reply is the problem's number.
type ask struct{ p quintain.Problem }

func (a ask) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: a.p.Prompt}}, nil
}

func (a ask) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	step := quintain.Step{Answer: r.Text, End: quintain.Terminated}
	if r.Text == a.p.Instance.String() {
		step.Right, step.Reward = true, 1
	}
	return step, nil
}

func (a ask) Close() error { return nil }

// asking is a space that can be played.
func asking(n int) space {
	return space{n: n, step: 1, file: true, env: func(p quintain.Problem) (quintain.Env, error) { return ask{p}, nil }}
}

// knows is a policy that answers question q right in the first r(q) of its samples, and
// says "no" otherwise.
func knows(r func(q int) int) script.Say {
	return func(req quintain.Request, k int) (string, quintain.Finish) {
		q := 0
		if _, err := fmt.Sscanf(strings.SplitN(req.Messages[0].Content, "question ", 2)[1], "%d", &q); err != nil {
			panic(err)
		}
		if k < r(q) {
			return fmt.Sprint(q), quintain.Stop
		}
		return "no", quintain.Stop
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	e := exam.Exam{
		Sets: sets(t, asking(10), exam.Settings{Split: exam.BothSides}), Samples: 4, Parallel: 8,
		Policy: knows(func(q int) int { return q % 5 }), // 0, 1, 2, 3, 4 of 4 samples are right
	}
	var told exam.Progress
	e.Told = func(p exam.Progress) { told = p }
	report, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := report.Rows[0]
	if told != (exam.Progress{Done: 10, Total: 10}) || report.Episodes[quintain.Scored] != 40 {
		t.Errorf("told %+v, episodes %v", told, report.Episodes)
	}
	if *report.Mean != 0.5 || *row.Mean != 0.5 || row.Scored != 10 || !row.Complete || row.Label != "space:0" {
		t.Errorf("row %+v, mean %v", row, *report.Mean)
	}
	if w := row.Within; w.Low > 0.35 || w.Low < 0.2 || w.High < 0.65 || w.High > 0.8 {
		t.Errorf("interval %+v", w)
	}
	want := []exam.At{{1, 0.5, 0.5}, {2, (0 + 1 - 3./6 + 1 - 1./6 + 1 + 1) / 5, 0.5}, {4, 0.8, 0.5}} // two against two is half a vote
	for i, at := range row.At {
		if at.K != want[i].K || math.Abs(at.Pass-want[i].Pass) > 1e-9 || math.Abs(at.Majority-want[i].Majority) > 1e-9 {
			t.Errorf("%+v, want %+v", at, want[i])
		}
	}
}

// fails is a policy with a server that is down from the n-th request on.
type fails struct {
	quintain.Policy
	left int
}

func (f *fails) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if f.left--; f.left < 0 {
		return nil, errors.New("connection refused")
	}
	return f.Policy.Sample(ctx, r)
}

// A failure is never a score, and too many of them end the evaluation.
func TestFailuresAreNoScores(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why       string
		works     int // requests that are answered
		maxFailed float64
		scored    int
		fails     bool
	}{
		{"a dead server", 0, 0.1, 0, true},
		{"a dead server, and all may fail", 0, 1, 0, false},
		{"a server that dies", 12, 0.1, 12, true},
		{"a few failures", 18, 0.1, 18, false},
	} {
		policy := &fails{knows(func(int) int { return 1 }), test.works}
		e := exam.Exam{Sets: sets(t, asking(20), exam.Settings{Split: exam.BothSides}), Policy: policy, MaxFailed: test.maxFailed}
		report, err := e.Run(t.Context())
		var failed *exam.FailedError
		if errors.As(err, &failed) != test.fails || err != nil && !test.fails {
			t.Errorf("%s: error %v", test.why, err)
		}
		if test.fails && (!strings.Contains(err.Error(), "connection refused") || failed.Failed != 3) {
			t.Errorf("%s: error %v, want it at the third failure, with its cause", test.why, err)
		}
		if row := report.Rows[0]; row.Scored != test.scored || (row.Mean == nil) != (test.scored == 0) || row.Mean != nil && *row.Mean != 1 {
			t.Errorf("%s: %+v", test.why, row)
		}
		if (report.Mean == nil) != (test.scored == 0) || report.LastFault != "connection refused" {
			t.Errorf("%s: mean %v, last fault %q", test.why, report.Mean, report.LastFault)
		}
		if text, err := json.Marshal(report); err != nil || test.scored == 0 && !strings.Contains(string(text), `"mean_score":null`) {
			t.Errorf("%s: written as %s, error %v", test.why, text, err)
		}
	}
}

// once fails each first request of an episode, and every request outside of evaluations.
type once struct {
	quintain.Policy
	err   error
	asked sync.Map // keys
}

func (o *once) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	key, _, _ := strings.Cut(r.Key, "~")
	if _, again := o.asked.LoadOrStore(key, true); !again || !r.Exam {
		return nil, o.err
	}
	return o.Policy.Sample(ctx, r)
}

// An episode is played again after a failure of the policy, if replays are allowed.
func TestFailuresArePlayedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		replays int
		err     error
		scored  int
		ends    bool // with the error
	}{
		{"a server that drops each first request", 1, errors.New("reset"), 20, false},
		{"nothing is played again", 0, errors.New("reset"), 0, false},
		{"a failure that is final", 1, quintain.ErrFinal, 0, false},
		{"a policy that wants nothing more to be played", 1, quintain.ErrStop, 0, true},
	} {
		e := exam.Exam{
			Sets: sets(t, asking(20), exam.Settings{Split: exam.BothSides}), Policy: &once{Policy: knows(func(int) int { return 1 }), err: test.err},
			Replays: test.replays, MaxFailed: 1,
		}
		report, err := e.Run(t.Context())
		if errors.Is(err, test.err) != test.ends || err != nil && !test.ends || report.Rows[0].Scored != test.scored {
			t.Errorf("%s: error %v, %d scored", test.why, err, report.Rows[0].Scored)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	e := exam.Exam{Sets: sets(t, asking(50), exam.Settings{Split: exam.BothSides}), Policy: knows(func(int) int { return 1 })}
	e.Told = func(p exam.Progress) {
		if p.Done == 10 {
			stop(enough)
		}
	}
	report, err := e.Run(ctx)
	if !errors.Is(err, enough) || report.Rows[0].Scored < 10 || report.Rows[0].Scored > 12 {
		t.Errorf("error %v, %d scored", err, report.Rows[0].Scored)
	}
}

// A set without problems, as of a level of which none is held out, is not counted.
func TestCount(t *testing.T) {
	if n, with := exam.Count([]exam.Set{{Problems: make([]quintain.Problem, 3)}, {}, {Problems: make([]quintain.Problem, 2)}}); n != 5 || with != 2 {
		t.Errorf("%d problems of %d sets, want 5 of 2", n, with)
	}
}

func TestStreamsThatAreHeldOut(t *testing.T) {
	t.Parallel()
	streams := []rollout.Stream{{Scenario: space{n: 50, step: 1, file: true}, Weight: 1, Label: "train"}, {Scenario: space{n: 50, step: 1, file: true}, Weight: 1, Label: "test", HeldOut: true}}
	for split, want := range map[exam.Side]string{exam.AutoSide: "test", exam.HeldOutSide: "test", exam.TrainedSide: "train"} {
		got, err := exam.NewSets(t.Context(), streams, exam.Settings{Split: split, Problems: 3})
		if err != nil || len(got) != 1 || got[0].Label != want {
			t.Errorf("%s: %d sets, %v, want one of %s", split, len(got), err, want)
		}
	}
	if left := rollout.Trained(streams); len(left) != 1 || left[0].Label != "train" {
		t.Errorf("%v are trained on", left)
	}
}
