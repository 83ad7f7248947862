package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/grade/codegrade/tables"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/scenarios/games/alone"
	"github.com/quintain-rl/quintain/scenarios/games/cards"
	"github.com/quintain-rl/quintain/scenarios/games/duels"
	"github.com/quintain-rl/quintain/scenarios/games/guess"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/scenarios/toolbox/office"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

// Scenarios returns all scenarios, sorted by name.
func Scenarios() []scenario.Spec { return slices.Clone(specs()) }

// specs are all scenarios, made once.
var specs = sync.OnceValue(func() []scenario.Spec {
	all := append([]scenario.Spec{codeplay.CodeSpec, codeplay.PythonToolSpec}, scenarios.All...)
	for _, g := range playable() {
		all = append(all, g.Scenario)
	}
	for _, e := range Errands() {
		all = append(all, e.Scenario)
	}
	slices.SortFunc(all, func(a, b scenario.Spec) int { return strings.Compare(a.Name, b.Name) })
	return all
})

// Games returns all games. Each is a scenario with a task of its own.
func Games() []*games.Game {
	return slices.Concat(alone.Games(), cards.Games(), duels.Games(), guess.Games())
}

// playable are all games, made once, so that what one question solved serves the next.
var playable = sync.OnceValue(Games)

// Adviser returns who knows the best moves in a scenario, which is named as in problems; nil:
// nobody does. Only games know them, of the version that played.
func Adviser(of string) quintain.Adviser {
	for _, g := range playable() {
		info := g.Scenario.Info()
		id := fmt.Sprintf("%s.v%d", info.Name, info.Version)
		if of != id && !strings.HasPrefix(of, id+"-") {
			continue
		}
		if s, err := g.Scenario.Over(g.Task, nil); err == nil {
			by, _ := s.(quintain.Adviser)
			return by
		}
	}
	return nil
}

// Errands returns all errands. Each is a scenario of calls of tools, with a task of its own.
func Errands() []*toolbox.Errand {
	return slices.Concat(office.Errands(), toolbox.Errands(), []*toolbox.Errand{tables.Errand()})
}

// TasksOf returns the tasks that are made for a scenario: those of programs for code, its own for
// a game or an errand, and for the others all that one answer solves.
func TasksOf(scenario string) []quintain.Task {
	if scenario == codeplay.CodeSpec.Name {
		return []quintain.Task{codetask.Task()}
	}
	for _, t := range OwnTasks() {
		if t.Info().Name == scenario { // all but codetask share the scenario's name
			return []quintain.Task{t}
		}
	}
	return Tasks()
}

// Owner names the scenario that a task is made for; empty: any may play it.
func Owner(task string) string {
	if task == codetask.Task().Info().Name {
		return codeplay.CodeSpec.Name
	}
	for _, t := range OwnTasks() {
		if t.Info().Name == task {
			return task
		}
	}
	return ""
}

// OwnTasks returns the tasks that are made for one scenario each.
func OwnTasks() []quintain.Task {
	tasks := []quintain.Task{codetask.Task()}
	for _, g := range Games() {
		tasks = append(tasks, g.Task)
	}
	for _, e := range Errands() {
		tasks = append(tasks, e.Task)
	}
	return tasks
}

// Scenario returns the scenario with the given name; see [scenario.Find].
func Scenario(name string) (scenario.Spec, error) { return scenario.Find(Scenarios(), name) }

// Playable returns the tasks that a scenario can play with default settings, and an error
// for each of the others, both in the order of tasks.
func Playable(spec scenario.Spec, tasks []quintain.Task) (can []quintain.Task, cannot []error) {
	for _, t := range tasks {
		if _, err := spec.Over(t, nil); err != nil {
			cannot = append(cannot, err)
		} else {
			can = append(can, t)
		}
	}
	return can, cannot
}
