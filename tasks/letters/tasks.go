// Package letters holds the tasks about strings of letters drawn at random.
package letters

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	binaryAlternation,
	isomorphicStrings,
	palindromeGeneration,
	palindromePartitioning,
	ransomNote,
}
