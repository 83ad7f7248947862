// Package probability holds the tasks about chance.
package probability

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	coinFlip,
}
