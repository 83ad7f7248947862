// Package languages holds the tasks about formal languages: regular expressions and the strings they
// match, rules applied step by step, and rules that each problem brings along.
package languages

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		ab.Task(),
		newRules.Task(),
		regexMatching.Task(),
		regularExpressions.Task(),
		stringInsertion.Task(),
		stringManipulation.Task(),
		stringSplitting.Task(),
		stringSynthesis.Task(),
	}
}
