package files

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"github.com/quintain-rl/quintain/internal/wal"
)

// ends are the durable sizes of the growing files and the highest sequence number, updated after each write. Nobody waits
// for their own durability: they survive the process, and lag behind if the machine stops.
// They are written after the sync, so they are never ahead.
type ends struct {
	f     wal.File    // nil: no ends
	dirty atomic.Bool // changed since the last sync
}

const (
	endsName = "ends"
	endLen   = 16
	kindLast = 'l' // no file: the highest sequence number, in place of a size
)

// openEnds opens the ends of a folder. A store works without them.
func openEnds(in wal.Folder) *ends {
	f, err := in.Open(endsName)
	if err != nil {
		return &ends{}
	}
	f.Spare()
	return &ends{f: f}
}

// endAt is the offset of the end of a kind of file.
func endAt(kind byte) int64 {
	return endLen * int64(bytes.IndexByte([]byte{kindGroups, kindDone, kindStates, kindLast}, kind))
}

// note writes the size of the growing file of a kind. A failure only loses knowledge.
func (e *ends) note(kind byte, salt uint32, size int64) {
	if e.f == nil {
		return
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, endLen), uint64(size))
	b = binary.LittleEndian.AppendUint32(b, salt)
	_, _ = e.f.WriteAt(binary.LittleEndian.AppendUint32(b, wal.Sum(0, b)), endAt(kind))
	e.dirty.Store(true)
}

// of returns the last noted size of a file, or 0.
func (e *ends) of(kind byte, salt uint32) int64 {
	var b [endLen]byte
	if e.f == nil {
		return 0
	}
	if _, err := e.f.ReadAt(b[:], endAt(kind)); err != nil || binary.LittleEndian.Uint32(b[12:]) != wal.Sum(0, b[:12]) ||
		binary.LittleEndian.Uint32(b[8:]) != salt {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// gave notes the highest sequence number given in a store.
func (e *ends) gave(store, last uint64) { e.note(kindLast, saltOf(store), int64(last)) }

// last returns the last noted number of a store, or 0.
func (e *ends) last(store uint64) uint64 { return uint64(e.of(kindLast, saltOf(store))) }

// sync syncs the ends, so that the file can be closed when idle.
func (e *ends) sync(c *catalog) error {
	if !e.dirty.Swap(false) {
		return nil
	}
	c.touch()
	return e.f.Sync()
}

func (e *ends) close() error {
	if e.f == nil {
		return nil
	}
	return e.f.Close()
}
