// Package graphs holds the tasks about connected things: courses, relatives, cells, chains
// of nodes, states of a lock.
package graphs

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		courseSchedule.Task(),
		familyRelationships.Task(),
		largestIsland.Task(),
		pathStar.Task(),
		quantumLock.Task(),
	}
}
