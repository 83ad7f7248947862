// Package logic holds the tasks in which what is said decides what is so: puzzles of clues,
// premises, circuits, riddles about families.
package logic

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	aiw,
	circuitLogic,
	propositionalLogic,
	selfReference,
	syllogism,
	zebraPuzzles,
}
