// Package invented holds the tasks whose rules nobody has met before: each problem brings its own.
package invented

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		newRules.Task(),
	}
}
