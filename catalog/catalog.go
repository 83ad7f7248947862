// Package catalog is the one list of all tasks and scenarios.
package catalog

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/envs"
	"github.com/quintain-rl/quintain/tasks/algebra"
	"github.com/quintain-rl/quintain/tasks/algorithmic"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/games"
	"github.com/quintain-rl/quintain/tasks/geometry"
	"github.com/quintain-rl/quintain/tasks/graphs"
	"github.com/quintain-rl/quintain/tasks/logic"
	"github.com/quintain-rl/quintain/tasks/probability"
)

// A Category is a room of tasks.
type Category struct {
	Name  string // that of the package under tasks/
	Tasks []quintain.Task
}

// Categories returns all tasks by category, both sorted by name.
func Categories() []Category {
	return []Category{
		{"algebra", algebra.Tasks},
		{"algorithmic", algorithmic.Tasks},
		{"arithmetic", arithmetic.Tasks},
		{"games", games.Tasks},
		{"geometry", geometry.Tasks},
		{"graphs", graphs.Tasks},
		{"logic", logic.Tasks},
		{"probability", probability.Tasks},
	}
}

// Tasks returns all tasks.
func Tasks() []quintain.Task {
	var all []quintain.Task
	for _, c := range Categories() {
		all = append(all, c.Tasks...)
	}
	return all
}

// Scenarios returns all scenarios, sorted by name.
func Scenarios() []env.Spec { return envs.Scenarios }
