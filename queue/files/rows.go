package files

import (
	"cmp"
	"slices"
)

// A row is the place of a body in its segment. It is small, because hundreds of thousands
// are in memory.
type row struct {
	seq    uint64
	extent extent
}

// An extent is an offset and a size. It is 0 for a free body: nothing lies at offset 0.
type extent uint64

// sizeBits are the bits of an extent for the size: [maxRecord] at most. The rest is the
// offset, up to 128 GiB: a put has fewer bytes, and a full segment takes none.
const sizeBits = 27

func newExtent(at int64, size int) extent { return extent(at<<sizeBits | int64(size)) }

func (s extent) at() int64  { return int64(s >> sizeBits) }
func (s extent) size() int  { return int(s & (1<<sizeBits - 1)) }
func (s extent) free() bool { return s == 0 }

// groupCost is about how many bytes a group takes in a file beside its body: a prefix, a row
// and an index record.
const groupCost = 100

// cost is about how many bytes the body takes in a file.
func (s extent) cost() int64 { return int64(s.size()) + groupCost }

// find returns the row of a live body, or nil.
func (seg *segment) find(seq uint64) *row {
	n := len(seg.rows)
	if n == 0 || seq < seg.rows[0].seq || seq > seg.rows[n-1].seq {
		return nil
	}
	at, ok := slices.BinarySearchFunc(seg.rows, seq, func(r row, seq uint64) int { return cmp.Compare(r.seq, seq) })
	if !ok || seg.rows[at].extent.free() {
		return nil
	}
	return &seg.rows[at]
}

// place is the index of the first row from seq on.
func (seg *segment) place(seq uint64) int {
	at, _ := slices.BinarySearchFunc(seg.rows, seq, func(r row, seq uint64) int { return cmp.Compare(r.seq, seq) })
	return at
}

// enter adds the row of a body. Bodies nearly always come in order.
func (seg *segment) enter(e placed) {
	r := row{e.Seq, newExtent(e.at, e.Size)}
	at := len(seg.rows)
	if at > 0 && seg.rows[at-1].seq >= e.Seq {
		at = seg.place(e.Seq)
	}
	seg.rows = slices.Insert(seg.rows, at, r)
	seg.live++
	seg.bytes += r.extent.cost()
	seg.total += r.extent.cost()
}

// release frees a live body.
func (seg *segment) release(seq uint64) {
	r := seg.find(seq)
	seg.live--
	seg.bytes -= r.extent.cost()
	if r.extent = 0; seg.live == 0 {
		seg.rows = nil // frees the memory
	}
}
