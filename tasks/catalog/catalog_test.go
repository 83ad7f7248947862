package catalog_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
)

// Every task is listed once, in its category, in order.
func TestCategories(t *testing.T) {
	seen := map[string]bool{}
	var names []string
	for _, c := range catalog.Categories() {
		names = append(names, c.Name)
		for i, one := range c.Tasks {
			info := one.Info()
			if info.Category != c.Name || info.Category == "" || seen[info.Name] {
				t.Errorf("%s of category %q is listed under %q; listed before: %v", info.Name, info.Category, c.Name, seen[info.Name])
			}
			if seen[info.Name] = true; i > 0 && c.Tasks[i-1].Info().Name > info.Name {
				t.Errorf("%s comes after %s", info.Name, c.Tasks[i-1].Info().Name)
			}
		}
	}
	if !slices.IsSorted(names) || len(names) < 2 {
		t.Errorf("the categories are %v", names)
	}
}

// No room is left out, and no two rooms share the name of a task: there is a task for each
// golden file.
func TestAllRoomsAreListed(t *testing.T) {
	goldens, err := filepath.Glob("../*/testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(catalog.Tasks()); n == 0 || n != len(goldens) {
		t.Errorf("the catalog has %d tasks, and there are %d golden files", n, len(goldens))
	}
}

// few returns tasks of all kinds: with whole numbers, other numbers, texts, lists or boards
// as answers, and with one or many right answers.
func few(t testing.TB) []quintain.Task {
	t.Helper()
	set, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	var tasks []quintain.Task
	for _, name := range []string{"chain_sum", "countdown", "decimal_chain_sum", "graph_color", "mini_sudoku", "word_ladder"} {
		one, err := set.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, one)
	}
	return tasks
}

func TestScenarios(t *testing.T) {
	var ours []scenario.Spec
	for _, spec := range catalog.Scenarios() {
		if spec.Untagged { // scenariotest.RunGames tests them
			continue
		}
		if spec.Name != codeplay.CodeSpec.Name {
			ours = append(ours, spec)
		} else if tasks := playedBy(t, spec); len(tasks) > 0 {
			scenariotest.Run(t, []scenario.Spec{spec}, tasks)
		}
	}
	scenariotest.Run(t, ours, few(t))
}

// playedBy returns some tasks that are made for a scenario; none if the scenario needs a sandbox,
// and this machine's is below the floor.
func playedBy(t *testing.T, spec scenario.Spec) []quintain.Task {
	t.Helper()
	if spec.Untagged {
		return catalog.TasksOf(spec.Name)
	}
	if spec.Name != codeplay.CodeSpec.Name {
		return few(t)
	}
	level, err := catalog.TasksOf(spec.Name)[0].With([]byte(`{"level": 1}`)) // to run a program takes long
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenariotest.Closed(t, spec).Over(level, nil); errors.Is(err, sandbox.ErrWeak) {
		return nil
	}
	return []quintain.Task{level}
}

func TestScenario(t *testing.T) {
	for _, spec := range catalog.Scenarios() {
		if got, err := catalog.Scenario(spec.Name); err != nil || got.Name != spec.Name {
			t.Errorf("%s: got %s, error %v", spec.Name, got.Name, err)
		}
	}
	if _, err := catalog.Scenario("reasoning_gim"); err == nil || !strings.Contains(err.Error(), `did you mean "reasoning_gym"?`) {
		t.Errorf("error %v", err)
	}
}

// Every scenario shows a wrong reply, one without an answer, and a right one. The right one
// earns more than the others.
func TestDemonstrate(t *testing.T) {
	for _, spec := range catalog.Scenarios() {
		played := playedBy(t, spec)
		spec = scenariotest.Closed(t, spec)
		can, _ := catalog.Playable(spec, played)
		for _, one := range can {
			demos, err := list.Demonstrate(t.Context(), spec, one, quintain.Draw{Seed: 1})
			if err != nil {
				t.Errorf("%s over %s: %v", spec.Name, one.Info().Name, err)
				continue
			}
			var kinds []string
			rewards := map[string]float64{}
			for _, demo := range demos {
				if len(demo.Opening) == 0 {
					t.Errorf("%s over %s: the policy reads nothing", spec.Name, one.Info().Name)
				}
				for _, turn := range demo.Turns {
					kinds = append(kinds, turn.Kind)
					rewards[turn.Kind] = turn.Step.Reward
				}
			}
			if spec.Untagged {
				if len(kinds) < 2 || kinds[0] != "without an answer" || kinds[1] != "right" || rewards["without an answer"] > 0 {
					t.Errorf("%s: replies %v earn %v", spec.Name, kinds, rewards)
				}
				continue
			}
			if !slices.Equal(kinds, []string{"wrong", "without an answer", "right"}) || rewards["right"] <= rewards["wrong"] || rewards["right"] <= rewards["without an answer"] {
				t.Errorf("%s over %s: replies %v earn %v", spec.Name, one.Info().Name, kinds, rewards)
			}
		}
	}
}

