// Package letters holds the tasks about strings of letters drawn at random.
package letters

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		binaryAlternation.Task(),
		isomorphicStrings.Task(),
		palindromeGeneration.Task(),
		palindromePartitioning.Task(),
		ransomNote.Task(),
	}
}
