// Package due collects what must be looked at soon.
package due

import (
	"maps"
	"slices"
	"sync"
)

// A Set holds each thing once, until all are taken. Any number of goroutines may use it, with
// any other mutex held.
type Set[T comparable] struct {
	Wake chan struct{} // has one element if there are any

	mu  sync.Mutex
	all map[T]bool
}

// New returns an empty set.
func New[T comparable]() *Set[T] {
	return &Set[T]{all: map[T]bool{}, Wake: make(chan struct{}, 1)}
}

// Add adds a thing.
func (s *Set[T]) Add(one T) {
	s.mu.Lock()
	s.all[one] = true
	s.mu.Unlock()
	select {
	case s.Wake <- struct{}{}:
	default:
	}
}

// Take removes and returns all.
func (s *Set[T]) Take() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Keys(s.all))
	clear(s.all)
	return all
}
