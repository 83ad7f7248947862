package watch

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on telling whether a run goes on.
const (
	quietFor   = 15 * time.Second // without news, before the lock of the folder is looked at
	askedEvery = 30 * time.Second // looking locks the folder for a moment
)

// A state tells whether a process still writes the folder. Many goroutines may use it at once.
type state struct {
	folder string

	mu    sync.Mutex
	asked time.Time
	used  bool
}

// ended reports whether no process has the folder any more, given when it last grew.
func (s *state) ended(grew time.Time) bool {
	if time.Since(grew) < quietFor {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.asked) > askedEvery {
		used, known := datadir.InUse(s.folder)
		s.asked, s.used = time.Now(), used || !known
	}
	return !s.used
}

// A status is what the pages say of the run's progress.
type status struct {
	Ended bool
	At    time.Time // when it ended; zero: unknown
	Rows  int
	All   int // groups
}

// status is the current status. A run ended with its last row or group.
func (s *Server) status() status {
	now := status{All: s.trace.len(), Rows: s.numbers.len()}
	if now.All+now.Rows == 0 {
		return now
	}
	if _, last := s.numbers.span(); last > 0 {
		now.At = time.UnixMicro(int64(1e6 * last))
	}
	if newest := s.trace.find(trace.Query{Newest: true, Limit: 1}); len(newest) > 0 && newest[0].Time.After(now.At) {
		now.At = newest[0].Time
	}
	now.Ended = s.state.ended(now.At)
	return now
}

// event is the status as an event for open pages.
func (s status) event() map[string]any {
	e := map[string]any{"groups": s.All, "rows": s.Rows}
	if s.Ended {
		e["ended"] = s.At.UTC().Format(time.RFC3339)
	}
	return e
}

// began is when the run began, as far as the folder tells: its first row or group; zero:
// unknown.
func (s *Server) began() (at time.Time) {
	if first, _ := s.numbers.span(); first > 0 {
		at = time.UnixMicro(int64(1e6 * first))
	}
	oldest := s.trace.find(trace.Query{Limit: 1})
	if len(oldest) > 0 && !oldest[0].Time.IsZero() && (at.IsZero() || oldest[0].Time.Before(at)) {
		at = oldest[0].Time
	}
	return at.Truncate(time.Second)
}
