package regrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A panel is a scenario whose judge gives the length of a reply as its reward, unless it is away.
type panel struct {
	quintain.Scenario
	away func(p quintain.Problem) error
}

func (panel) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "panel", Version: 1, Default: true}
}
func (panel) TaskInfo() quintain.Info { return quintain.Info{Name: "t"} }

func (s panel) Judge(_ context.Context, p quintain.Problem, replies []quintain.Reply) []quintain.Ruling {
	rulings := make([]quintain.Ruling, len(replies))
	for i, r := range replies {
		rulings[i].Step = quintain.Step{Reward: float64(len(r.Text)), End: quintain.Terminated}
		if s.away != nil {
			rulings[i].Err = s.away(p)
		}
	}
	return rulings
}

// played is a group of problem n whose replies have these texts, sampled by weights of a version.
func played(n int, version int32, texts ...string) *trace.Record {
	r := &trace.Record{
		Problem: quintain.Problem{Scenario: "panel.v1", Task: "t", Version: 1, Index: n, Params: json.RawMessage("{}")},
		Drop:    string(rollout.DropUngraded), Version: int(version), Time: time.Unix(int64(n), 0).UTC(),
	}
	for i, text := range texts {
		r.Episodes = append(r.Episodes, quintain.Trajectory{
			ID: fmt.Sprintf("%s#%d", r.Group(), i), Problem: r.Problem, Vocabulary: quintain.UTF8, Outcome: quintain.Ungraded, Error: "the judge is away", Took: time.Second,
			Turns: []quintain.Turn{{
				Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "q"}}, Reply: text, Read: []quintain.Token{1},
				Wrote: []quintain.Token{2, 3}, LogProbs: []float32{-1, -1}, Versions: []int32{version, version}, Finish: quintain.Stop,
			}},
		})
	}
	return r
}

// A folder is a data folder with a trace.
type folder struct {
	path string
	plan Plan
}

