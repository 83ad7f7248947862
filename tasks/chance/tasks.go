// Package chance holds the tasks about probabilities.
package chance

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	coinFlip,
	dice,
}
