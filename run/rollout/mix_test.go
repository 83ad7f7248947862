package rollout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A numbered is a scenario whose problems are their own numbers.
type numbered struct {
	name     string
	scenario string // empty: echo
	version  int    // of the task
	fails    bool
}

func (n numbered) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: cmp.Or(n.scenario, "echo"), Version: 1, Default: true}
}

func (n numbered) TaskInfo() quintain.Info {
	return quintain.Info{Name: n.name, Version: n.version, Levels: []json.RawMessage{[]byte("{}")}}
}

func (n numbered) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.ID()), nil }

func (n numbered) Problem(d quintain.Draw) (quintain.Problem, error) {
	if n.fails {
		return quintain.Problem{}, errors.New("no such problem")
	}
	return quintain.Problem{Task: n.name, Seed: d.Seed, Level: d.Level, Index: d.Index}, nil
}

func (n numbered) Env(p quintain.Problem) (quintain.Env, error) { return &echo{index: p.Index}, nil }

func newTestMix(t *testing.T) *Mix {
	m, err := NewMix([]Stream{
		{Scenario: numbered{name: "a"}, Weight: 1},
		{Scenario: numbered{name: "b"}, Weight: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// take takes n jobs and returns their names.
func take(t *testing.T, m *Mix, n int) ([]Job, string) {
	var jobs []Job
	var names []string
	for range n {
		j, err := m.Next()
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
		names = append(names, fmt.Sprint(j.Problem.Task, j.Problem.Index))
	}
	return jobs, strings.Join(names, " ")
}

func TestMixKeepsTheWeights(t *testing.T) {
	if _, got := take(t, newTestMix(t), 9); got != "a0 b0 b1 a1 b2 b3 a2 b4 b5" {
		t.Errorf("got %s", got)
	}
}

func TestMixContinuesAfterARestart(t *testing.T) {
	m := newTestMix(t)
	jobs, _ := take(t, m, 6) // a0 b0 b1 a1 b2 b3
	m.Done(jobs[0], nil)
	m.Done(jobs[1], nil)
	m.Redo(jobs[4])
	m.Done(jobs[5], nil)
	kept, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"order":["echo.v1/a.s0.44136fa3","echo.v1/b.s0.44136fa3"],"streams":{"echo.v1/a.s0.44136fa3":{"next":2,"again":[1,1]},"echo.v1/b.s0.44136fa3":{"next":4,"again":[1,2]}}}`; string(kept) != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
	again := newTestMix(t)
	if err := json.Unmarshal(kept, again); err != nil {
		t.Fatal(err)
	}
	if _, got := take(t, again, 6); got != "a1 b1 b2 a2 b4 b5" || again.Renewed() != nil {
		t.Errorf("after a restart %s, of renewed tasks %q", got, again.Renewed())
	}
}

// A mix says which tasks have another version than before, whose split is another one, or may be.
func TestMixTellsTasksOfAnotherVersion(t *testing.T) {
	for _, test := range []struct {
		was, is int
		want    string
	}{
		{4, 4, ""}, {4, 5, "a (version 5, was 4)"}, {0, 5, "a (version 5, not told before)"}, {0, 0, ""},
	} {
		mix := func(version int) *Mix {
			m, err := NewMix([]Stream{{Scenario: numbered{name: "a", version: version}, Weight: 1}, {Scenario: numbered{name: "a", version: version}, Seed: 2, Weight: 1}})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		kept, err := json.Marshal(mix(test.was))
		if err != nil {
			t.Fatal(err)
		}
		now := mix(test.is)
		if err := json.Unmarshal(kept, now); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(now.Renewed(), ", "); got != test.want {
			t.Errorf("version %d after %d: %q, want %q", test.is, test.was, got, test.want)
		}
	}
}

// Two scenarios of one task have separate positions.
func TestScenariosOfOneTaskHaveTheirOwnPositions(t *testing.T) {
	m, err := NewMix([]Stream{{Scenario: numbered{name: "a"}, Weight: 1}, {Scenario: numbered{name: "a", scenario: "other"}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	take(t, m, 3)
	kept, err := json.Marshal(m)
	if want := `{"order":["echo.v1/a.s0.44136fa3","other.v1/a.s0.44136fa3"],"streams":{"echo.v1/a.s0.44136fa3":{"next":2,"again":[0,2]},"other.v1/a.s0.44136fa3":{"next":1,"again":[0,1]}}}`; err != nil || string(kept) != want {
		t.Errorf("kept %s, error %v, want %s", kept, err, want)
	}
}

func TestMixSkips(t *testing.T) {
	odd := func(p quintain.Problem) (bool, error) { return p.Index%2 == 1, nil }
	streams := []Stream{{Scenario: numbered{name: "a"}, Weight: 1, Skip: odd}, {Scenario: numbered{name: "b"}, Weight: 1}}
	m, err := NewMix(streams)
	if err != nil {
		t.Fatal(err)
	}
	jobs, got := take(t, m, 7)
	if want := "a0 b0 a2 b1 a4 b2 a6"; got != want {
		t.Errorf("got %s, want %s: skipped problems do not count towards a share", got, want)
	}
	m.Redo(jobs[2])
	kept, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewMix(streams)
	if err == nil {
		err = json.Unmarshal(kept, again)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, got := take(t, again, 4); got != "a0 b0 a2 b1" { // all were open or due again
		t.Errorf("after a restart %s", got)
	}
	all := func(quintain.Problem) (bool, error) { return true, nil }
	none, err := NewMix([]Stream{{Scenario: numbered{name: "a"}, Weight: 1, Skip: all}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.Next(); err == nil || !strings.Contains(err.Error(), "a:0: 10000 problems in a row") {
		t.Errorf("a stream that skips all problems: error %v", err)
	}
}

func TestLabelsAreDistinct(t *testing.T) {
	a := numbered{name: "a"}
	got := Labels([]Stream{{Scenario: a}, {Scenario: a, Seed: 1}, {Scenario: a, Label: "mine"}, {Scenario: numbered{name: "b", fails: true}}})
	if want := "[a:0 a:0 (2) mine b]"; fmt.Sprint(got) != want {
		t.Errorf("labels %v, want %s", got, want)
	}
}

func TestMixRefuses(t *testing.T) {
	one := Stream{Scenario: numbered{name: "a"}, Weight: 1}
	for _, test := range []struct {
		streams []Stream
		names   string
	}{
		{nil, "no stream"},
		{[]Stream{one, one}, "twice"},
		{[]Stream{{Scenario: numbered{name: "a"}}}, "weight"},
		{[]Stream{{Scenario: numbered{name: "a"}, Weight: 1, Level: 1}}, "level is 1, want 0 to 0"},
	} {
		if _, err := NewMix(test.streams); err == nil || !strings.Contains(err.Error(), test.names) {
			t.Errorf("error %v, want one that says %q", err, test.names)
		}
	}
	for _, kept := range []string{`[]`, `{"streams":{"echo.v1/a.s0.44136fa3":{"next":-1}}}`, `{"streams":{"echo.v1/a.s0.44136fa3":{"next":3,"redo":[3]}}}`, `{"streams":{"echo.v1/a.s0.44136fa3":{"next":3,"redo":[2,1]}}}`, `{"streams":{"echo.v1/a.s0.44136fa3":{"next":3,"again":[2,2]}}}`} {
		if err := newTestMix(t).UnmarshalJSON([]byte(kept)); err == nil {
			t.Errorf("positions %s are accepted", kept)
		}
	}
}

func TestMixReportsProblemsThatCannotBeMade(t *testing.T) {
	m, err := NewMix([]Stream{{Scenario: numbered{name: "a", fails: true}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Next(); err == nil {
		t.Fatal("no error")
	}
	if kept, err := json.Marshal(m); err != nil || !reflect.DeepEqual(string(kept), `{"order":["echo.v1/a.s0.44136fa3"],"streams":{"echo.v1/a.s0.44136fa3":{"next":1,"again":[0,1]}}}`) {
		t.Errorf("kept %s, error %v", kept, err)
	}
}

// A problem whose group fails comes again, but not forever.
func TestAgainIsBounded(t *testing.T) {
	m, err := NewMix([]Stream{{Scenario: numbered{}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, false} {
		job, err := m.Next()
		if err != nil || job.Problem.Index != 0 {
			t.Fatalf("problem %d, error %v, want the first", job.Problem.Index, err)
		}
		if got := m.Again(job); got != want {
			t.Errorf("failure %d: played again %t, want %t", i+1, got, want)
		}
	}
	if job, err := m.Next(); err != nil || job.Problem.Index != 1 {
		t.Errorf("problem %d, error %v, want the second", job.Problem.Index, err)
	}
	if saved, err := m.MarshalJSON(); err != nil || strings.Contains(string(saved), `"again":[0`) {
		t.Errorf("saved %s, error %v", saved, err)
	}
}

// A turn chooses the streams in turn, and remembers the scores.
type turn struct {
	Chosen int
	Noted  []float64
}

func (c *turn) Choose() int {
	c.Chosen++
	return c.Chosen % 2
}

func (c *turn) Note(stream int, scores []float64) {
	c.Noted = append(c.Noted, float64(stream), scores[0])
}

func (c *turn) MarshalJSON() ([]byte, error) {
	type plain turn
	return json.Marshal((*plain)(c))
}

func (c *turn) UnmarshalJSON(data []byte) error {
	type plain turn
	return json.Unmarshal(data, (*plain)(c))
}

// After a restart, open problems come first, then the choices continue.
func TestMixFollowsItsChooserAcrossARestart(t *testing.T) {
	first, chooser := newTestMix(t), &turn{}
	first.ChooseBy(chooser)
	jobs, got := take(t, first, 5)
	if want := "b0 a0 b1 a1 b2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	first.Done(jobs[0], []float64{0.5})
	first.Done(jobs[3], []float64{0.25})
	kept, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	_, next := take(t, first, 4)

	second, again := newTestMix(t), &turn{}
	second.ChooseBy(again)
	if err := json.Unmarshal(kept, second); err != nil {
		t.Fatal(err)
	}
	if want := (turn{5, []float64{1, 0.5, 0, 0.25}}); !reflect.DeepEqual(*again, want) {
		t.Errorf("the chooser goes on from %+v, want %+v", *again, want)
	}
	if _, got := take(t, second, 3); got != "a0 b1 b2" {
		t.Errorf("after the restart %s, want the open problems", got)
	}
	if _, got := take(t, second, 4); got != next {
		t.Errorf("then %s, want %s as without the restart", got, next)
	}
	bad := strings.Replace(string(kept), `"Chosen":5`, `"Chosen":"many"`, 1)
	if err := json.Unmarshal([]byte(bad), newTestMix(t)); err != nil {
		t.Errorf("without a chooser: error %v", err)
	}
	if err := json.Unmarshal([]byte(bad), second); err == nil {
		t.Error("a chooser that cannot be read is no error")
	}
}

// tuned is a task with parameters of its own.
type tuned struct{ numbered }

func (n tuned) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := n.numbered.Problem(d)
	p.Level = quintain.OwnParams
	return p, err
}

func TestLevelsNumberTheRungsOfATask(t *testing.T) {
	a, b, c := numbered{name: "a"}, numbered{name: "b"}, numbered{name: "c"}
	streams := []Stream{{Scenario: tuned{a}}, {Scenario: tuned{b}}, {Scenario: tuned{a}, Seed: 1}, {Scenario: c}, {Scenario: tuned{c}}}
	if got, want := fmt.Sprint(Levels(streams)), "[0 0 1 0 -1]"; got != want { // c has a level of its task and parameters
		t.Errorf("levels %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(Labels(streams)), "[a:0 b a:1 c:0 c]"; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
}

// Whoever holds the episodes of a problem across a restart goes on with it, whether the mix
// knows that it handed it out or not.
func TestReopen(t *testing.T) {
	problem := func(index int) quintain.Problem { return quintain.Problem{Task: "a", Index: index} }
	for _, test := range []struct {
		why   string
		saved bool // the state of the last process was kept
		p     quintain.Problem
		known bool
		next  string // what is handed out of the stream then
	}{
		{"a problem that was open", true, problem(1), true, "0 3 4"},
		{"one that was done", true, problem(2), true, "0 1 3"},
		{"one that the mix does not know it handed out", false, problem(2), true, "0 1 3"},
		{"one of no stream", false, quintain.Problem{Task: "session"}, false, "0 1 2"},
	} {
		before, err := NewMix([]Stream{{Scenario: numbered{name: "a"}, Weight: 1}})
		if err != nil {
			t.Fatal(err)
		}
		jobs, _ := take(t, before, 3)
		before.Done(jobs[2], nil)
		m, err := NewMix([]Stream{{Scenario: numbered{name: "a"}, Weight: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := before.MarshalJSON(); err != nil || test.saved && m.UnmarshalJSON(text) != nil {
			t.Fatal(err)
		}
		if _, err := m.Snapshot(); err != nil {
			t.Fatal(err)
		}
		job, known := m.Reopen(test.p)
		if known != test.known || known != (job.Scenario != nil) {
			t.Errorf("%s: known is %v", test.why, known)
		}
		var got []string
		for range 3 {
			j, err := m.Next()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(j.Problem.Index))
		}
		if strings.Join(got, " ") != test.next {
			t.Errorf("%s: then come %v, want %s", test.why, got, test.next)
		}
		m.Done(job, nil) // one that is none of its business is ignored
	}
}
