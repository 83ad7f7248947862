// Package placement holds the tasks about filling the cells of a grid by rules.
package placement

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		futoshiki.Task(),
		kakurasu.Task(),
		nQueens.Task(),
		sudoku.Task(),
		survo.Task(),
	}
}
