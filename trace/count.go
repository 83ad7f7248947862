package trace

import (
	"math"

	"github.com/quintain-rl/quintain"
)

// Counts are the records that match a query.
type Counts struct {
	Groups   int
	Tokens   int // read and sampled
	Tasks    map[string]Tally
	Drops    map[string]int // by the reason; empty: kept
	Outcomes map[quintain.Outcome]int
}

// A Tally is the groups and scores of a task.
type Tally struct {
	Groups, Scored int
	Sum            float64 // of the scored groups' mean scores
}

// Mean is the mean score, or 0.
func (t Tally) Mean() float64 { return t.Sum / float64(max(1, t.Scored)) }

// Count counts the matches of q, regardless of its Limit and After.
func (r *Reader) Count(q Query) Counts {
	q.Limit, q.After = 0, Ref{}
	r.mu.RLock()
	defer r.mu.RUnlock()
	c := Counts{Tasks: map[string]Tally{}, Drops: map[string]int{}, Outcomes: map[quintain.Outcome]int{}}
	for _, s := range r.segments {
		for _, x := range s.parts {
			c.add(x, &q, s.at())
		}
	}
	return c
}

// add counts the rows of an index. Texts are counted by their index first.
func (c *Counts) add(x *index, q *Query, segment Ref) {
	tasks, drops := make([]Tally, len(x.Texts)), make([]int, len(x.Texts))
	var outcomes [256]int
	q.rows(x, segment, func(row *ranked) bool {
		i := row.row
		c.Groups++
		c.Tokens += int(x.at(colTokens, i))
		outcomes[x.at(colOutcomes, i)&255]++
		if at := x.at(colDrop, i); at >= 0 && at < int64(len(drops)) {
			drops[at]++
		}
		at := x.at(colTask, i)
		if at < 0 || at >= int64(len(tasks)) {
			return true
		}
		tasks[at].Groups++
		if score := math.Float64frombits(uint64(x.at(colScore, i))); !math.IsNaN(score) {
			tasks[at].Scored++
			tasks[at].Sum += score
		}
		return true
	})
	for i, text := range x.Texts {
		if t := tasks[i]; t.Groups > 0 {
			sum := c.Tasks[text]
			c.Tasks[text] = Tally{sum.Groups + t.Groups, sum.Scored + t.Scored, sum.Sum + t.Sum}
		}
		if drops[i] > 0 {
			c.Drops[text] += drops[i]
		}
	}
	for bits, n := range outcomes {
		for k, o := range quintain.Outcomes {
			if bits&(1<<k) != 0 && n > 0 {
				c.Outcomes[o] += n
			}
		}
	}
}
