package logic

import "github.com/quintain-rl/quintain"

// problemOf returns a problem that came as JSON.
func problemOf(task, record string) quintain.Problem {
	return quintain.Problem{Task: task, Instance: quintain.RawRecord([]byte(record))}
}

// count counts the true elements of list.
func count(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}
