package files

import "github.com/quintain-rl/quintain/internal/wal"

// A mark tells how far a store came. It is in a file outside the store's folder, so that the
// store notices at its opening if the folder was removed, or put back from an older copy.
type mark struct {
	Store  uint64 // its identity
	Last   uint64 // highest sequence number given
	Done   markedLog
	States markedLog
}

// A markedLog is a log in a mark.
type markedLog struct {
	Salt uint32
	Size int64
}

func markOf(m manifest) mark {
	log := func(name string) markedLog { return markedLog{m.files[name].salt, m.files[name].sealed} }
	return mark{Store: m.store, Last: m.last, Done: log(doneName), States: log(statesName)}
}

// remember compares the store with the mark in the file at path, reports what it finds, and
// keeps the mark up to date from now on.
func (c *catalog) remember(pool *wal.Pool, path string) {
	m := wal.OpenMark[mark](pool, path, 1)
	if m == nil {
		c.log.Warn("without its mark, the store cannot tell whether its folder is put back from an older copy", "file", path)
		return
	}
	c.sealing.Lock()
	defer c.sealing.Unlock()
	now := markOf(c.present())
	if before, copied := m.Read(); len(before) > 0 && !c.guessed {
		c.compare(before[0], now, copied)
	}
	c.mark = m
	m.Note(now)
}

// compare reports what happened to the folder between two marks.
func (c *catalog) compare(before, now mark, copied bool) {
	switch {
	case before.Store != now.Store:
		c.damaged.Add(1)
		c.log.Error("the folder of the queue was removed or replaced: its groups are lost unless you put it back", "last_number_before", before.Last, "now", now.Last)
	case copied: // also if the mark was copied a moment after the folder
		c.log.Warn("the data folder is a copy: if the original was used since, groups that came since are missing here, and groups acknowledged since come again", "last_number", now.Last)
	case now.Last < before.Last, c.found.older(now.Done, before.Done), c.found.older(now.States, before.States):
		c.damaged.Add(1)
		c.log.Error("the folder of the queue was put back from an older copy: groups that came since are missing, and groups acknowledged since come again",
			"last_number_before", before.Last, "now", now.Last)
	}
}

// older reports whether a log is an earlier state of another.
func (m manifest) older(a, b markedLog) bool {
	if a.Salt == b.Salt {
		return a.Size < b.Size
	}
	x, y := a.Salt, b.Salt
	for range mostLag { // each replacement of a file gives it the next salt
		if y = m.nextSalt(y); y == a.Salt {
			return false
		}
		if x = m.nextSalt(x); x == b.Salt {
			return true
		}
	}
	return false
}
