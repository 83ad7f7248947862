package task

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// A Set finds tasks by name. It is not changed once made, so many goroutines may
// use it.
type Set struct {
	byName map[string]quintain.Task
	list   []quintain.Task
}

// NewSet returns the set of tasks. The error names a task that is in it twice.
func NewSet(tasks []quintain.Task) (*Set, error) {
	s := &Set{byName: make(map[string]quintain.Task, len(tasks))}
	for _, t := range tasks {
		if p, can := t.(preparer); can {
			t = p.prepare()
		}
		name := t.Info().Name
		if _, twice := s.byName[name]; twice {
			return nil, fmt.Errorf("task %s is listed twice", name)
		}
		s.byName[name] = t
		s.list = append(s.list, t)
	}
	return s, nil
}

// All returns the tasks in the order in which they were given.
func (s *Set) All() []quintain.Task { return s.list }

// Get returns the task of that name. The error of an unknown name gives the
// nearest known one.
func (s *Set) Get(name string) (quintain.Task, error) {
	if t, known := s.byName[name]; known {
		return t, nil
	}
	best, near := "", 4
	for _, t := range s.list {
		if d := distance(name, t.Info().Name); d < near {
			best, near = t.Info().Name, d
		}
	}
	if best != "" {
		return nil, fmt.Errorf("no task %q; did you mean %q?", name, best)
	}
	return nil, fmt.Errorf("no task %q", name)
}

// distance is the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
