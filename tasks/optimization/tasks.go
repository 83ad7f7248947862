// Package optimization holds the tasks that ask for the best of many solutions. The best is proven
// by exact search when a problem is made; a worse solution earns part of the score if it beats the
// trivial ones.
package optimization

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		jobScheduling.Task(),
		minCut.Task(),
		setCover.Task(),
		travelingSalesman.Task(),
	}
}
