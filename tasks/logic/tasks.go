// Package logic holds the tasks about consequences of statements: puzzles of clues,
// premises, circuits, riddles about families.
package logic

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		aiw.Task(),
		circuitLogic.Task(),
		propositionalLogic.Task(),
		selfReference.Task(),
		syllogism.Task(),
		zebraPuzzles.Task(),
	}
}
