// Package calendar holds the tasks about dates and times.
package calendar

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	calendarArithmetic,
	timeIntervals,
}
