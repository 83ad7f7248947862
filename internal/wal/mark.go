package wal

import (
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A Mark is a small file that tells how far others were written, so that a confirmed end that is
// missing is noticed: a ring of slots, each with a T, a value of a fixed size for package
// encoding/binary. A slot is written after what it tells of is durable, and is not synced itself:
// it survives the process, lags behind after a power cut, and is never ahead. So it stands outside
// of what it describes, and its failures only lose knowledge. The methods of a nil Mark do nothing.
type Mark[T any] struct {
	f     File
	slots int
	born  uint64
	seq   uint64 // of the last slot

	dropped bool
	buf     []byte
}

// slotLen is the size of a slot in bytes: 8 number, 8 time at which the file was made, or 0 (so a
// copy is noticed), then T, zeros, and the CRC-32C of these 60.
const slotLen = 64

// OpenMark opens or makes the mark of so many slots at a path, its file in a pool; nil: there is
// no path, or no room.
func OpenMark[T any](pool *Pool, path string, slots int) *Mark[T] {
	if path == "" || datadir.MakeFolder(filepath.Dir(path)) != nil {
		return nil
	}
	f, err := pool.add(path)
	if err != nil {
		return nil
	}
	return NewMark[T](namedFile{pooledFile: f}, slots, datadir.Born(path))
}

// NewMark returns the mark in a file that was made at a time; 0: unknown.
func NewMark[T any](f File, slots int, born uint64) *Mark[T] {
	f.Spare()
	m := &Mark[T]{f: f, slots: slots, born: born}
	m.Read()
	return m
}

// ReadMark returns what the mark at a path notes, in the order of writing, except what was
// overwritten. If the file is a copy, that may be newer than a copy of what it describes.
func ReadMark[T any](path string) (list []T, copied bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	list, _, copied = slotsOf[T](b, datadir.Born(path))
	return list, copied
}

// Read is [ReadMark] of an open mark. No other method may be called meanwhile.
func (m *Mark[T]) Read() (list []T, copied bool) {
	if m == nil {
		return nil, false
	}
	b, err := readAll(m.f)
	if err != nil {
		return nil, false
	}
	list, m.seq, copied = slotsOf[T](b, m.born)
	return list, copied
}

// slotsOf reads the slots of a file that was made at a time.
func slotsOf[T any](b []byte, now uint64) (list []T, seq uint64, copied bool) {
	var found [][]byte
	for s := range slices.Chunk(b[:len(b)/slotLen*slotLen], slotLen) {
		if binary.LittleEndian.Uint64(s) > 0 && Sum(0, s[:slotLen-4]) == binary.LittleEndian.Uint32(s[slotLen-4:]) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b []byte) int {
		return cmp.Compare(binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b))
	})
	for _, s := range found {
		var v T
		if _, err := binary.Decode(s[16:slotLen-4], binary.LittleEndian, &v); err != nil {
			return nil, seq, false
		}
		born := binary.LittleEndian.Uint64(s[8:])
		list, seq, copied = append(list, v), binary.LittleEndian.Uint64(s), born != 0 && now != 0 && born != now
	}
	return list, seq, copied
}

// Note writes values, one a slot. If it cannot, there is no mark any more: it must not be older
// than a file that goes.
func (m *Mark[T]) Note(list ...T) {
	if m == nil || m.dropped {
		return
	}
	b, from := m.buf[:0], m.seq
	for i, v := range list {
		m.seq++
		b = m.slot(b, v)
		if last := i == len(list)-1; last || m.seq%uint64(m.slots) == 0 { // the ring begins anew
			if _, err := m.f.WriteAt(b, int64(from%uint64(m.slots))*slotLen); err != nil {
				m.drop()
				return
			}
			b, from = b[:0], m.seq
		}
	}
	m.buf = b
}

// slot appends the slot of a value.
func (m *Mark[T]) slot(b []byte, v T) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, m.seq)
	b = binary.LittleEndian.AppendUint64(b, m.born)
	b, _ = binary.Append(b, binary.LittleEndian, v)
	b = append(b, make([]byte, from+slotLen-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, Sum(0, b[from:]))
}

// drop gives up the mark.
func (m *Mark[T]) drop() {
	_ = m.f.Truncate(0)
	m.dropped = true
}

// Keep is Note that makes the slots durable.
func (m *Mark[T]) Keep(list ...T) {
	if m.Note(list...); m != nil && !m.dropped && m.f.Sync() != nil {
		m.drop()
	}
}

// Close closes the file.
func (m *Mark[T]) Close() error {
	if m == nil {
		return nil
	}
	return m.f.Close()
}
