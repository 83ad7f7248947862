//go:build amd64 || arm64

package box

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A storage measures what a trial has written. A look costs as much as there are files, so that it takes a twentieth of the
// time at most.
type storage struct {
	trial *Trial
	most  int64
	held  int64 // that it has, beyond the limit, since its processes were killed for that
	next  time.Time
}

// start begins for a phase. If the one before has filled the disk, this one gets a little all the same: its tests must run.
func (s *storage) start(t *Trial) {
	s.trial = t
	s.most = max(t.limits.Storage, s.used()+64<<20)
}

// beyond reports whether the trial is beyond its limit, and writes on. What it has once been ended for, it may remove.
func (s *storage) beyond() bool {
	now := time.Now()
	if now.Before(s.next) {
		return false
	}
	used := s.used()
	s.next = time.Now().Add(max(every, 20*time.Since(now)))
	if used > max(s.most, s.held) {
		s.held = used + s.most/16 // what was under way
		return true
	}
	s.held = min(s.held, used+s.most/16)
	return false
}

// used adds up the bytes of all files. One without any counts as a piece.
func (s *storage) used() (sum int64) {
	const piece = 1 << 10
	for _, g := range s.trial.groups {
		walk(filepath.Join(s.trial.dir, g.upper), func(_ string, stat *unix.Stat_t) {
			sum += max(stat.Blocks*512, piece)
		})
	}
	return sum
}
