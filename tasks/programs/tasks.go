// Package programs holds the tasks about running a program in one's head.
package programs

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		bf.Task(),
		codeIO.Task(),
	}
}
