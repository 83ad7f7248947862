package trace

import (
	"iter"
	"math"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Query selects the records that meet all its conditions. The zero Query selects all.
type Query struct {
	Group    string           // ID of the group
	Task     string           // name
	Scenario string           // ID
	Outcome  quintain.Outcome // of any episode
	Drop     string           // Kept, Dropped, or a reason

	Level                  *int      // see [Head.Level]; nil: any
	MinVersion, MaxVersion *int      // of the policy; nil: any
	MinScore, MaxScore     *float64  // mean score of the group; nil: any, or none
	From, To               time.Time // not before From, and before To; zero: any

	By     Order
	Newest bool // newest or highest first; otherwise oldest or lowest first
	After  Ref  // only records after this one in the order; zero: all
	Limit  int  // largest number of records; 0: all
}

// Values of Drop besides the reasons.
const (
	Kept    = "kept"    // groups that were not dropped
	Dropped = "dropped" // groups dropped for any reason
)

// A condition is a condition on the numbers of a column.
type condition struct {
	column
	ok func(v int64) bool
}

// A filter is a query on one index.
type filter struct {
	index *index
	all   []condition
	none  bool // no row can meet all
}

// filter returns q's conditions on an index.
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
	f.level(q.Level)
	f.score(q.MinScore, q.MaxScore)
	if !q.From.IsZero() {
		f.within(colTime, nanoseconds(q.From), math.MaxInt64)
	}
	if !q.To.IsZero() {
		to := nanoseconds(q.To)
		f.add(colTime, func(v int64) bool { return v < to })
	}
	return f
}

// nanoseconds returns a time in nanoseconds since 1970, clamped to 64 bits.
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

// within adds the condition that a number is from low to high.
func (f *filter) within(col int, low, high int64) {
	f.add(col, func(v int64) bool { return v >= low && v <= high })
}

// text adds the condition that a text equals want.
func (f *filter) text(col int, want string) {
	at, there := f.index.place(want)
	f.none = f.none || !there
	f.within(col, at, at)
}

// level adds the condition on the level, which follows from the ID.
func (f *filter) level(want *int) {
	if want == nil {
		return
	}
	levels := f.index.levels
	f.add(colPrefix, func(v int64) bool { return v >= 0 && v < int64(len(levels)) && levels[v] == *want })
}

// score adds the condition that the score is from low to high; nil: any.
func (f *filter) score(low, high *float64) {
	if low == nil && high == nil {
		return
	}
	f.add(colScore, func(v int64) bool {
		score := math.Float64frombits(uint64(v))
		return !math.IsNaN(score) && (low == nil || score >= *low) && (high == nil || score <= *high)
	})
}

// fits reports whether row i meets all conditions.
func (f *filter) fits(i int) bool {
	if f.index.hidden != nil && f.index.hidden[i] {
		return false
	}
	for k := range f.all {
		if c := &f.all[k]; !c.ok(c.at(i)) {
			return false
		}
	}
	return true
}

// count is the number of rows that meet all conditions.
func (f *filter) count() (n int) {
	switch {
	case f.none:
		return 0
	case len(f.all) == 0:
		return f.index.Records - f.index.hides
	}
	for i := range f.index.Records {
		if f.fits(i) {
			n++
		}
	}
	return n
}

// find appends the matches of an index to found.
func (q *Query) find(found []Entry, x *index, segment Ref) []Entry {
	full := func() bool { return q.Limit > 0 && len(found) >= q.Limit }
	if full() {
		return found
	}
	q.rows(x, segment, func(row *ranked) bool {
		found = append(found, x.entry(row.row, row.block, segment))
		return !full()
	})
	return found
}

// rows calls visit for the matching rows of an index until it returns false, each time with
// the same ranked. It heeds After only if sorted by time.
func (q *Query) rows(x *index, segment Ref, visit func(*ranked) bool) {
	f := q.filter(x)
	if f.none {
		return
	}
	row := &ranked{index: x}
	for b := range q.order(len(x.Blocks)) {
		for k := range q.order(int(x.Blocks[b][1])) {
			i, at := x.firsts[b]+k, segment
			at.Block, at.Record = x.Blocks[b][0], k
			if q.By == ByTime && !q.follows(at) || !f.fits(i) {
				continue
			}
			row.at, row.row, row.block = at, i, b
			if !visit(row) {
				return
			}
		}
	}
}

// follows reports whether a record comes after q.After, in the order of q.
func (q *Query) follows(r Ref) bool {
	if q.After == (Ref{}) {
		return true
	}
	order := compareRefs(r, q.After)
	if q.Newest {
		return order < 0
	}
	return order > 0
}

// order counts from 0 to n-1, or down if q.Newest.
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
