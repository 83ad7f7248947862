package files

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync/atomic"
)

// Ends say how much of the growing files is durable, after each write. Nobody waits until
// they are on disk themselves: they outlive the process, and lag behind if the machine
// stops. What they say was durable before they said it, so they are never ahead.
type ends struct {
	f     file        // nil: nothing is known, nor kept
	dirty atomic.Bool // something was noted since the last sync
}

const (
	endsName = "ends"
	endLen   = 16
)

// openEnds opens the ends of a folder. A store works without them.
func openEnds(in folder) *ends {
	f, err := in.open(endsName)
	if err != nil {
		return &ends{}
	}
	f.Spare()
	return &ends{f: f}
}

// endAt is where the end of the file of a kind is kept.
func endAt(kind byte) int64 {
	return endLen * int64(bytes.IndexByte([]byte{kindGroups, kindDone, kindStates}, kind))
}

// note keeps the size of the file that grows, of a kind. If that fails, less is known.
func (e *ends) note(kind byte, salt uint32, size int64) {
	if e.f == nil {
		return
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, endLen), uint64(size))
	b = binary.LittleEndian.AppendUint32(b, salt)
	_, _ = e.f.WriteAt(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli())), endAt(kind))
	e.dirty.Store(true)
}

// of returns the size that was kept of a file, or 0.
func (e *ends) of(kind byte, salt uint32) int64 {
	var b [endLen]byte
	if e.f == nil {
		return 0
	}
	if _, err := e.f.ReadAt(b[:], endAt(kind)); err != nil || binary.LittleEndian.Uint32(b[12:]) != crc32.Checksum(b[:12], castagnoli()) ||
		binary.LittleEndian.Uint32(b[8:]) != salt {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// sync has the file closed once it was not used for a while.
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
