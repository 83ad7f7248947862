// Package programs holds the tasks in which a program is run in one's head.
package programs

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		bf.Task(),
		codeIO.Task(),
	}
}
