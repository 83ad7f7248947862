// Package regular holds the tasks about regular languages: expressions and the strings they match.
package regular

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		regexMatching.Task(),
		regularExpressions.Task(),
	}
}
