// Package graphs holds the tasks about connected things: courses, relatives, cells, chains
// of nodes, states of a lock. Some ask for the best of many solutions: it is proven by exact search when
// a problem is made, and a worse one earns part of the score if it beats the trivial ones.
package graphs

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		courseSchedule.Task(),
		familyRelationships.Task(),
		jobScheduling.Task(),
		largestIsland.Task(),
		minCut.Task(),
		pathStar.Task(),
		quantumLock.Task(),
		setCover.Task(),
		travelingSalesman.Task(),
	}
}