// The tasks that are made for one scenario can be named, with their levels.
func TestChoicesKnowTheTasksOfScenarios(t *testing.T) {
	for name, want := range map[string]int{"k_in_a_row:0-2": 3, "nim_family:1": 1, "write_program": 1} {
		var chosen catalog.Choices
		if err := chosen.Set(name); err != nil || len(chosen) != want {
			t.Errorf("%s: %d tasks, want %d, error %v", name, len(chosen), want, err)
		}
	}
}

// Only games know the best moves, and only of the version that was played.
func TestAdvisers(t *testing.T) {
	spec, err := catalog.Scenario("slippery_grid")
	if err != nil {
		t.Fatal(err)
	}
	id := spec.Info().ID()
	for of, want := range map[string]bool{id: true, id + "-1a2b3c4d": true, id + "9": false, "math_multi_turn.v1": false, "": false} {
		if got := catalog.Adviser(of) != nil; got != want {
			t.Errorf("%q has an adviser: %v, want %v", of, got, want)
		}
	}
}

func TestPlayable(t *testing.T) {
	spec, err := catalog.Scenario("math_multi_turn")
	if err != nil {
		t.Fatal(err)
	}
	can, cannot := catalog.Playable(spec, few(t))
	if len(can) == 0 || len(cannot) == 0 || len(can)+len(cannot) != len(few(t)) || can[0].Info().Name != "chain_sum" || !strings.Contains(fmt.Sprint(cannot), "mini_sudoku") {
		t.Errorf("can play %d tasks, cannot play %d: %v", len(can), len(cannot), cannot)
	}
}

// The solution comes first, and its score is 1.
func TestSpecimen(t *testing.T) {
	for _, one := range few(t) {
		s, err := list.NewSpecimen(one, quintain.Draw{Seed: 1, Level: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Judged) < 10 || s.Judged[0].Answer != s.Solution || s.Judged[0].Score != 1 || s.Problem.Task != one.Info().Name {
			t.Errorf("%s: %d texts are judged, the first %+v", s.Problem.ID(), len(s.Judged), s.Judged[0])
		}
	}
	if _, err := list.NewSpecimen(few(t)[0], quintain.Draw{Level: 99}); err == nil {
		t.Error("there is a problem of level 99")
	}
}

// Facts measured before a task changed are not returned.
func TestFactsAreOfTheTaskAsItIs(t *testing.T) {
	info := few(t)[0].Info()
	facts, known := list.FactsOf(info)
	if !known || facts.Name != info.Name || facts.Scoring(info)[1] == "unknown" {
		t.Errorf("facts %+v, known %v", facts, known)
	}
	changed := info
	changed.Version++
	if facts, known := list.FactsOf(changed); known || facts.Scoring(changed)[1] != "unknown" {
		t.Errorf("facts of another version are returned: %+v", facts)
	}
	if facts, known := list.FactsOf(quintain.Info{Name: "nothing"}); known {
		t.Errorf("there are facts of an unknown task: %+v", facts)
	}
}

func TestSize(t *testing.T) {
	for _, test := range []struct {
		space task.Space
		want  string
	}{
		{task.Space{Problems: 166.4}, "166"},
		{task.Space{Problems: 9999}, "9999"},
		{task.Space{Problems: 15351}, "1.5e4"},
		{task.Space{Problems: 2666000, AtLeast: true}, "≥ 2.7e6"},
		{task.Space{Problems: 3e12}, "3.0e12"},
	} {
		if got := (list.LevelFacts{Space: test.space}).Size(); got != test.want {
			t.Errorf("%v: %q, want %q", test.space, got, test.want)
		}
	}
}

func TestFewLevels(t *testing.T) {
	for _, test := range []struct {
		few  []string
		want string
	}{
		{nil, "-"},
		{[]string{"", ""}, "-"},
		{[]string{"small"}, "0"},
		{[]string{"", "small"}, "1"},
		{[]string{"small", "", "small", "small", "small"}, "0,2-4"},
	} {
		if got := list.FewLevels(quintain.Info{Few: test.few}); got != test.want {
			t.Errorf("%q: %q, want %q", test.few, got, test.want)
		}
	}
}

func Example_facts() {
	for _, t := range catalog.Tasks() {
		info := t.Info()
		if facts, known := list.FactsOf(info); known && info.Name == "countdown" {
			fmt.Println(facts.Scoring(info), facts.MostGuess() < 0.05)
		}
	}
	// Output: [many whole] true
}
