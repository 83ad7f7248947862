package files

import (
	"cmp"
	"slices"
)

// A row says where a body lies in its segment. Hundreds of thousands are in memory, so
// it is kept small.
type row struct {
	seq  uint64
	spot spot
}

// A spot is an offset and a size. It is 0 once the body is free: nothing lies at offset 0.
type spot uint64

// sizeBits are the bits of a spot that hold the size of a body: [maxRecord] at most. The
// others hold the offset, of up to 128 GiB: a put has fewer bytes, and a segment takes none
// once it is full.
const sizeBits = 27

func newSpot(at int64, size int) spot { return spot(at<<sizeBits | int64(size)) }

func (s spot) at() int64  { return int64(s >> sizeBits) }
func (s spot) size() int  { return int(s & (1<<sizeBits - 1)) }
func (s spot) free() bool { return s == 0 }

// groupCost is about what a group takes of a file beside its body: a prefix, a row and an
// index record.
const groupCost = 100

// cost is about what the body takes of a file.
func (s spot) cost() int64 { return int64(s.size()) + groupCost }

// find returns the row of a body in use, or nil.
func (seg *segment) find(seq uint64) *row {
	n := len(seg.rows)
	if n == 0 || seq < seg.rows[0].seq || seq > seg.rows[n-1].seq {
		return nil
	}
	at, ok := slices.BinarySearchFunc(seg.rows, seq, func(r row, seq uint64) int { return cmp.Compare(r.seq, seq) })
	if !ok || seg.rows[at].spot.free() {
		return nil
	}
	return &seg.rows[at]
}

// enter adds the row of a body. Bodies nearly always come in the order of their numbers.
func (seg *segment) enter(e placed) {
	r := row{e.Seq, newSpot(e.at, e.Size)}
	at := len(seg.rows)
	if at > 0 && seg.rows[at-1].seq >= e.Seq {
		at, _ = slices.BinarySearchFunc(seg.rows, e.Seq, func(r row, seq uint64) int { return cmp.Compare(r.seq, seq) })
	}
	seg.rows = slices.Insert(seg.rows, at, r)
	seg.live++
	seg.bytes += r.spot.cost()
	seg.total += r.spot.cost()
}

// release frees a body in use.
func (seg *segment) release(seq uint64) {
	r := seg.find(seq)
	seg.live--
	seg.bytes -= r.spot.cost()
	if r.spot = 0; seg.live == 0 {
		seg.rows = nil // frees their memory too
	}
}
