package run_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
)

// Every evaluation has the same problem of each label as its example, also after the run was
// resumed.
func TestExamplesAreTheSameProblems(t *testing.T) {
	t.Parallel()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store := queue.NewMemory()
	for range 2 {
		logs, err := artifacts.OpenLogs(kept.Place{Folder: folder}, tiny.Step{})
		if err != nil {
			t.Fatal(err)
		}
		c := config(t, open(t, store))
		c.Settings.ExamProblems, c.Sinks = 4, []run.Sink{logs}
		finish(t, c)
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	}
	exams, err := jsonl.ReadLog[run.ExamLine](folder.Join(datadir.Evaluations))
	if err != nil || len(exams) != 4 {
		t.Fatalf("%d evaluations, error %v", len(exams), err)
	}
	for _, e := range exams {
		if len(e.Examples) != 2 {
			t.Fatalf("%d examples, want one of each task", len(e.Examples))
		}
		for i, one := range e.Examples {
			if want := exams[0].Examples[i]; one.ID != want.ID || one.Label != want.Label || one.Question != want.Question {
				t.Errorf("the example %s is %s, want %s", one.Label, one.ID, want.ID)
			}
			if _, examined := e.Tasks[one.Label]; !examined || one.Question == "" || one.Reply == "" || one.Right != (one.Score == 1) {
				t.Errorf("example %+v", one)
			}
		}
	}
}

func TestExamplesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("日本語", 4<<10)
	played := &quintain.Trajectory{Turns: []quintain.Turn{
		{Observed: []quintain.Message{{Role: quintain.RoleSystem, Content: "Be good."}, {Role: quintain.RoleUser, Content: long}}, Reply: "first"},
		{Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "No. Try again."}}, Reply: long, Reward: 1, Right: true, Why: long},
	}}
	e := run.NewExample("a:1", played)
	if e.Label != "a:1" || e.Score != 1 || !e.Right {
		t.Errorf("example %+v", e)
	}
	for _, text := range []string{e.Question, e.Reply, e.Why} {
		if len(text) > 4<<10 || !utf8.ValidString(text) || !strings.HasPrefix(text, "日本語") || !strings.HasSuffix(text, "…") {
			t.Errorf("a text of %d bytes, which ends with %q", len(text), text[len(text)-6:])
		}
	}
}

// improves is a policy that answers wrongly at version 0 and rightly afterwards.
type improves struct {
	wrong, right quintain.Policy
	version      func() int
}

func (p improves) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if p.version() == 0 {
		return p.wrong.Sample(ctx, r)
	}
	return p.right.Sample(ctx, r)
}

// The report tells what became better on held-out problems, per task, and replays a problem
// of the hardest level that gained most.
func TestTheReportComparesEvaluations(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	c.Streams = slices.Concat(c.Streams, streams(t, "chain_sum"))
	c.Streams[0].Course, c.Streams[2].Course, c.Streams[2].Level = "sums", "sums", 3
	c.Streams = []rollout.Stream{c.Streams[0], c.Streams[2], c.Streams[1]}
	c.Settings.ExamProblems, c.Rules.KeepEqual = 4, true
	var r *run.Run
	wrong, right := solver(c.Streams, 0), solver(c.Streams, 1)
	right.Version = func() int32 { return int32(r.Version()) }
	c.Policy = improves{wrong, right, func() int { return r.Version() }}
	r = begin(t, c)
	if first := r.Report(); first.ExamBefore != nil || first.Replay != nil || first.Tasks[0].DoneBefore != nil {
		t.Errorf("before the run: %+v", first)
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	sums := report.Tasks[0]
	if sums.Label != "sums" || !slices.Equal(sums.Levels, []string{"chain_sum:0", "chain_sum:3"}) || *sums.DoneBefore != 0 || *sums.DoneAfter != 2 || *sums.ExamAfter != 1 || len(sums.ExamCurve) != 2 {
		t.Errorf("the task %+v", sums)
	}
	if p := report.Replay; p == nil || p.Before.Right || !p.After.Right || p.Before.ID != p.After.ID || p.After.Label != "chain_sum:3" || p.VersionBefore != 0 || p.VersionAfter != 5 {
		t.Errorf("replayed %+v", p)
	}
}

// A resumed run reports the first evaluation and the curve of the whole run, if those were of the
// same tasks and levels.
func TestAResumedRunRecallsItsEvaluations(t *testing.T) {
	t.Parallel()
	line := func(mean float64, labels ...string) run.ExamLine {
		l := run.ExamLine{Mean: mean, Tasks: map[string]float64{}}
		for _, label := range labels {
			l.Tasks[label] = mean
		}
		return l
	}
	for _, test := range []struct {
		why   string
		lines []run.ExamLine
		want  []float64 // points of the curve
	}{
		{"no earlier process", nil, nil},
		{"two evaluations", []run.ExamLine{line(0.25, "chain_sum:0", "spell_backward:0"), line(0.5, "chain_sum:0", "spell_backward:0")}, []float64{0.25, 0.5}},
		{"other tasks at first", []run.ExamLine{line(0.9, "chain_sum:0"), line(0.8, "chain_sum:0", "count_bits:0"), line(0.5, "chain_sum:0", "spell_backward:0")}, []float64{0.5}},
		{"other tasks at last", []run.ExamLine{line(0.5, "chain_sum:0", "spell_backward:0"), line(0.9, "chain_sum:1", "spell_backward:0")}, nil},
	} {
		c := config(t, open(t, queue.NewMemory()))
		c.Settings.ExamProblems = 4
		r := begin(t, c)
		r.Recall(test.lines)
		report := r.Report()
		if got := report.Tasks[0].ExamCurve; !slices.Equal(got, test.want) || (report.ExamBefore != nil) != (len(test.want) > 0) || (report.ExamAfter != nil) != (len(test.want) > 1) {
			t.Errorf("%s: the report has %v, from %v to %v", test.why, got, report.ExamBefore, report.ExamAfter)
		}
		if report.ExamBefore != nil && (*report.ExamBefore != test.want[0] || *report.Tasks[1].ExamBefore != test.want[0]) {
			t.Errorf("%s: the report begins with %v", test.why, *report.ExamBefore)
		}
	}
}

// everySecond solves the problems of even indices.
type everySecond struct{ right, wrong quintain.Policy }

func (p *everySecond) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	id, _, _ := strings.Cut(r.Key, "#")
	id, _, _ = strings.Cut(id, "~")
	if strings.ContainsRune("02468", rune(id[len(id)-1])) {
		return p.right.Sample(ctx, r)
	}
	return p.wrong.Sample(ctx, r)
}

