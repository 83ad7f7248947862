package regrade

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// A lengths is a scenario whose environment pays the length of each reply, until one has a full stop.
type lengths struct {
	quintain.Scenario
	state   bool // it cannot be played again
	version int
	fault   func(reply string) error
}

func (s lengths) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "lengths", Version: s.version, Default: true, Replayable: !s.state}
}
func (lengths) TaskInfo() quintain.Info                            { return quintain.Info{Name: "t", Version: 1} }
func (s lengths) Solve(quintain.Problem) (string, error)           { return "gold", nil }
func (s lengths) Env(quintain.Problem) (quintain.Env, error)       { return &measure{s}, nil }
func (s lengths) find(quintain.Problem) (quintain.Scenario, error) { return s, nil }

type measure struct{ of lengths }

func (*measure) Open(context.Context) ([]quintain.Message, error) { return say("q"), nil }
func (*measure) Close() error                                     { return nil }
func (m *measure) Step(_ context.Context, r quintain.Reply) (step quintain.Step, err error) {
	if m.of.fault != nil {
		err = m.of.fault(r.Text)
	}
	step = quintain.Step{Reward: float64(len(r.Text) * m.of.version), Right: strings.Contains(r.Text, "right"), Observe: say("go on"), Answer: r.Text, Why: "its length"}
	if strings.Contains(r.Text, ".") {
		step.End, step.Observe = quintain.Terminated, nil
	}
	return step, err
}

func say(text string) []quintain.Message {
	return []quintain.Message{{Role: quintain.RoleUser, Content: text}}
}

// graded is a group of problem n with rewards, whose episodes have these replies, one after another.
func graded(n int, rewards []float64, talks ...string) *trace.Record {
	r := played(n, 5, talks...)
	r.Scores, r.Drop = rewards, ""
	for i, talk := range talks {
		t := &r.Episodes[i]
		t.Outcome, t.Error, t.End = quintain.Scored, "", quintain.Terminated
		first := t.Turns[0]
		t.Turns = nil
		for reply := range strings.SplitSeq(talk, "|") {
			first.Reply = reply
			if t.Turns != nil {
				first.Observed = say("go on")
			}
			t.Turns = append(t.Turns, first)
		}
		t.Turns[len(t.Turns)-1].Reward = rewards[i]
	}
	return r
}

