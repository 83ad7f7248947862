// Package catalog connects what settings name: the tasks of all families, all scenarios, the
// sandbox, judges and agents. Package list describes them without building them.
package catalog

import (
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/boards"
	"github.com/quintain-rl/quintain/tasks/graphs"
	"github.com/quintain-rl/quintain/tasks/grids"
	"github.com/quintain-rl/quintain/tasks/instructions"
	"github.com/quintain-rl/quintain/tasks/languages"
	"github.com/quintain-rl/quintain/tasks/logic"
	"github.com/quintain-rl/quintain/tasks/mathematics"
	"github.com/quintain-rl/quintain/tasks/moves"
	"github.com/quintain-rl/quintain/tasks/numbers"
	"github.com/quintain-rl/quintain/tasks/patterns"
	"github.com/quintain-rl/quintain/tasks/programs"
	"github.com/quintain-rl/quintain/tasks/puzzles"
	"github.com/quintain-rl/quintain/tasks/transformations"
	"github.com/quintain-rl/quintain/tasks/words"
)

// A Category is a named list of tasks.
type Category struct {
	Name  string // as in the tasks' Info
	Tasks []quintain.Task
}

// Categories returns all tasks by category, both sorted by name.
func Categories() []Category {
	tasks := map[string]map[string]quintain.Task{} // by category and name
	for _, t := range slices.Concat(
		arithmetic.Tasks(),
		boards.Tasks(),
		graphs.Tasks(),
		languages.Tasks(),
		mathematics.Tasks(),
		grids.Tasks(),
		instructions.Tasks(),
		logic.Tasks(),
		moves.Tasks(),
		numbers.Tasks(),
		patterns.Tasks(),
		programs.Tasks(),
		puzzles.Tasks(),
		transformations.Tasks(),
		words.Tasks(),
	) {
		category, name := task.Head(t)
		if tasks[category] == nil {
			tasks[category] = map[string]quintain.Task{}
		}
		tasks[category][name] = t
	}
	var all []Category
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		c := Category{Name: name}
		for _, of := range slices.Sorted(maps.Keys(tasks[name])) {
			c.Tasks = append(c.Tasks, tasks[name][of])
		}
		all = append(all, c)
	}
	return all
}

// Tasks returns all tasks in the order of [Categories].
func Tasks() []quintain.Task {
	var all []quintain.Task
	for _, c := range Categories() {
		all = append(all, c.Tasks...)
	}
	return all
}
