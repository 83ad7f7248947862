package watch

import (
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Bounds on telling whether a run goes on.
const (
	quietFor   = 6 * time.Second  // without news, before the lock of the folder is looked at
	askedEvery = 30 * time.Second // looking locks the folder for a moment
)

// A progress tells whether a process still writes one of the folders. Many goroutines may use it at once.
type progress struct {
	Folders []string

	mu    sync.Mutex
	asked time.Time
	used  bool
}

// Ended reports whether no process has a folder any more, given when it last grew.
func (s *progress) Ended(grew time.Time) bool {
	if time.Since(grew) < quietFor {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.asked) > askedEvery {
		s.asked, s.used = time.Now(), slices.ContainsFunc(s.Folders, func(folder string) bool {
			used, known := datadir.InUse(folder)
			return used || !known
		})
	}
	return !s.used
}
