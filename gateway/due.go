package gateway

import (
	"maps"
	"slices"
	"sync"
)

// A dueSet holds each thing once, until all are taken. Any number of goroutines may use it, with
// any other mutex held.
type dueSet[T comparable] struct {
	wake chan struct{} // has one element if there are any

	mu  sync.Mutex
	all map[T]bool
}

// newDueSet returns an empty set.
func newDueSet[T comparable]() *dueSet[T] {
	return &dueSet[T]{all: map[T]bool{}, wake: make(chan struct{}, 1)}
}

// add adds a thing.
func (s *dueSet[T]) add(one T) {
	s.mu.Lock()
	s.all[one] = true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take removes and returns all.
func (s *dueSet[T]) take() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Keys(s.all))
	clear(s.all)
	return all
}
