// Package games holds the tasks that are puzzles and games.
package games

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	countdown,
	miniSudoku,
}
