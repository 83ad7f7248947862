// Package induction holds the tasks in which a rule is to be found from examples.
package induction

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	acre,
	listFunctions,
}
