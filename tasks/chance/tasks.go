// Package chance holds the tasks about probabilities.
package chance

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		coinFlip.Task(),
		dice.Task(),
	}
}
