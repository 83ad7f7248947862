package exam

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
)

// A Comparison compares two reports on the same problems. Its Change is over all rows, each
// with the same weight.
type Comparison struct {
	Change
	Rows     []RowChange `json:"rows"`
	Flips    []Flip      `json:"flips"`    // first the problems that became right, then the others, each by row and ID
	Unscored int         `json:"unscored"` // problems without a score in one of the reports; they are left out
}

// A RowChange is the change of a row.
type RowChange struct {
	Label string `json:"label"`
	Change
}

// A Change is the difference of the results on some problems. A problem counts as right if
// more than half of its scored episodes are right.
type Change struct {
	Problems   int             `json:"problems"` // with a score in both reports
	Before     float64         `json:"before"`   // mean score of these problems in the first report
	After      float64         `json:"after"`    // the same in the second
	Difference float64         `json:"difference"`
	Within     *stats.Interval `json:"interval,omitempty"` // of the difference, with 95 % confidence, over pairs; see [stats.Estimate]; nil: no problems
	Better     int             `json:"better"`             // problems right only in the second report
	Worse      int             `json:"worse"`              // problems right only in the first
	P          float64         `json:"p"`                  // of Better and Worse; see [stats.McNemar]
}

// A Flip is a problem right in only one of two reports.
type Flip struct {
	ID     string `json:"id"`
	Label  string `json:"label"`  // of its row
	Before Share  `json:"before"` // of right episodes in the first report
	After  Share  `json:"after"`  // the same in the second
}

// A Share counts the right ones among the scored episodes of a problem.
type Share struct {
	Right  int `json:"right"`
	Scored int `json:"scored"`
}

// Share counts the right ones among the scored episodes.
func (p *Problem) Share() (s Share) {
	for _, e := range p.Episodes {
		s.Scored += one(e.Outcome.Rewarded())
		s.Right += one(e.Outcome.Rewarded() && e.Right)
	}
	return s
}

// String writes the share in words.
func (s Share) String() string { return fmt.Sprintf("%d of %d right", s.Right, s.Scored) }

// most reports whether more than half are right.
func (s Share) most() bool { return 2*s.Right > s.Scored }

// A DifferentError says that two reports have different problems.
type DifferentError struct {
	First, Second []string // IDs of problems that only this report has, sorted
}

// Error counts the problems and names the first of each side.
func (e *DifferentError) Error() string {
	var sides []string
	for _, side := range []struct {
		name string
		ids  []string
	}{{"first", e.First}, {"second", e.Second}} {
		if len(side.ids) > 0 {
			sides = append(sides, fmt.Sprintf("%d only in the %s, such as %s", len(side.ids), side.name, side.ids[0]))
		}
	}
	return "the two evaluations are not of the same problems: " + strings.Join(sides, "; ") +
		". Hold both to their end, with the same tasks, scenario, number of problems, split and seed"
}

// Compare compares the second of two reports with the first. The error is a
// [*DifferentError] if only one has a result of some problem. Both reports may come from
// files.
func Compare(first, second *Report) (*Comparison, error) {
	before, after := byID(first), byID(second)
	if e := (&DifferentError{missing(before, after), missing(after, before)}); e.First != nil || e.Second != nil {
		return nil, e
	}
	c := &Comparison{Rows: []RowChange{}, Flips: []Flip{}}
	var all pairs
	for _, row := range second.Rows {
		var mine pairs
		for _, p := range row.Problems {
			was := before[p.ID]
			if len(was.scored) == 0 || len(p.scored) == 0 {
				c.Unscored++
				continue
			}
			mine.add(was, p)
			if flip := (Flip{p.ID, row.Label, was.Share(), p.Share()}); flip.Before.most() != flip.After.most() {
				c.Flips = append(c.Flips, flip)
			}
		}
		c.Rows = append(c.Rows, RowChange{row.Label, mine.change()})
		all.join(&mine)
	}
	c.Change = all.change()
	slices.SortStableFunc(c.Flips, func(a, b Flip) int { return one(a.Before.most()) - one(b.Before.most()) })
	return c, nil
}

// byID returns the problems of a report by their IDs, finished.
func byID(r *Report) map[string]*Problem {
	all := map[string]*Problem{}
	for _, row := range r.Rows {
		for _, p := range row.Problems {
			p.finish(nil)
			all[p.ID] = p
		}
	}
	return all
}

// missing returns the IDs of one map that the other lacks, sorted.
func missing(in, from map[string]*Problem) (ids []string) {
	for id := range in {
		if from[id] == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// pairs are problems with a score in both reports, row by row.
type pairs struct {
	before, after, differences [][]float64 // mean scores, and the second minus the first
	better, worse              int
}

// add adds a pair. All pairs added this way belong to one row.
func (p *pairs) add(was, now *Problem) {
	if p.before == nil {
		p.before, p.after, p.differences = make([][]float64, 1), make([][]float64, 1), make([][]float64, 1)
	}
	p.before[0] = append(p.before[0], was.mean())
	p.after[0] = append(p.after[0], now.mean())
	p.differences[0] = append(p.differences[0], now.mean()-was.mean())
	p.better += one(now.Share().most() && !was.Share().most())
	p.worse += one(was.Share().most() && !now.Share().most())
}

// join adds the rows of q.
func (p *pairs) join(q *pairs) {
	p.before, p.after = append(p.before, q.before...), append(p.after, q.after...)
	p.differences = append(p.differences, q.differences...)
	p.better, p.worse = p.better+q.better, p.worse+q.worse
}

// change returns the difference of the pairs.
func (p *pairs) change() Change {
	c := Change{Before: meanOf(p.before), After: meanOf(p.after), Better: p.better, Worse: p.worse, P: stats.McNemar(p.better, p.worse)}
	for _, row := range p.before {
		c.Problems += len(row)
	}
	if c.Problems > 0 {
		difference, within := estimate(p.differences, stats.Interval{Low: -1, High: 1})
		c.Difference, c.Within = difference, &within
	}
	return c
}
