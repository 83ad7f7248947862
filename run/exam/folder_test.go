package exam

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// problems returns the set of the first n problems of a task.
func problems(tb testing.TB, n int) []Set {
	tb.Helper()
	spec, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		tb.Fatal(err)
	}
	s, err := spec.Over(arithmetic.Tasks()[0], nil)
	if err != nil {
		tb.Fatal(err)
	}
	sets, err := NewSets(tb.Context(), []rollout.Stream{{Scenario: s, Weight: 1}}, Settings{Problems: n})
	if err != nil {
		tb.Fatal(err)
	}
	return sets
}

// plan is the plan of sets with two samples and one setting.
func plan(sets []Set, accuracy string) *Plan {
	return NewPlan("test", 2, map[string]json.RawMessage{"accuracy": json.RawMessage(accuracy)}, sets)
}

// open opens a folder.
func open(t *testing.T, path string, sets []Set) *Folder {
	t.Helper()
	f, err := OpenFolder(path, plan(sets, "0.5"), sets)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// played is a result on problem i of a set, with an outcome of its second episode.
func played(sets []Set, i int, outcome quintain.Outcome) rollout.Result {
	p := sets[0].Problems[i]
	turn := quintain.Turn{Reply: "2", Answer: "2", Reward: 1, Right: true, Wrote: []quintain.Token{50}, Versions: []int32{0}, Finish: quintain.Stop}
	return rollout.Result{Job: rollout.Job{Problem: p}, Trajectories: []quintain.Trajectory{
		{ID: p.ID() + "#0", Problem: p, Outcome: quintain.Scored, Turns: []quintain.Turn{turn}, End: quintain.Terminated},
		{ID: p.ID() + "#1", Problem: p, Outcome: outcome, Error: "why"},
	}}
}

func Example() {
	folder, err := os.MkdirTemp("", "exam")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	spec, _ := scenario.Find(scenarios.All, "reasoning_gym")
	s, _ := spec.Over(arithmetic.Tasks()[0], nil)
	sets, err := NewSets(context.Background(), []rollout.Stream{{Scenario: s, Weight: 1}}, Settings{Problems: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 { // the second goes on from the first, which left nothing to do
		f, err := OpenFolder(folder, NewPlan("example", 1, nil, sets), sets)
		if err != nil {
			fmt.Println(err)
			return
		}
		e := Exam{Sets: sets, Policy: &script.Solver{Answer: script.NewBook(s).Answer, Accuracy: 1}, Kept: f.Kept(), Played: f.Keep}
		report, err := e.Run(context.Background())
		fmt.Println(len(f.Kept()), "kept before,", report.Scored, "scored,", err, f.Close())
	}
	// Output:
	// 0 kept before, 5 scored, <nil> <nil>
	// 5 kept before, 5 scored, <nil> <nil>
}

// A failure that another process may mend is not kept as a result.
func TestKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		outcome quintain.Outcome
		again   bool // it could be played again
		kept    bool
	}{
		{"all scored", quintain.Scored, false, true},
		{"without an answer", quintain.ModelFailed, false, true},
		{"cut by the end of the evaluation", quintain.Cancelled, false, false},
		{"the server failed", quintain.InfraFailed, true, false},
		{"the judge failed", quintain.Ungraded, false, false},
		{"it took too long, which must not be tried again", quintain.TimedOut, false, true},
		{"the environment failed, as it would again", quintain.EnvFailed, false, true},
	} {
		sets, path := problems(t, 3), filepath.Join(t.TempDir(), "exam")
		f := open(t, path, sets)
		result := played(sets, 1, test.outcome)
		result.Again = test.again
		if err := f.Keep(result); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = open(t, path, sets)
		id := sets[0].Problems[1].ID()
		if got := f.Kept()[id]; (got != nil) != test.kept || got != nil && (got.Share().Right != 1 || len(got.Episodes) != 2) {
			t.Errorf("%s: kept %+v", test.why, got)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Settings of tasks of Harbor decide nothing where there are none.
func TestPlansOfOldKnowNoHarbor(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{`[]`: true, `["textarena:Sudoku-v0"]`: true, `["harbor:tasks"]`: false} {
		sets, path := problems(t, 3), t.TempDir()
		old := map[string]json.RawMessage{"environment.address": json.RawMessage(address)}
		f, err := OpenFolder(path, NewPlan("test", 2, old, sets), sets)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		now := map[string]json.RawMessage{"environment.address": json.RawMessage(address), "harbor.calls": json.RawMessage("50")}
		if f, err = OpenFolder(path, NewPlan("test", 2, now, sets), sets); (err == nil) != want {
			t.Errorf("%s: error %v", address, err)
		}
		if err == nil && f.Close() != nil {
			t.Error("it does not close")
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		plan func(sets []Set) *Plan
		want string
	}{
		{"another setting", func(s []Set) *Plan { return plan(s, "0.7") }, "with accuracy 0.5, and this one has 0.7"},
		{"a setting less", func(s []Set) *Plan { return NewPlan("test", 2, nil, s) }, "with accuracy 0.5, and this one has nothing"},
		{"other problems", func([]Set) *Plan { return plan(problems(t, 4), "0.5") }, "an evaluation with other problems, made by test"},
	} {
		sets, path := problems(t, 3), t.TempDir()
		if err := open(t, path, sets).Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFolder(path, test.plan(sets), sets); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}

// A setting that is newer than the folder, and empty or off, changes nothing.
func TestOpenTakesNewSettings(t *testing.T) {
	t.Parallel()
	sets, path := problems(t, 3), t.TempDir()
	if err := open(t, path, sets).Close(); err != nil {
		t.Fatal(err)
	}
	now := plan(sets, "0.5")
	now.Settings["players"], now.Settings["all_attempts"] = []byte(`""`), []byte("false")
	f, err := OpenFolder(path, now, sets)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesOtherFolders(t *testing.T) {
	t.Parallel()
	sets, path := problems(t, 3), t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(path, plan(sets, "0.5"), sets); err == nil || !strings.Contains(err.Error(), "thesis.tex but no examination.json") {
		t.Errorf("error %v", err)
	}
	inUse := filepath.Join(path, "exam")
	f := open(t, inUse, sets)
	if _, err := OpenFolder(inUse, plan(sets, "0.5"), sets); err == nil || !strings.Contains(err.Error(), "another process uses it") {
		t.Errorf("error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	sets, path := problems(t, 3), filepath.Join(t.TempDir(), "exam")
	f := open(t, path, sets)
	if _, err := ReadReport(path); err == nil || !strings.Contains(err.Error(), "go on with it by the same command") {
		t.Errorf("error %v", err)
	}
	if err := f.Write(ReportName, []byte(`{"rows":[{"problems":[{"id":"a"}]}]}`)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{path, filepath.Join(path, ReportName)} {
		if r, err := ReadReport(from); err != nil || r.Rows[0].Problems[0].ID != "a" {
			t.Errorf("%s: %+v, error %v", from, r, err)
		}
	}
	if _, err := ReadReport(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no folder of an evaluation") {
		t.Errorf("error %v", err)
	}
}

// FuzzOpen opens a folder with foreign files: it is refused with an error,
// or gives results of the plan's problems only.
func FuzzOpen(f *testing.F) {
	sets := problems(f, 3)
	dir := f.TempDir()
	made, err := OpenFolder(dir, plan(sets, "0.5"), sets)
	if err != nil {
		f.Fatal(err)
	}
	if err := made.Keep(played(sets, 0, quintain.Scored)); err != nil {
		f.Fatal(err)
	}
	if err := made.Close(); err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"examination.json", "trace/000001.trace"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name, text)
	}
	f.Add("examination.json", []byte(`{"samples":2,"settings":{"accuracy":0.5},"sets":null}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		path := filepath.Join(t.TempDir(), "exam")
		if err := os.CopyFS(path, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if name != "examination.json" {
			name = "trace/000001.trace"
		}
		if err := os.WriteFile(filepath.Join(path, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := OpenFolder(path, plan(sets, "0.5"), sets)
		if err != nil {
			return
		}
		for id, p := range folder.Kept() {
			if p.ID != id || len(p.Episodes) != 2 || sets[0].Problems[0].Task != strings.Split(strings.Split(id, "/")[1], ".")[0] {
				t.Errorf("%s: %+v", id, p)
			}
		}
		if err := folder.Close(); err != nil {
			t.Error(err)
		}
	})
}
