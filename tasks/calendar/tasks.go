// Package calendar holds the tasks about dates and times.
package calendar

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		calendarArithmetic.Task(),
		timeIntervals.Task(),
	}
}
