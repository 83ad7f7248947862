// Package rewriting holds the tasks about rules that are applied step by step.
package rewriting

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	ab,
	stringInsertion,
	stringManipulation,
	stringSplitting,
	stringSynthesis,
}
