package follow

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Bounds on telling whether a run goes on.
const (
	quietFor   = 6 * time.Second  // without news, before the lock of the folder is looked at
	askedEvery = 30 * time.Second // looking locks the folder for a moment
)

// A State tells whether a process still writes the folder. Many goroutines may use it at once.
type State struct {
	Folder string

	mu    sync.Mutex
	asked time.Time
	used  bool
}

// Ended reports whether no process has the folder any more, given when it last grew.
func (s *State) Ended(grew time.Time) bool {
	if time.Since(grew) < quietFor {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.asked) > askedEvery {
		used, known := datadir.InUse(s.Folder)
		s.asked, s.used = time.Now(), used || !known
	}
	return !s.used
}
