//go:build amd64 || arm64

package box

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A storage measures what a trial has written, files without a name that its processes have open too. A look costs as much
// as there are files, so that it takes a twentieth of the time at most.
type storage struct {
	s      *Session
	most   int64
	held   int64 // that it has, beyond the limit, since its processes were killed for that
	memory int64 // bytes of open files of memory, at the last look
	deep   bool  // a phase before hid files in folders that are too deep to look at
	next   time.Time
}

// start begins for a phase. If the one before has filled the disk, this one gets a little all the same: its tests must run.
func (s *storage) start(of *Session) {
	s.s = of
	used, deep := s.used(nil)
	s.most, s.deep = max(of.trial.limits.Storage, used+64<<20), deep
}

// beyond reports whether the trial is beyond its limit, and writes on, and whether it has looked. What it has once been ended
// for, it may remove.
func (s *storage) beyond(all []process) (beyond, looked bool) {
	now := time.Now()
	if now.Before(s.next) {
		return false, false
	}
	used, deep := s.used(all)
	s.next = time.Now().Add(max(every, 20*time.Since(now)))
	if used > max(s.most, s.held) || deep && !s.deep {
		s.held = used + s.most/16 // what was under way
		return true, true
	}
	s.held = min(s.held, used+s.most/16)
	return false, true
}

// used adds up the bytes of all files. One without any counts as a piece. Deep: there are folders that it does not look at.
func (s *storage) used(all []process) (sum int64, deep bool) {
	const piece = 1 << 10
	for _, g := range s.s.trial.groups {
		below := walk(filepath.Join(s.s.trial.dir, g.upper), func(_ string, stat *unix.Stat_t) {
			sum += max(stat.Blocks*512, piece)
		})
		deep = deep || below
	}
	seen := map[[2]uint64]bool{}
	s.memory = 0
	for _, p := range all {
		dir := s.s.procName(strconv.Itoa(p.PID) + "/fd")
		names, _ := os.ReadDir(dir) // of one that has ended: none
		for _, entry := range names {
			var stat unix.Stat_t
			name := filepath.Join(dir, entry.Name())
			if unix.Stat(name, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Nlink > 0 || seen[[2]uint64{stat.Dev, stat.Ino}] {
				continue
			}
			seen[[2]uint64{stat.Dev, stat.Ino}] = true
			if target, _ := os.Readlink(name); strings.HasPrefix(target, "/memfd:") {
				s.memory += stat.Blocks * 512
			} else {
				sum += stat.Blocks * 512
			}
		}
	}
	return sum, deep
}
