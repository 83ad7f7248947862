package exam

import "slices"

// A Comparison compares two reports on the same problems.
type Comparison struct {
	Problems   int      `json:"problems"`   // that both reports have a score of
	Difference float64  `json:"difference"` // of the mean scores, the second minus the first
	Within     Interval `json:"interval"`   // of the difference, by the paired bootstrap

	// Better has the IDs of the problems of which more than half of the samples are right
	// in the second report but not in the first; Worse is the reverse. P is the probability
	// that their numbers differ at least as much by chance (McNemar's exact test, two-sided).
	Better []string `json:"better"`
	Worse  []string `json:"worse"`
	P      float64  `json:"p"`
}

// Compare compares report b with a, on the problems that both have scored. The second
// result is false if there are none.
func Compare(a, b *Report) (c Comparison, shared bool) {
	before := map[string]*Problem{}
	for _, row := range a.Rows {
		for _, p := range row.Problems {
			before[p.ID] = p
		}
	}
	var differences []float64
	c.Better, c.Worse = []string{}, []string{}
	for _, row := range b.Rows {
		for _, p := range row.Problems {
			was := before[p.ID]
			if was == nil || len(was.Scores) == 0 || len(p.Scores) == 0 {
				continue
			}
			differences = append(differences, p.mean()-was.mean())
			switch old, now := was.solved(), p.solved(); {
			case now && !old:
				c.Better = append(c.Better, p.ID)
			case old && !now:
				c.Worse = append(c.Worse, p.ID)
			}
		}
	}
	if len(differences) == 0 {
		return c, false
	}
	slices.Sort(c.Better)
	slices.Sort(c.Worse)
	c.Problems = len(differences)
	c.Difference, c.Within = Mean(differences)
	c.P = mcNemar(len(c.Better), len(c.Worse))
	return c, true
}

// solved reports whether more than half of the samples are right.
func (p *Problem) solved() bool { return 2*p.right() > len(p.Scores) }
