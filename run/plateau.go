package run

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
)

// A run has little left to learn if, minute after minute, nearly all groups teach nothing and
// the held-out score stays the same; in a run without evaluations, if nearly all groups teach
// nothing because every reply is right.
const (
	plateauMinutes = 5    // in a row
	plateauGroups  = 100  // in these minutes, or more
	plateauEqual   = 0.8  // least share of the groups with equal scores
	plateauRight   = 0.75 // least share of these in which every reply is right, in a run without evaluations
	plateauSome    = 0.1  // the same in a run with evaluations
	plateauGain    = 0.01 // a larger gain of the held-out score is a move
)

// A plateau watches for the minutes in which nothing is left to learn. The zero value has seen
// no group.
type plateau struct {
	minute               time.Time // when the current minute began
	groups, equal, right int       // of the current minute; right counts among equal

	quiet       int     // minutes in a row
	quietGroups int     // their groups
	quietEqual  int     // with equal scores
	quietRight  int     // of these, with right replies alone
	examinedIn  int     // evaluations since the first of them began
	base        float64 // held-out score before it
	score       float64 // the last held-out score

	told string // the message; empty: none yet
}

// examined notes a held-out score.
func (p *plateau) examined(score float64) {
	p.examinedIn++
	p.score = score
}

// played counts a scored group that was played at a time.
func (p *plateau) played(scores []float64, episodes []quintain.Trajectory, now time.Time) {
	if p.minute.IsZero() {
		p.minute = now
	}
	p.groups++
	if same(scores) {
		p.equal++
		if allSolved(episodes) {
			p.right++
		}
	}
	if now.Sub(p.minute) < time.Minute {
		return
	}
	quiet := float64(p.equal) >= plateauEqual*float64(p.groups) && float64(p.right) >= p.leastRight()*float64(p.equal)
	if moved := p.examinedIn > 0 && p.score > p.base+plateauGain; !quiet || moved {
		p.quiet, p.quietGroups, p.quietEqual, p.quietRight, p.examinedIn, p.base = 0, 0, 0, 0, 0, p.score
	}
	if quiet {
		p.quiet, p.quietGroups = p.quiet+1, p.quietGroups+p.groups
		p.quietEqual, p.quietRight = p.quietEqual+p.equal, p.quietRight+p.right
	}
	p.minute, p.groups, p.equal, p.right = now, 0, 0, 0
}

// leastRight is the least share of the groups with equal scores in which every reply is right:
// without any, the tasks are too hard, and other advice says so.
func (p *plateau) leastRight() float64 {
	if p.score > 0 {
		return plateauSome
	}
	return plateauRight
}

// same reports whether all scores are equal.
func same(scores []float64) bool {
	for _, score := range scores {
		if score != scores[0] {
			return false
		}
	}
	return true
}

// allSolved reports whether every episode has a right reply.
func allSolved(episodes []quintain.Trajectory) bool {
	for i := range episodes {
		if !episodes[i].Solved() {
			return false
		}
	}
	return true
}

// nothingLeft says once that nothing is left to learn; empty: it was said, or is not so.
func (t *tally) nothingLeft() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.plateau
	if p.told != "" || p.quiet < plateauMinutes || p.quietGroups < plateauGroups {
		return ""
	}
	right := float64(p.quietRight) / float64(p.quietEqual)
	p.told = fmt.Sprintf("little is left to learn: for %d minutes %.0f %% of the groups had equal scores, ", p.quiet, 100*float64(p.quietEqual)/float64(p.quietGroups))
	if right >= plateauRight {
		p.told += "mostly because every reply is right"
	} else {
		p.told += fmt.Sprintf("%.0f %% of these because every reply is right, the others because none is better", 100*right)
	}
	if p.examinedIn > 0 {
		p.told += fmt.Sprintf(", and the held-out score stays at %.3f", p.score)
	}
	if right >= plateauRight {
		return p.tell("; choose harder tasks or levels (--tasks), or stop the run")
	}
	return p.tell("; choose tasks or levels between (--tasks), or stop the run")
}

// tell ends the message.
func (p *plateau) tell(advice string) string {
	p.told += advice
	return p.told
}
