package trace

import (
	"cmp"
	"slices"
	"sort"
)

// A joinedRow is a row of a joined trace.
type joinedRow struct {
	segment    *segment
	index      *index
	row, block int32
}

// at is the place of the row.
func (j *joinedRow) at() Ref {
	at := j.segment.at()
	at.Block, at.Record = j.index.Blocks[j.block][0], int(j.row)-j.index.firsts[j.block]
	return at
}

// compare orders rows by time, and those of one time by their place.
func (j *joinedRow) compare(other *joinedRow) int {
	if order := cmp.Compare(j.index.at(colTime, int(j.row)), other.index.at(colTime, int(other.row))); order != 0 {
		return order
	}
	return compareRefs(j.at(), other.at())
}

// A runGroup names a group of a run.
type runGroup struct {
	run, prefix string
	number      int64
}

// A claim says which source has the record of a group that counts: a kept one before a dropped
// one, then the newest.
type claim struct {
	source int
	kept   bool
	time   int64
}

// before reports whether other counts rather than p.
func (p claim) before(other claim) bool {
	if p.kept != other.kept {
		return other.kept
	}
	return p.time <= other.time
}

// join returns the rows of segments of several sources by time. A group that two of them have
// was played anew when one took over the run from the other: the rows of only one are shown.
func join(segments []*segment) (all []joinedRow) {
	for _, s := range segments {
		for _, x := range s.parts {
			x.hidden, x.hides = nil, 0
		}
	}
	counts := map[runGroup]claim{}
	rows := rowsOf(segments)
	for k := range rows {
		j, i, name := &rows[k], int(rows[k].row), rows[k].group()
		one := claim{j.segment.source, j.index.text(colDrop, i) == "", j.index.at(colTime, i)}
		if before, there := counts[name]; !there || before.before(one) {
			counts[name] = one
		}
	}
	for k := range rows {
		if j := &rows[k]; counts[j.group()].source == j.segment.source {
			all = append(all, *j)
		} else {
			j.index.hide(int(j.row))
		}
	}
	slices.SortFunc(all, func(a, b joinedRow) int { return a.compare(&b) })
	return all
}

// rowsOf returns all rows of segments.
func rowsOf(segments []*segment) (all []joinedRow) {
	for _, s := range segments {
		for _, x := range s.parts {
			all = x.rows(all, s)
		}
	}
	return all
}

// rows adds the rows of an index of s.
func (x *index) rows(all []joinedRow, s *segment) []joinedRow {
	for b, block := range x.Blocks {
		for i := range int32(block[1]) {
			all = append(all, joinedRow{s, x, int32(x.firsts[b]) + i, int32(b)})
		}
	}
	return all
}

// group names the group of the row.
func (j *joinedRow) group() runGroup {
	i := int(j.row)
	return runGroup{j.segment.head.Run, j.index.text(colPrefix, i), j.index.at(colNumber, i)}
}

// hide hides row i.
func (x *index) hide(i int) {
	if x.hidden == nil {
		x.hidden = make([]bool, x.Records)
	}
	x.hidden[i] = true
	x.hides++
}

// after returns the joined rows that come after q.After.
func (r *Reader) after(q *Query) []joinedRow {
	last := r.ranked(q.After, q.By)
	if last == nil {
		return r.joined
	}
	at := &joinedRow{r.segmentAt(q.After), last.index, int32(last.row), int32(last.block)}
	if q.Newest {
		return r.joined[:sort.Search(len(r.joined), func(i int) bool { return r.joined[i].compare(at) >= 0 })]
	}
	return r.joined[sort.Search(len(r.joined), func(i int) bool { return r.joined[i].compare(at) > 0 }):]
}

// findJoined returns the entries of the matches of q by time.
func (r *Reader) findJoined(q *Query) (found []Entry) {
	filters := map[*index]*filter{}
	rows := r.after(q)
	for i := range q.order(len(rows)) {
		j := &rows[i]
		f := filters[j.index]
		if f == nil {
			f = q.filter(j.index)
			filters[j.index] = f
		}
		if f.none || !f.fits(int(j.row)) {
			continue
		}
		found = append(found, j.index.entry(int(j.row), int(j.block), j.segment.at()))
		if q.Limit > 0 && len(found) == q.Limit {
			return found
		}
	}
	return found
}
