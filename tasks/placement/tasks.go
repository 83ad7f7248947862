// Package placement holds the tasks that ask to fill the cells of a grid by rules.
package placement

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	futoshiki,
	kakurasu,
	nQueens,
	sudoku,
	survo,
}
