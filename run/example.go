package run

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
)

// mostText is the largest length of a text in an [Example], in bytes.
const mostText = 4 << 10

// An Example is an episode for people: a problem, the last reply, and its verdict. Its texts
// are cut.
type Example struct {
	Label    string  `json:"label"` // of the stream
	ID       string  `json:"id"`    // of the problem
	Question string  `json:"question"`
	Reply    string  `json:"reply"`
	Answer   string  `json:"answer,omitempty"` // the judged part of the reply; empty: all of it, or none was found
	Score    float64 `json:"score"`
	Right    bool    `json:"right,omitempty"` // a reply was fully right
	Why      string  `json:"why,omitempty"`   // reason for the score
}

// NewExample returns the example of an episode with one turn or more, played from the stream
// with a label.
func NewExample(label string, t *quintain.Trajectory) Example {
	last := &t.Turns[t.Last()]
	return Example{
		Label: label, ID: t.Problem.ID(), Question: cut(question(t)), Reply: cut(last.Reply), Answer: cut(last.Answer),
		Score: t.Reward(), Right: t.Solved(), Why: cut(last.Why),
	}
}

// question returns the last message of the user before the first reply.
func question(t *quintain.Trajectory) (text string) {
	for _, m := range t.Turns[0].Observed {
		if m.Role == quintain.RoleUser {
			text = m.Text()
		}
	}
	return text
}

// cut shortens a text to mostText bytes, and copies it, so that it holds no larger one.
func cut(text string) string {
	if len(text) <= mostText {
		return strings.Clone(text)
	}
	const mark = "…"
	end := mostText - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// A chosen takes the examples of an evaluation: the first problem of each set, which is the
// same in every evaluation. Many goroutines may use it.
type chosen struct {
	ids []string // of the problems, in the order of the sets

	mu  sync.Mutex
	got map[string]Example // by the ID of the problem
}

// choose returns the chosen of sets.
func choose(sets []exam.Set) *chosen {
	c := &chosen{got: map[string]Example{}}
	for i := range sets {
		if len(sets[i].Problems) > 0 {
			c.ids = append(c.ids, sets[i].Problems[0].ID())
		}
	}
	return c
}

// take takes the first episode of a result, if it is of a chosen problem and has a score.
func (c *chosen) take(r rollout.Result) error {
	id := r.Job.Problem.ID()
	if len(r.Trajectories) == 0 || !slices.Contains(c.ids, id) {
		return nil
	}
	t := &r.Trajectories[0]
	if !t.Outcome.Rewarded() || len(t.Turns) == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[id] = NewExample(r.Job.Label, t)
	return nil
}

// examples returns the examples in the order of the sets.
func (c *chosen) examples() (all []Example) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.ids {
		if e, has := c.got[id]; has {
			all = append(all, e)
		}
	}
	return all
}

// A Replay is a held-out problem in two evaluations of a run: the reply then, and the better
// one now.
type Replay struct {
	Before        Example `json:"before"`
	VersionBefore int     `json:"version_before"` // of the policy
	After         Example `json:"after"`
	VersionAfter  int     `json:"version_after"`
}

// replay chooses the problem with the largest gain of score between two evaluations, of
// equal gains the one at the hardest level; nil: there is no gain. Level returns the level
// of a label.
func replay(before, after *ExamLine, level func(label string) int) (best *Replay) {
	then := map[string]Example{}
	for _, e := range before.Examples {
		then[e.ID] = e
	}
	most, hardest := 0.0, 0
	for _, now := range after.Examples {
		was, has := then[now.ID]
		gain, at := now.Score-was.Score, level(now.Label)
		if has && gain > 0 && (gain > most || gain == most && at > hardest) {
			most, hardest = gain, at
			best = &Replay{was, before.Version, now, after.Version}
		}
	}
	return best
}
