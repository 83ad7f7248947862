// Package graphs holds the tasks about paths and relations.
package graphs

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	shortestPath,
}
