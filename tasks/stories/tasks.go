// Package stories holds the tasks told as stories: arithmetic in words.
package stories

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		gsmSymbolic.Task(),
	}
}
