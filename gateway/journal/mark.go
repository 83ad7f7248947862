package journal

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
)

// A slot of the mark names a confirmed frame, or without a name only how far a segment is durable.
type slot struct {
	End, Salt uint32   // of the frame in its segment; of the segment
	Name      [36]byte // of the session, perhaps cut; zeros follow
}

const slots = 4096 // in the mark

// newSlot is the slot of a frame that ends at an offset.
func newSlot(s *segment, end int64, session string) slot {
	of := slot{End: uint32(end), Salt: s.Head.Salt}
	copy(of.Name[:], session)
	return of
}

// mark is the slot that says how far the segment is durable.
func (s *segment) mark() slot { return newSlot(s, s.Size(), "") }

// A known is what the mark said at the opening.
type known struct {
	list   []slot // in the order of writing; the last says which segment was open
	copied bool   // the data folder is a copy, which may be older than its mark
	path   string // of the mark
}

// end is the end of the last confirmed frame of a segment, if it was the open one.
func (k known) end(salt uint32) int64 {
	if n := len(k.list); n > 0 && k.list[n-1].Salt == salt {
		return int64(k.list[n-1].End)
	}
	return 0
}

// since names the sessions that had records confirmed in a segment after an offset; negative: in
// any.
func (k known) since(salt uint32, at int64) string {
	var names []string
	n := 0
	for _, s := range k.list {
		name := string(bytes.TrimRight(s.Name[:], "\x00"))
		if name != "" && (at < 0 || s.Salt == salt && int64(s.End) > at) {
			n++
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	more := ""
	if most := 20; len(names) > most {
		more = " and " + stats.Count(len(names)-most, "other")
		names = names[:most]
	}
	return fmt.Sprintf("%s at least, of %q%s", stats.Count(n, "record"), names, more)
}

// lost is the error of a segment that ends at an offset, and was confirmed beyond.
func (k known) lost(salt uint32, at int64) error {
	return fmt.Errorf("%w: %d bytes that were confirmed are missing after %d: %s: put back a copy of the folder, or remove %s to go on without them",
		ErrDamaged, k.end(salt)-at, at, k.since(salt, at), k.path)
}

// older tells what is missing in a copied data folder.
func (k known) older(log *slog.Logger, dir, lost string) {
	log.Warn("the data folder is a copy, and its session journal is older than its mark: what came since is missing: put back a newer copy, or go on without it", "folder", dir, "confirmed", lost)
}

// compare looks for the segment that was open. Without it, the folder is another one.
func (j *Journal) compare() error {
	n := len(j.was.list)
	if n == 0 || slices.ContainsFunc(j.segments, func(s *segment) bool { return j.was.end(s.Head.Salt) > 0 }) {
		return nil
	}
	lost := j.was.since(0, -1)
	switch {
	case len(j.segments) == 0:
		j.log.Error("the folder of the session journal was removed: its sessions are lost unless you put it back", "folder", j.dir, "confirmed", lost)
	case j.was.copied:
		j.was.older(j.log, j.dir, lost)
	default:
		return fmt.Errorf("%s: %w: it is an older copy: what was confirmed since is missing, among %s: put back the newest copy, or remove %s to go on with this one",
			j.dir, ErrDamaged, lost, j.was.path)
	}
	return nil
}
