// Package rewriting holds the tasks about rules applied step by step.
package rewriting

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		ab.Task(),
		stringInsertion.Task(),
		stringManipulation.Task(),
		stringSplitting.Task(),
		stringSynthesis.Task(),
	}
}
