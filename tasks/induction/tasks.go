// Package induction holds the tasks about finding a rule from examples.
package induction

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		acre.Task(),
		listFunctions.Task(),
	}
}
