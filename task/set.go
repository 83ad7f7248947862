package task

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/nearest"
)

// A Set finds tasks by name. It never changes, so many goroutines may use it.
type Set struct {
	byName map[string]quintain.Task
	list   []quintain.Task
}

// NewSet returns a set of tasks. The error names a task that is listed twice.
func NewSet(tasks []quintain.Task) (*Set, error) {
	s := &Set{byName: make(map[string]quintain.Task, len(tasks))}
	for _, t := range tasks {
		_, name := Head(t)
		if _, twice := s.byName[name]; twice {
			return nil, fmt.Errorf("task %s is listed twice", name)
		}
		s.byName[name] = t
		s.list = append(s.list, t)
	}
	return s, nil
}

// All returns the tasks in their given order.
func (s *Set) All() []quintain.Task { return s.list }

// Get returns the task named name. For an unknown name, the error suggests the nearest
// known one.
func (s *Set) Get(name string) (quintain.Task, error) {
	if t, known := s.byName[name]; known {
		return t, nil
	}
	names := make([]string, len(s.list))
	for i, t := range s.list {
		_, names[i] = Head(t)
	}
	return nil, fmt.Errorf("no task %q%s", name, nearest.Suggest(name, names))
}
