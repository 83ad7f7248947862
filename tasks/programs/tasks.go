// Package programs holds the tasks in which a program is run in one's head.
package programs

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	bf,
	codeIO,
}
