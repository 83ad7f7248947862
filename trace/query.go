package trace

import (
	"cmp"
	"iter"
	"math"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Query says which records are wanted: those that fulfil all that is set. The zero Query
// is of all.
type Query struct {
	Group    string           // ID of the group
	Task     string           // name
	Scenario string           // ID
	Outcome  quintain.Outcome // that an episode of the group has
	Drop     string           // Kept, Dropped, or a reason for which groups are dropped

	MinVersion, MaxVersion *int      // of the policy; nil: any
	From, To               time.Time // not before From, and before To; zero: any

	Newest bool // the newest first, and not the oldest
	After  Ref  // only what follows this record in that order; zero: from the start
	Limit  int  // at most that many; 0: all
}

// What Drop may ask for beside the reasons.
const (
	Kept    = "kept"    // groups that were not dropped
	Dropped = "dropped" // groups that were, for any reason
)

// A condition is one that a number of a row must fulfil.
type condition struct {
	column
	ok func(v int64) bool
}

// A filter is a query on one index.
type filter struct {
	index *index
	all   []condition
	none  bool // no row can fulfil them
}

// filter returns the conditions of q.
func (q *Query) filter(x *index) *filter {
	f := &filter{index: x}
	if q.Group != "" {
		prefix, number := splitID(q.Group)
		f.within(colNumber, number, number)
		f.text(colPrefix, prefix)
	}
	if q.Task != "" {
		f.text(colTask, q.Task)
	}
	if q.Scenario != "" {
		f.text(colScenario, q.Scenario)
	}
	if q.Outcome != "" {
		bits := outcomeBits([]quintain.Outcome{q.Outcome})
		f.add(colOutcomes, func(v int64) bool { return v&bits != 0 })
	}
	switch q.Drop {
	case "":
	case Kept:
		f.text(colDrop, "")
	case Dropped:
		kept, _ := x.place("")
		f.add(colDrop, func(v int64) bool { return v != kept })
	default:
		f.text(colDrop, q.Drop)
	}
	if q.MinVersion != nil {
		f.within(colVersion, int64(*q.MinVersion), math.MaxInt64)
	}
	if q.MaxVersion != nil {
		f.within(colVersion, math.MinInt64, int64(*q.MaxVersion))
	}
	if !q.From.IsZero() {
		f.within(colTime, nanoseconds(q.From), math.MaxInt64)
	}
	if !q.To.IsZero() {
		to := nanoseconds(q.To)
		f.add(colTime, func(v int64) bool { return v < to })
	}
	return f
}

// nanoseconds counts a time since 1970, as well as 64 bits can.
func nanoseconds(t time.Time) int64 {
	switch ns := t.UnixNano(); {
	case time.Unix(0, ns).Equal(t):
		return ns
	case t.Unix() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func (f *filter) add(col int, ok func(v int64) bool) {
	f.all = append(f.all, condition{f.index.columns[col], ok})
}

// within wants a number of low to high.
func (f *filter) within(col int, low, high int64) {
	f.add(col, func(v int64) bool { return v >= low && v <= high })
}

// text wants a text.
func (f *filter) text(col int, want string) {
	at, there := f.index.place(want)
	f.none = f.none || !there
	f.within(col, at, at)
}

// fits reports whether row i fulfils all conditions.
func (f *filter) fits(i int) bool {
	for k := range f.all {
		if c := &f.all[k]; !c.ok(c.at(i)) {
			return false
		}
	}
	return true
}

// find adds the entries of an index that fulfil q to found.
func (q *Query) find(found []Entry, x *index, segment int) []Entry {
	f := q.filter(x)
	if f.none {
		return found
	}
	for b := range q.order(len(x.Blocks)) {
		for k := range q.order(int(x.Blocks[b][1])) {
			if q.Limit > 0 && len(found) >= q.Limit {
				return found
			}
			i := x.firsts[b] + k
			if q.follows(Ref{segment, x.Blocks[b][0], k}) && f.fits(i) {
				found = append(found, x.entry(i, b, segment))
			}
		}
	}
	return found
}

// follows reports whether a record stands after q.After, in the order of q.
func (q *Query) follows(r Ref) bool {
	if q.After == (Ref{}) {
		return true
	}
	order := cmp.Or(cmp.Compare(r.Segment, q.After.Segment), cmp.Compare(r.Block, q.After.Block), cmp.Compare(r.Record, q.After.Record))
	if q.Newest {
		return order < 0
	}
	return order > 0
}

// order counts from 0 to n-1, or down.
func (q *Query) order(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if q.Newest {
				i = n - 1 - i
			}
			if !yield(i) {
				return
			}
		}
	}
}