// newFolder makes a folder with records.
func newFolder(t *testing.T, records ...*trace.Record) *folder {
	t.Helper()
	f := &folder{path: t.TempDir(), plan: Plan{
		Rules: rollout.Rules{Size: 2, Estimator: rollout.GRPO, TurnDiscount: 1},
		Bound: queue.Bound{MaxLag: 2}, Store: host.DefaultStore(), Trace: trace.Default(),
	}}
	f.plays(panel{})
	w, err := trace.NewWriter(filepath.Join(f.path, datadir.Trace), trace.Head{Run: "r", Settings: json.RawMessage(`{"a":1}`)}, f.plan.Trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

// plays has a scenario play the problems.
func (f *folder) plays(s panel) { f.plan.Find = Judged([]rollout.Stream{{Scenario: s}}) }

// resume goes over the folder.
func (f *folder) resume(t *testing.T) (*Changes, error) {
	t.Helper()
	return Run(t.Context(), Job{Data: f.path, Program: "test", Log: slog.New(slog.DiscardHandler), Grader: Task(), Left: true, Queue: true, Show: "%s", Plan: func(_ context.Context, settings []byte) (Plan, error) {
		if string(settings) != `{"a":1}` {
			t.Errorf("the settings are %s", settings)
		}
		return f.plan, nil
	}})
}

// open opens the folder's queue until the test ends or it is closed.
func (f *folder) open(t *testing.T) *host.Host {
	t.Helper()
	server := web.Default()
	server.Port = 0
	h, err := host.Open(t.Context(), host.Config{Data: f.path, Program: "test", Server: server, Hub: hub.Default(), Store: f.plan.Store, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// queued returns the groups that wait, by ID, with their scores.
func (f *folder) queued(t *testing.T) map[string][]float64 {
	t.Helper()
	h := f.open(t)
	defer h.Close()
	got, err := h.Queue().Lease(t.Context(), queue.Want{Consumer: "test", Max: 100, For: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]float64{}
	for _, d := range got {
		found[d.Group.ID] = d.Group.Scores
	}
	return found
}

// newest returns the newest record of problem n.
func (f *folder) newest(t *testing.T, n int) *trace.Record {
	t.Helper()
	r, err := trace.Open(filepath.Join(f.path, datadir.Trace))
	if err != nil {
		t.Fatal(err)
	}
	found := r.Find(trace.Query{Group: played(n, 0).Group(), Newest: true, Limit: 1})
	if len(found) == 0 {
		t.Fatalf("the trace has no group of problem %d", n)
	}
	record, err := r.Read(found[0].Ref)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// Groups without a verdict are judged, kept by the rules of the run, and recorded; a second time
// there is nothing to do.
func TestUngradedGroupsAreJudgedAndKept(t *testing.T) {
	scored := played(9, 5, "x", "xx")
	scored.Drop = "stale"
	f := newFolder(t, played(1, 5, "a", "aaa"), played(2, 5, "aa", "bb"), played(3, 1, "a", "bbb"), played(4, 3, "aa", "b"), scored)
	for range 2 {
		report, err := f.resume(t)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.newest(t, 1); got.Drop != "" || fmt.Sprint(got.Scores) != "[1 3]" || got.Advantages == nil || got.Episodes[1].Outcome != quintain.Scored || got.Episodes[1].Error != "" || got.Episodes[1].Took != time.Second || got.Version != 5 {
			t.Errorf("recorded as %+v", got)
		}
		if a, b := f.newest(t, 2).Drop, f.newest(t, 3).Drop; a != string(rollout.DropEqual) || b != string(rollout.DropStale) {
			t.Errorf("dropped as %q and %q", a, b)
		}
		if want := map[string][]float64{played(1, 0).Group(): {1, 3}, played(4, 0).Group(): {2, 1}}; fmt.Sprint(f.queued(t)) != fmt.Sprint(want) {
			t.Errorf("the queue has %v, want %v", f.queued(t), want)
		}
		if report.Queued+report.Dropped[rollout.DropEqual]+report.Dropped[rollout.DropStale] == 0 {
			return
		}
		if report.Queued != 2 || report.Left != 0 || len(report.Dropped) != 2 {
			t.Errorf("%+v", report)
		}
	}
	t.Error("the second time there was something to do")
}

// What the judge cannot judge now either stays as it is, and is judged the next time.
func TestWhatIsLeftIsJudgedTheNextTime(t *testing.T) {
	f := newFolder(t, played(1, 5, "a", "aaa"), played(2, 5, "a", "bb"))
	f.plays(panel{away: func(p quintain.Problem) error {
		if p.Index == 2 {
			return fmt.Errorf("still away: %w", quintain.ErrUngraded)
		}
		return nil
	}})
	if report, err := f.resume(t); err != nil || report.Queued != 1 || report.Left != 1 || !strings.Contains(fmt.Sprint(report.Why), "still away") {
		t.Fatalf("%+v, error %v", report, err)
	}
	f.plays(panel{})
	if report, err := f.resume(t); err != nil || report.Queued != 1 || report.Left != 0 || len(f.queued(t)) != 2 {
		t.Errorf("%+v, error %v", report, err)
	}
}

// A process that dies between the queue and the trace leaves a group that is judged again, and
// neither doubled nor lost, even if a trainer has taken it meanwhile.
func TestAKilledProcessDoublesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		score float64 // of the first episode in the queue; the judge gives 1
		ack   bool
		kept  int
	}{
		"the same verdict": {1, false, 1}, "another verdict": {2, false, 0}, "the same, acknowledged": {1, true, 1},
	} {
		f := newFolder(t, played(1, 5, "a", "aaa"))
		record := played(1, 5, "a", "aaa")
		for i := range record.Episodes {
			record.Episodes[i].Outcome, record.Episodes[i].Turns[0].Reward = quintain.Scored, []float64{test.score, 3}[i]
		}
		j, err := f.plan.Rules.Judge(rollout.Result{Job: rollout.Job{Problem: record.Problem}, Trajectories: record.Episodes})
		group := j.Group
		if err != nil {
			t.Fatal(err)
		}
		h := f.open(t)
		if _, err := h.Queue().Put(t.Context(), group); err != nil {
			t.Fatal(err)
		}
		if test.ack {
			got, err := h.Queue().Lease(t.Context(), queue.Want{Consumer: "test"})
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Queue().Ack(t.Context(), "test", got[0].Seq); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		report, err := f.resume(t)
		if err != nil || report.Queued != test.kept || report.Dropped[rollout.DropDuplicate] != 1-test.kept {
			t.Errorf("%s: %+v, error %v", name, report, err)
		}
		if n := len(f.queued(t)); n != map[bool]int{false: 1, true: 0}[test.ack] {
			t.Errorf("%s: the queue has %d groups", name, n)
		}
	}
}

// Another judge, a used up budget and a folder without a trace are errors, and change nothing.
func TestResumeRefuses(t *testing.T) {
	over := fmt.Errorf("no tokens are left: %w, %w", quintain.ErrUngraded, quintain.ErrStop)
	for says, change := range map[string]func(f *folder){
		"no stream has it": func(f *folder) { f.plan.Find = Judged(nil) },
		"no tokens": func(f *folder) {
			f.plays(panel{away: func(quintain.Problem) error { return over }})
		},
		"the board is lost": func(f *folder) {
			f.plays(panel{away: func(quintain.Problem) error { return errors.New("the board is lost") }})
		},
		"there is no trace": func(f *folder) { f.path = filepath.Join(f.path, "none") },
	} {
		f := newFolder(t, played(1, 5, "a", "aaa"))
		path := f.path
		change(f)
		if report, err := f.resume(t); err == nil || !strings.Contains(err.Error(), says) || report != nil && report.Queued > 0 {
			t.Errorf("%+v, error %v, want %s", report, err, says)
		}
		f.path = path
		if n := len(f.queued(t)); n > 0 || f.newest(t, 1).Drop != string(rollout.DropUngraded) {
			t.Errorf("%s: the queue has %d groups", says, n)
		}
	}
}
