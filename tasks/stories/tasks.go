// Package stories holds the tasks whose problems are told: arithmetic in words.
package stories

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	gsmSymbolic,
}