// When every reply is right for minutes, the run says once that nothing is left to learn, and
// what to do.
func TestNothingLeftToLearn(t *testing.T) {
	for _, test := range []struct {
		why      string
		accuracy float64
		minutes  float64
		half     bool // every second problem is solved, the others never
		says     string
	}{
		{"all is right", 1, 12, false, "stays at 1.000"},
		{"all is right for a short time", 1, 3, false, ""},
		{"replies differ", 0.5, 12, false, ""},
		{"all is wrong, which other advice is for", 0, 12, false, ""},
		{"half is always right, and half never", 1, 12, true, "% of these because every reply is right, the others because none is better"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := config(t, open(t, queue.NewMemory())), &events{}
			policy := solver(c.Streams, test.accuracy)
			policy.Delay = 3 * time.Second
			c.Policy, c.Sinks = policy, []run.Sink{seen}
			if test.half {
				c.Policy = &everySecond{policy, solver(c.Streams, 0)}
			}
			c.Settings.Parallel, c.Settings.Steps, c.Settings.Minutes, c.Settings.ExamProblems, c.Settings.ExamEvery = 4, 0, test.minutes, 4, time.Minute
			_, report := finish(t, c)
			var texts []string
			for _, said := range of[run.Said](seen) {
				if strings.Contains(said.Text, "left to learn") {
					texts = append(texts, said.Text)
				}
			}
			if (test.says != "") != (len(texts) == 1 && strings.Contains(texts[0], "--tasks") && strings.Contains(texts[0], test.says) && strings.Contains(texts[0], "held-out score stays at ") && slices.Contains(report.Advice, texts[0])) || len(texts) > 1 {
				t.Errorf("%s: it says %q, and advises %q", test.why, texts, report.Advice)
			}
		})
	}
}

// blocked is a policy that samples once it is open.
type blocked struct {
	quintain.Policy
	asked, open chan struct{} // asked has an element when somebody waits
}

func (p blocked) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	select {
	case p.asked <- struct{}{}:
	default:
	}
	<-p.open
	return p.Policy.Sample(ctx, r)
}

// Players outside play while the first evaluation is held.
func TestPlayersOutsideDoNotWaitForAnEvaluation(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	c.Settings.ExamProblems = 1
	p := blocked{c.Policy, make(chan struct{}, 1), make(chan struct{})}
	c.Policy = p
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c.Players.Play = func(ctx context.Context, table *run.Table) error {
		<-p.asked
		if err := table.Enter(ctx); err != nil {
			return err
		}
		table.Leave()
		close(p.open)
		<-ctx.Done()
		return nil
	}
	c.Sinks = []run.Sink{sinkFunc(func(e run.Event) error {
		if _, ok := e.(run.Examined); ok {
			stop()
		}
		return nil
	})}
	if err := begin(t, c).Run(ctx); err != nil {
		t.Fatal(err)
	}
}

// Players outside wait for it if the run trains its policy: else it would be of weights that they
// have changed.
func TestTheFirstEvaluationIsOfTheFirstWeights(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	c.Settings.ExamProblems = 1
	c.Trainer.Consumer = run.Train(&learner{})
	examined := false
	c.Players.Play = func(context.Context, *run.Table) error {
		if !examined {
			t.Error("they play before it")
		}
		return nil
	}
	c.Sinks = []run.Sink{sinkFunc(func(e run.Event) error {
		if _, ok := e.(run.Examined); ok {
			examined = true
		}
		return nil
	})}
	if err := begin(t, c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
