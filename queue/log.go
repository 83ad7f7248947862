package queue

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A logRecord is one entry of the log of done groups.
type logRecord struct {
	Last       uint64 // highest sequence number when the record was written
	Forget     bool   // forget all earlier keys
	Checkpoint bool   // of the groups up to Through, only those in Live are not done
	Through    uint64
	Live       []uint64 // ascending
	Gone       []uint64 // done groups, ascending
	At         int64    // when the groups of Keys were done, in milliseconds since 1970 UTC
	Keys       []Key    // of done groups
	Lost       uint64   // groups found missing so far; only with Checkpoint
	Freed      []uint64 // formerly held groups, ascending
}

const (
	logVersion    = 2
	logForget     = 1
	logCheckpoint = 2
	logFreed      = 4 // the list is present
)

// encode returns the record's binary form; see docs/formats/stream.md.
func (r logRecord) encode() []byte {
	flags := byte(0)
	if r.Forget {
		flags |= logForget
	}
	if r.Checkpoint {
		flags |= logCheckpoint
	}
	if len(r.Freed) > 0 {
		flags |= logFreed
	}
	b := make([]byte, 0, 16+2*(len(r.Live)+len(r.Gone)+len(r.Freed))+len(r.Keys)*len(Key{}))
	b = append(b, logVersion, flags)
	b = binary.AppendUvarint(b, r.Last)
	b = binary.AppendUvarint(b, r.Through)
	b = appendAscending(b, r.Live)
	b = appendAscending(b, r.Gone)
	b = binary.AppendUvarint(b, r.Lost)
	b = binary.AppendUvarint(b, uint64(r.At))
	b = binary.AppendUvarint(b, uint64(len(r.Keys)))
	for _, k := range r.Keys {
		b = append(b, k[:]...)
	}
	if len(r.Freed) > 0 {
		b = appendAscending(b, r.Freed)
	}
	return b
}

// appendAscending appends the length of list, then the difference of each element from the
// last.
func appendAscending(b []byte, list []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	last := uint64(0)
	for _, v := range list {
		b = binary.AppendUvarint(b, v-last)
		last = v
	}
	return b
}

// decodeLog undoes encode.
func decodeLog(b []byte) (r logRecord, err error) {
	if len(b) < 2 {
		return r, fmt.Errorf("log record: has %d bytes", len(b))
	}
	if b[0] != logVersion {
		return r, fmt.Errorf("log record: has version %d, want %d: %w", b[0], logVersion, ErrNewer)
	}
	r.Forget, r.Checkpoint = b[1]&logForget != 0, b[1]&logCheckpoint != 0
	in := logReader{b: b[2:]}
	r.Last = in.uint()
	r.Through = in.uint()
	r.Live = in.ascending()
	r.Gone = in.ascending()
	r.Lost = in.uint()
	r.At = int64(in.below(math.MaxInt64))
	r.Keys = in.keys()
	if b[1]&logFreed != 0 {
		if r.Freed = in.ascending(); len(r.Freed) == 0 {
			in.torn = true // the flag announces a list
		}
	}
	if in.torn {
		return r, fmt.Errorf("log record: its %d bytes are not one whole record", len(b))
	}
	return r, nil
}

// A logReader reads numbers from the front of b. Once torn, it returns zeros.
type logReader struct {
	b    []byte
	torn bool
}

func (r *logReader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.torn = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// len reads the length of a list with elements of at least size bytes.
func (r *logReader) len(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.b, r.torn = nil, true
		return 0
	}
	return int(n)
}

func (r *logReader) ascending() []uint64 {
	list, last := make([]uint64, r.len(1)), uint64(0)
	for i := range list {
		last += r.uint()
		list[i] = last
	}
	return list
}

func (r *logReader) keys() (list []Key) {
	n := r.len(len(Key{})) * len(Key{})
	for k := range slices.Chunk(r.b[:n], len(Key{})) {
		list = append(list, Key(k))
	}
	r.b = r.b[n:]
	return list
}

// A history is the content of the log.
type history struct {
	records int
	through uint64              // numbers up to it are live or done
	live    map[uint64]struct{} // not done at the last checkpoint
	gone    map[uint64]struct{} // done since
	freed   map[uint64]struct{} // no longer held
	known   remembered          // keys of done groups
	lost    uint64
	last    uint64 // highest number in the log
}

func newHistory(known remembered) *history {
	return &history{live: make(map[uint64]struct{}), gone: make(map[uint64]struct{}), freed: make(map[uint64]struct{}), known: known}
}

// apply adds the next record.
func (h *history) apply(r logRecord) {
	h.records++
	if r.Forget {
		h.known.eras = nil
	}
	h.last = max(h.last, r.Last)
	if r.Checkpoint {
		h.last = r.Last // lower, if the store has lost its end
		h.through, h.lost = r.Through, r.Lost
		clear(h.live)
		clear(h.gone)
		clear(h.freed)
		for _, seq := range r.Live {
			h.live[seq] = struct{}{}
		}
	}
	for _, seq := range r.Gone {
		h.gone[seq] = struct{}{}
		delete(h.freed, seq)
	}
	for _, seq := range r.Freed {
		h.freed[seq] = struct{}{}
	}
	h.known.add(r.At, r.Keys...)
}

// done reports whether a group is done, by its number or its key.
func (h *history) done(seq uint64, key Key) bool {
	_, gone := h.gone[seq]
	_, live := h.live[seq]
	return gone || h.known.has(key) || seq <= h.through && !live
}

// missing returns the numbers up to last that are neither present nor done, ascending.
func (h *history) missing(last uint64, present map[uint64]struct{}) (list []uint64) {
	look := func(seq uint64) {
		_, gone := h.gone[seq]
		if _, here := present[seq]; !here && !gone {
			list = append(list, seq)
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(h.live)) {
		look(seq)
	}
	for seq := h.through + 1; seq <= last; seq++ {
		look(seq)
	}
	return list
}
