package watch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/trace"
)

// mostWhy is how many characters of a new verdict's reason the page shows.
const mostWhy = 200

// regrade adds the newest grading of the group; nil: there is none.
func (p *groupPage) regrade(g *trace.Grading, err error) {
	switch {
	case err != nil:
		p.Regrader = fmt.Sprintf("cannot be read: %v", err)
		return
	case g == nil:
		return
	}
	p.Regrader = fmt.Sprintf("by %s %s on %s; the scores and the verdicts of this page are the old ones", g.Grader.Name, g.Grader.Version, g.Time.UTC().Format("2006-01-02 15:04 UTC"))
	for k := range p.Episodes {
		var all []string // they may differ: a judge's verdict on the same reply
		for _, n := range p.Episodes[k].Numbers {
			one := "reward " + score(g.Grades[n].Was) + ", graded anew " + score(g.Grades[n].Reward)
			if why := inLine(g.Grades[n].Why, mostWhy); why != "" {
				one += ": " + why
			}
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
		p.Episodes[k].Anew = strings.Join(all, "; ")
	}
}
