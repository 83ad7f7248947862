// Package logic holds the tasks about statements and what follows from them.
package logic

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	knightsKnaves,
}
