package watch

import (
	"time"

	"github.com/quintain-rl/quintain/trace"
)

// A status is what the pages say of the run's progress.
type status struct {
	Ended bool
	At    time.Time // when it ended; zero: unknown
	Rows  int
	All   int // groups
}

// status is the current status. A run ended with its last row or group.
func (s *Server) status() status {
	now := status{All: s.trace.len(), Rows: s.numbers.Len()}
	if now.All+now.Rows == 0 {
		return now
	}
	if _, last := s.numbers.Span(); last > 0 {
		now.At = time.UnixMicro(int64(1e6 * last))
	}
	if newest := s.trace.find(trace.Query{Newest: true, Limit: 1}); len(newest) > 0 && newest[0].Time.After(now.At) {
		now.At = newest[0].Time
	}
	now.Ended = s.state.Ended(now.At)
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
	if first, _ := s.numbers.Span(); first > 0 {
		at = time.UnixMicro(int64(1e6 * first))
	}
	oldest := s.trace.find(trace.Query{Limit: 1})
	if len(oldest) > 0 && !oldest[0].Time.IsZero() && (at.IsZero() || oldest[0].Time.Before(at)) {
		at = oldest[0].Time
	}
	return at.Truncate(time.Second)
}
