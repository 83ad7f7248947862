package run

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// A policy has collapsed to one answer if that is so large a share of so many to problems of a level, and is wrong that
// often.
const (
	someAnswers = 128
	mostAlike   = 0.7
	leastWrong  = 0.3
)

// answers counts the answers of episodes that have one. The zero value has counted none.
type answers struct {
	all   int
	of    map[string]int
	earns map[string]int // those with a reward
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
		a.of, a.earns = map[string]int{}, map[string]int{}
	}
	a.all++
	a.of[last.Answer]++
	if last.Reward > 0 {
		a.earns[last.Answer]++
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

// A collapse watches for the policy that gives one answer to every problem of a level, because that earns more than it
// can by looking at the question.
type collapse struct {
	levels map[string]*answers // since they were last judged
	told   string              // the message; empty: none yet
	said   bool                // the message was handed out
}

// played counts the answers of a group, and judges its level when there are enough.
func (c *collapse) played(episodes []quintain.Trajectory) {
	if len(episodes) == 0 || c.told != "" {
		return
	}
	p := &episodes[0].Problem
	level := p.Task
	if p.Level != quintain.OwnParams {
		level = fmt.Sprintf("%s:%d", p.Task, p.Level)
	}
	a := c.levels[level]
	if a == nil {
		if c.levels == nil {
			c.levels = map[string]*answers{}
		}
		a = new(answers)
		c.levels[level] = a
	}
	for i := range episodes {
		a.add(&episodes[i])
	}
	if a.all < someAnswers {
		return
	}
	answer, share := a.commonest()
	right := float64(a.earns[answer]) / float64(a.of[answer])
	if share >= mostAlike && right > 0 && right <= 1-leastWrong {
		c.told = fmt.Sprintf("of the last %d answers to problems of %s %.0f %% are %.40q, whatever the question: one answer to everything earns more than the policy can otherwise. Choose tasks and levels that no single answer satisfies (--tasks)", a.all, level, 100*share, answer)
	}
	*a = answers{}
}

// oneAnswer says once that the policy has collapsed; empty: it was said, or is not so.
func (t *tally) oneAnswer() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.collapse
	if c.said || c.told == "" {
		return ""
	}
	c.said = true
	return c.told
}
