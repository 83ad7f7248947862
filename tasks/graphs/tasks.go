// Package graphs holds the tasks about what is connected with what: courses, relatives, cells,
// chains of nodes, states of a lock.
package graphs

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	courseSchedule,
	familyRelationships,
	largestIsland,
	pathStar,
	quantumLock,
}
