package trace

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// An Order is the sort order of a [Query].
type Order string

// The orders. Equal records are in the order of writing; those without a score or spread are
// below all others.
const (
	ByTime    Order = "" // the order of writing
	ByScore   Order = "score"
	BySpread  Order = "spread"
	ByTokens  Order = "tokens"
	ByVersion Order = "version"
)

// A ranked is a row with its rank.
type ranked struct {
	value float64
	at    Ref
	index *index
	row   int
	block int
}

// compare orders rows.
func (a *ranked) compare(b *ranked) int {
	return cmp.Or(cmp.Compare(a.value, b.value), compareRefs(a.at, b.at))
}

// compareRefs orders places by writing.
func compareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Record, b.Record))
}

// rank is the rank of row i in an order other than by time.
func (x *index) rank(by Order, i int) float64 {
	switch by {
	case ByTokens:
		return float64(x.at(colTokens, i))
	case ByVersion:
		return float64(x.at(colVersion, i))
	case BySpread:
		return float64(x.at(colSpread, i)) // the bits are in the order of the values
	}
	score := math.Float64frombits(uint64(x.at(colScore, i)))
	if math.IsNaN(score) {
		return math.Inf(-1)
	}
	return score
}

// sorted returns the first rows of a query in an order other than by time, and the number of
// all matches. It holds only the wanted number of rows, in a heap with the last on top.
func (r *Reader) sorted(q *Query) (found []Entry, matches int) {
	top := &ranking{newest: q.Newest}
	after := r.ranked(q.After, q.By)
	for _, s := range r.segments {
		for _, x := range s.parts {
			q.rows(x, s.at(), func(row *ranked) bool {
				matches++
				row.value = x.rank(q.By, row.row)
				if after == nil || top.before(after, row) {
					top.offer(row, q.Limit)
				}
				return true
			})
		}
	}
	found = make([]Entry, len(top.rows))
	for i := len(found) - 1; i >= 0; i-- {
		row := heap.Pop(top).(ranked)
		found[i] = row.index.entry(row.row, row.block, row.at)
	}
	return found, matches
}

// ranked returns the row at a place, or nil.
func (r *Reader) ranked(at Ref, by Order) *ranked {
	s := r.segmentAt(at)
	if s == nil {
		return nil
	}
	for _, x := range s.parts {
		b := slices.IndexFunc(x.Blocks, func(block [2]int64) bool { return block[0] == at.Block })
		if b >= 0 && at.Record >= 0 && int64(at.Record) < x.Blocks[b][1] {
			i := x.firsts[b] + at.Record
			return &ranked{x.rank(by, i), at, x, i, b}
		}
	}
	return nil
}

// A ranking is the first rows of an order, as a heap with the last on top.
type ranking struct {
	rows   []ranked
	newest bool // from high to low
}

// before reports whether a comes before b.
func (k *ranking) before(a, b *ranked) bool {
	if k.newest {
		a, b = b, a
	}
	return a.compare(b) < 0
}

// offer adds a row if it is among the first limit; 0: all.
func (k *ranking) offer(row *ranked, limit int) {
	switch {
	case limit <= 0 || len(k.rows) < limit:
		heap.Push(k, *row)
	case k.before(row, &k.rows[0]):
		k.rows[0] = *row
		heap.Fix(k, 0)
	}
}

// Len implements [heap.Interface].
func (k *ranking) Len() int { return len(k.rows) }

// Less implements [heap.Interface].
func (k *ranking) Less(i, j int) bool { return k.before(&k.rows[j], &k.rows[i]) }

// Swap implements [heap.Interface].
func (k *ranking) Swap(i, j int) { k.rows[i], k.rows[j] = k.rows[j], k.rows[i] }

// Push implements [heap.Interface].
func (k *ranking) Push(row any) { k.rows = append(k.rows, row.(ranked)) }

// Pop implements [heap.Interface].
func (k *ranking) Pop() any {
	last := k.rows[len(k.rows)-1]
	k.rows = k.rows[:len(k.rows)-1]
	return last
}
