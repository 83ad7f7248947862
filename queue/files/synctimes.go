package files

import (
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// syncTimes is a histogram of how long the disk took to make writes durable.
type syncTimes struct {
	mu sync.Mutex
	h  queue.SyncTimes
}

func (s *syncTimes) add(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearch(queue.SyncBounds(), took)
	s.h.Counts[at]++
	s.h.Sum += took
}

func (s *syncTimes) copy() queue.SyncTimes {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.h
}
