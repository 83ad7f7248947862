// Package instructions holds the tasks about keeping to instructions: texts under rules, JSON
// values under a schema, and calls of tools.
package instructions

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		instructionFollowing.Task(),
		jsonSchema.Task(),
		toolArguments.Task(),
	}
}