// regrade grades the folder by a scenario, and returns what changed and the gradings on disk.
func (f *folder) regrade(t *testing.T, by lengths, change func(*Job)) (*Changes, []*trace.Grading, error) {
	t.Helper()
	f.plan.Find = by.find
	j := Job{Data: f.path, Program: "test", Log: slog.New(slog.DiscardHandler), Grader: Task(), Show: "show %s", Plan: func(context.Context, []byte) (Plan, error) { return f.plan, nil }}
	if change != nil {
		change(&j)
	}
	sum, err := Run(t.Context(), j)
	to, have, lost, fault := trace.OpenGradings(filepath.Join(f.path, datadir.Trace, trace.GradingsName))
	if fault != nil || lost > 0 {
		t.Fatalf("%d gradings are lost, error %v", lost, fault)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return sum, have, err
}

// What changed is told by episodes, pairs and groups, and the old rewards are kept beside the new ones.
func TestWhatChangedIsTold(t *testing.T) {
	f := newFolder(t,
		graded(1, []float64{1, 0, 3}, "a right.", "abc.", "ab."), // one is right now; two of the three pairs turn
		graded(2, []float64{1, 2}, "ab.", "cd."),                 // equal now
		graded(3, []float64{4, 4}, "abc.", "a|bc."),              // the same; of two turns
	)
	sum, have, err := f.regrade(t, lengths{version: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "groups 3 known 0, episodes 7 compared 7 ungraded 0, same 3 right 1 wrong 0, pairs 3 turned 2, equal 1 apart 0, tau -0.333"
	if got := fmt.Sprintf("groups %d known %d, episodes %d compared %d ungraded %d, same %d right %d wrong %d, pairs %d turned %d, equal %d apart %d, tau %.3f",
		sum.Groups, sum.Known, sum.Episodes, sum.Compared, sum.Ungraded, sum.Same, sum.ToRight, sum.ToWrong, sum.Pairs, sum.Turned, sum.NowEqual, sum.NowApart, *sum.Correlation); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if row := sum.Tasks.Rows[0]; row.Label != "t" || row.Problems != 3 || row.Within == nil || sum.Tasks.Before != (4./3+1.5+4)/3 {
		t.Errorf("by task %+v, before %v", row, sum.Tasks.Before)
	}
	if c := sum.Changed[0]; len(sum.Changed) != 4 || !c.Flipped() || c.Show != "show "+played(1, 0).Group() || *c.Was != 1 || *c.Reward != 8 || c.Why != "its length" {
		t.Errorf("changed: %+v", sum.Changed)
	}
	i := slices.IndexFunc(have, func(g *trace.Grading) bool { return g.Group == played(3, 0).Group() })
	if g := have[i]; len(have) != 3 || fmt.Sprint(g.Grades[1].Turns, *g.Grades[1].Was, g.Scores) != "[1 3] 4 [4 4]" || g.Grader.Version != "lengths.v1/t.v1" {
		t.Errorf("%d gradings, %+v", len(have), g)
	}
	if r := f.newest(t, 1); fmt.Sprint(r.Scores, r.Episodes[0].Turns[0].Reward) != "[1 0 3] 1" {
		t.Errorf("the record has changed: %v", r.Scores)
	}
}

// Repeated, or gone on with after a kill in the midst of a write, nothing is graded twice by one grader;
// another version of it is another grader.
func TestAGroupIsGradedOnceByEachGrader(t *testing.T) {
	f := newFolder(t, graded(1, []float64{1, 0}, "a.", "ab."), graded(2, []float64{1, 2}, "ab.", "cd."))
	path := filepath.Join(f.path, datadir.Trace, trace.GradingsName)
	for n, test := range []struct {
		why                   string
		version, known, stand int
		cut                   int64 // bytes taken off the file before
	}{
		{"the first time", 1, 0, 2, 0}, {"again", 1, 2, 2, 0}, {"after a kill in a write", 1, 1, 2, 5},
		{"of another version", 2, 0, 4, 0}, {"both are known", 1, 2, 4, 0},
	} {
		if test.cut > 0 {
			info, err := os.Stat(path)
			if err == nil {
				err = os.Truncate(path, info.Size()-test.cut)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sum, have, err := f.regrade(t, lengths{version: test.version}, nil)
		if err != nil || sum.Known != test.known || len(have) != test.stand || sum.Groups != 2 || *sum.Changed[0].Was != 1 {
			t.Errorf("%d, %s: %d known, %d on disk, error %v, want %d and %d", n, test.why, sum.Known, len(have), err, test.known, test.stand)
		}
	}
}

// Of a damaged trace the rest is graded, and what is lost is told with the file.
func TestDamageIsTold(t *testing.T) {
	f := newFolder(t, graded(1, []float64{1, 0}, "a.", "ab."))
	path := filepath.Join(f.path, datadir.Trace, "000001.trace")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, _, err := f.regrade(t, lengths{version: 1}, nil)
	if err != nil || sum.Lost != 1 || len(sum.Damage) != 1 || !strings.Contains(sum.Damage[0], "000001.trace: 1 block with 1 group cannot be read") {
		t.Errorf("%+v, error %v", sum, err)
	}
}

// An episode that cannot be graded is ungraded, counted with the reason, never 0, and tried again.
func TestWhatCannotBeGradedIsUngraded(t *testing.T) {
	for _, test := range []struct {
		why    string
		record *trace.Record
		by     lengths
		says   string
		last   int // episodes that are ungraded
	}{
		{"the environment fails", graded(1, []float64{1, 1}, "a.", "bad."), lengths{version: 1, fault: func(reply string) error {
			if reply == "bad." {
				return errors.New("it broke")
			}
			return nil
		}}, "it broke", 1},
		{"it panics", graded(1, []float64{1, 1}, "a.", "b."), lengths{version: 1, fault: func(string) error { panic("no") }}, "panic: no", 2},
		{"it needs the state of the episode", graded(1, []float64{1, 1}, "a.", "b."), lengths{version: 1, state: true}, "needs the state", 2},
		{"it would go on", graded(1, []float64{1, 1}, "a.", "b"), lengths{version: 1}, "would go on now", 1},
		{"it says something else", changed(graded(1, []float64{1, 1}, "a.", "b|c."), func(t *quintain.Trajectory) { t.Turns[1].Observed = say("stop") }), lengths{version: 1}, "does not say any more", 1},
		{"it failed", changed(graded(1, []float64{1, 1}, "a.", "b."), func(t *quintain.Trajectory) { t.Outcome = quintain.InfraFailed }), lengths{version: 1}, "not complete", 1},
		{"a seat of a match", changed(graded(1, []float64{1, 1}, "a.", "b."), func(t *quintain.Trajectory) { t.Match = &quintain.Match{ID: "m"} }), lengths{version: 1}, "one seat of a match", 1},
		{"a reward that is no number", graded(1, []float64{1, 1}, "a.", "b."), lengths{version: 1e9}, "want a number from", 2},
	} {
		f := newFolder(t, test.record)
		for range 2 {
			sum, have, err := f.regrade(t, test.by, nil)
			if err != nil || sum.Ungraded != test.last || !strings.Contains(fmt.Sprint(sum.Why), test.says) || sum.Compared != 2-test.last || len(have) != 2-test.last {
				t.Errorf("%s: %d ungraded, %v, %d gradings, error %v", test.why, sum.Ungraded, sum.Why, len(have), err)
			}
			if vain := sum.Vain(); (vain != nil) != (test.last == 2) || vain != nil && !strings.Contains(vain.Error(), test.says) {
				t.Errorf("%s: %d are ungraded, and all are: %v", test.why, test.last, vain)
			}
			for _, g := range have {
				if g.Grades[1].Reward != nil || g.Scores != nil {
					t.Errorf("%s: an ungraded episode has the reward %v, the group the scores %v", test.why, *g.Grades[1].Reward, g.Scores)
				}
			}
		}
	}
}

// changed is a record whose last episode change changes.
func changed(r *trace.Record, change func(*quintain.Trajectory)) *trace.Record {
	change(&r.Episodes[len(r.Episodes)-1])
	return r
}

// Groups that were never kept go into the queue under the new scores, if they teach something and are
// fresh, once.
func TestDroppedGroupsAreQueuedAnew(t *testing.T) {
	dropped := func(n int, version int32, rewards []float64, talks ...string) *trace.Record {
		r := graded(n, rewards, talks...)
		r.Drop = string(rollout.DropEqual)
		for i := range r.Episodes {
			r.Episodes[i].Turns[0].Versions = []int32{version, version}
		}
		return r
	}
	f := newFolder(t, dropped(1, 5, []float64{1, 1}, "a.", "abc."), dropped(2, 5, []float64{1, 1}, "a.", "b."), dropped(3, 1, []float64{1, 1}, "a.", "abc."), graded(4, []float64{1, 0}, "a.", "abc."))
	for range 3 {
		sum, have, err := f.regrade(t, lengths{version: 1}, func(j *Job) { j.Queue = true })
		if err != nil || len(have) != 4 || sum.Groups != 4 {
			t.Fatalf("%+v, %d gradings, error %v", sum, len(have), err)
		}
		if got := f.queued(t); len(got) != 1 || fmt.Sprint(got[played(1, 0).Group()]) != "[2 4]" {
			t.Errorf("the queue has %v", got)
		}
		if a, b, c := f.newest(t, 1), f.newest(t, 2), f.newest(t, 3); a.Drop != "" || fmt.Sprint(a.Scores) != "[2 4]" || b.Drop != string(rollout.DropEqual) || c.Drop != string(rollout.DropStale) {
			t.Errorf("recorded as %q %v, %q and %q", a.Drop, a.Scores, b.Drop, c.Drop)
		}
		if n := f.records(t); n != 6 { // two have a second one
			t.Errorf("the trace has %d records", n)
		}
	}
}

// records is the number of records of the trace.
func (f *folder) records(t *testing.T) int {
	t.Helper()
	r, err := trace.Open(filepath.Join(f.path, datadir.Trace))
	if err != nil {
		t.Fatal(err)
	}
	return r.Len()
}

// A program reads the episode with its solution, and says what it thinks of it.
func TestPrograms(t *testing.T) {
	for _, test := range []struct {
		why, script string
		ungraded    int
		says        string // in the grading, or why there is none
	}{
		{"a reward with metrics", `grep -q '"solution":"gold"' && echo '{"reward": 0.5, "right": true, "why": "so so", "metrics": {"style": 2}}'`, 0, "so so"},
		{"it needs the state", `cat >/dev/null; echo '{"needs_state": true}'`, 2, "needs the state"},
		{"no reward", `cat >/dev/null; echo '{}'`, 2, "no reward"},
		{"no JSON", `cat >/dev/null; echo good`, 2, "its output"},
		{"it fails", `cat >/dev/null; exit 3`, 2, "exit status 3"},
		{"too large", `cat >/dev/null; echo '{"reward": 1e9}'`, 2, "want a number from"},
	} {
		f := newFolder(t, graded(1, []float64{1, 0}, "a.", "ab."))
		path := filepath.Join(t.TempDir(), "grade.sh")
		if err := os.WriteFile(path, []byte(test.script), 0o600); err != nil {
			t.Fatal(err)
		}
		by, err := Open("sh " + path)
		if err != nil {
			t.Fatal(err)
		}
		sum, have, err := f.regrade(t, lengths{version: 1}, func(j *Job) { j.Grader = by })
		if err != nil || sum.Ungraded != test.ungraded {
			t.Fatalf("%s: %+v, error %v", test.why, sum, err)
		}
		if test.ungraded > 0 && !strings.Contains(fmt.Sprint(sum.Why), test.says) || test.ungraded == 0 && (have[0].Grades[0].Why != test.says || have[0].Grades[0].Metrics["style"] != 2 || !have[0].Grades[1].Right) {
			t.Errorf("%s: %v, %v", test.why, sum.Why, have)
		}
	}
	path := filepath.Join(t.TempDir(), "g.py")
	var hashes []string
	for _, text := range []string{"one", "two", "one"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		hash, err := hashOf("sh " + path)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, hash)
	}
	if hashes[0] == hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("hashes %v: another text of the program is another grader", hashes)
	}
}
