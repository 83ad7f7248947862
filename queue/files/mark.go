package files

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A mark tells how far a store came. It is in a file outside the store's folder, so that the
// store notices at its opening if the folder was removed, or put back from an older copy. It may
// lag behind, and never is ahead.
type mark struct {
	Store  uint64 // its identity
	Last   uint64 // highest sequence number given
	Done   markedLog
	States markedLog
	Born   uint64 // when its file was made, so that a copy of the data folder is noticed; 0: unknown
}

// A markedLog is a log in a mark.
type markedLog struct {
	Salt uint32
	Size int64
}

// A marker is the file of a mark.
type marker struct {
	f    *osFile
	born uint64
}

// markLen is the size of a mark's file: the mark, and a CRC-32C.
const markLen = 52

// openMark opens or makes the file of a mark.
func openMark(pool *Pool, path string) (*marker, error) {
	if err := datadir.MakeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := pool.add(path)
	if err != nil {
		return nil, err
	}
	f.Spare()
	return &marker{f, datadir.Born(path)}, nil
}

// read returns the mark; ok is false if the file has none.
func (m *marker) read() (k mark, ok bool) {
	var b [markLen]byte
	if _, err := m.f.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return k, false
	}
	n, err := binary.Decode(b[:], binary.LittleEndian, &k)
	return k, err == nil && crc32.Checksum(b[:n], castagnoli()) == binary.LittleEndian.Uint32(b[n:]) && k.Store != 0
}

// note writes the mark of a store whose manifest is m. A failure only loses knowledge.
func (m *marker) note(now manifest) {
	k := markOf(now)
	k.Born = m.born
	b, err := binary.Append(make([]byte, 0, markLen), binary.LittleEndian, k)
	if err == nil {
		_, _ = m.f.WriteAt(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli())), 0)
	}
}

func markOf(m manifest) mark {
	log := func(name string) markedLog { return markedLog{m.files[name].salt, m.files[name].sealed} }
	return mark{Store: m.store, Last: m.last, Done: log(doneName), States: log(statesName)}
}

// remember compares the store with the mark in the file at path, reports what it finds, and
// keeps the mark up to date from now on.
func (c *catalog) remember(pool *Pool, path string) {
	m, err := openMark(pool, path)
	if err != nil {
		c.log.Warn("without its mark, the store cannot tell whether its folder is put back from an older copy", "err", err)
		return
	}
	c.sealing.Lock()
	defer c.sealing.Unlock()
	now := c.present()
	if before, ok := m.read(); ok && !c.guessed {
		c.compare(before, markOf(now), m.born)
	}
	c.mark = m
	m.note(now)
}

// compare reports what happened to the folder between two marks.
func (c *catalog) compare(before, now mark, born uint64) {
	switch {
	case before.Store != now.Store:
		c.damaged.Add(1)
		c.log.Error("the folder of the queue was removed or replaced: its groups are lost unless you put it back", "last_number_before", before.Last, "now", now.Last)
	case before.Born != 0 && born != 0 && before.Born != born: // also if the mark was copied a moment after the folder
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
