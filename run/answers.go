package run

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// A policy has collapsed to one answer if that is so large a share of so many.
const (
	someAnswers = 256
	mostAlike   = 0.6
)

// answers counts the answers of episodes that have one. The zero value has counted none.
type answers struct {
	all   int
	of    map[string]int
	earns map[string]bool // those with a reward
}

// add counts the last answer of an episode.
func (a *answers) add(played *quintain.Trajectory) {
	if len(played.Turns) == 0 {
		return
	}
	last := &played.Turns[len(played.Turns)-1]
	if last.Answer == "" {
		return
	}
	if a.of == nil {
		a.of, a.earns = map[string]int{}, map[string]bool{}
	}
	a.all++
	a.of[last.Answer]++
	if last.Reward > 0 {
		a.earns[last.Answer] = true
	}
}

// commonest returns the commonest answer, and its share of all.
func (a *answers) commonest() (answer string, share float64) {
	most := 0
	for each, n := range a.of {
		if n > most || n == most && each < answer {
			answer, most = each, n
		}
	}
	return answer, float64(most) / float64(max(1, a.all))
}

// A collapse watches for the policy that gives one answer to everything, because that earns more than it can
// by looking at the question.
type collapse struct {
	answers
	told string // the message; empty: none yet
	said bool
}

// played counts the answers of a group.
func (c *collapse) played(episodes []quintain.Trajectory) {
	for i := range episodes {
		c.add(&episodes[i])
	}
	if c.all < someAnswers {
		return
	}
	if answer, share := c.commonest(); share >= mostAlike && c.earns[answer] && c.told == "" {
		c.told = fmt.Sprintf("of the last %d answers %.0f %% are %.40q, whatever the question: one answer to everything earns more than the policy can otherwise. Choose tasks and levels that no single answer satisfies (--tasks)", c.all, 100*share, answer)
	}
	c.answers = answers{}
}

// oneAnswer says once that the policy has collapsed; empty: it was said, or is not so.
func (t *tally) oneAnswer() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.collapse.said {
		return ""
	}
	t.collapse.said = t.collapse.told != ""
	return t.collapse.told
}
