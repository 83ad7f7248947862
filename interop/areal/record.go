package areal

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Record is the result of an agent of AReaL's legacy API: of math-multi-turn one for each
// episode, with a sequence for each turn; of math-single-step one for each group, with a
// sequence for each episode.
type Record struct {
	ID        string
	Prompt    []quintain.Token // before the first turn
	Sequences []Sequence
	Born      int64 // its beginning, in milliseconds since 1970
	Task      int64 // index of its kind of task; see [TaskIndex]

	Meta map[string]any // of the row of its problem; nil: none
}

// TaskIndex returns the index of a kind of task among AReaL's: math, code, rlhf and stem. Any
// other is mathematics, 0.
func TaskIndex(kind string) int64 {
	return int64(max(0, slices.Index([]string{"math", "code", "rlhf", "stem"}, kind)))
}

// A Sequence is a turn with everything before it.
type Sequence struct {
	Tokens   []quintain.Token // 2 or more
	Read     int              // tokens at the beginning that this turn only read, or that are not trained on: 1 or more
	LogProbs []float32        // the one of Tokens[i+1] at i: one fewer than Tokens; 0 for tokens that were only read
	Cut      bool             // a limit ended it, not the model
	Start    int32            // version of the weights that sampled its first token; -1: unknown
	End      int32            // and of its last; Start or more
	Reward   float32          // includes the discounted rewards of later turns
}

// NewRecords returns the records of a group cut at each turn: g has a sequence for every
// turn of played, in order, of a tree for every used turn in the order of its branches, and its scores are the discounted rewards of the turns. If
// single is true, the episodes share a record. The error is [ErrUnknown], or names the
// violated rule.
func NewRecords(g *quintain.Group, played []quintain.Trajectory, single bool) ([]*Record, error) {
	if err := checkGroup(g); err != nil {
		return nil, err
	}
	order, turns := make([][]int, len(played)), 0
	for i := range played {
		order[i] = trained(&played[i])
		turns += len(order[i])
	}
	if turns != len(g.Tokens) {
		return nil, fmt.Errorf("group %s: has %s, but its episodes have %s", g.ID, stats.Count(len(g.Tokens), "sequence"), stats.Count(turns, "turn"))
	}
	var all []*Record
	at := 0
	for i := range played {
		t := &played[i]
		if i == 0 || !single {
			r := &Record{ID: t.ID, Prompt: t.Turns[t.Path(t.Last())[0]].Read, Born: t.Started.UnixMilli()}
			if single {
				r.ID = g.ID
			}
			all = append(all, r)
		}
		r := all[len(all)-1]
		for _, k := range order[i] {
			s, err := newSequence(g, at, &t.Turns[k])
			if err != nil {
				return nil, err
			}
			r.Sequences = append(r.Sequences, s)
			at++
		}
	}
	for _, r := range all {
		if err := r.Check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// trained returns the turns of an episode that are trained on, in the order of its branches.
func trained(t *quintain.Trajectory) (turns []int) {
	for _, branch := range t.Branches() {
		for _, k := range branch.Path[branch.First:] {
			if t.Turns[k].Used() {
				turns = append(turns, k)
			}
		}
	}
	return turns
}

// newSequence returns sequence i of g, which ends with turn. Of one that is not trained on, all is
// read.
func newSequence(g *quintain.Group, i int, turn *quintain.Turn) (Sequence, error) {
	s := Sequence{
		Tokens: g.Tokens[i], Read: len(g.Tokens[i]) - len(turn.Wrote), Cut: turn.Finish == quintain.Length,
		Reward: float32(g.Scores[i]),
	}
	masked, err := g.Masked(i)
	if masked {
		s.Read = len(s.Tokens)
	}
	s.Start, s.End = span(turn)
	for k := 1; k < len(s.Tokens); k++ {
		p := float32(0)
		if k >= s.Read {
			p = float32(g.LogProbs[i][k])
		}
		s.LogProbs = append(s.LogProbs, p)
	}
	return s, err
}

// span returns the versions that sampled the first and the last token of a turn; -1: unknown.
func span(turn *quintain.Turn) (start, end int32) {
	n := len(turn.Versions)
	if n == 0 {
		return -1, -1
	}
	return turn.Versions[0], turn.Versions[n-1]
}

// Check returns a [*RuleError] for the first rule that r violates.
func (r *Record) Check() error {
	if len(r.Sequences) == 0 || len(r.Prompt) == 0 {
		return &RuleError{r.ID, keyPrompts, "want a prompt and a sequence"}
	}
	for k := range r.Sequences {
		if key, why := r.Sequences[k].fault(); why != "" {
			return &RuleError{r.ID, key, fmt.Sprintf("sequence %d: %s", k, why)}
		}
	}
	return nil
}

// fault returns the first rule that s violates; empty: none.
func (s *Sequence) fault() (key, why string) {
	n := len(s.Tokens)
	switch {
	case n < 2:
		return keyTokens, fmt.Sprintf("has %s, want 2 or more", stats.Count(n, "token"))
	case s.Read < 1 || s.Read > n:
		return keyMask, fmt.Sprintf("%d of %d tokens are a prompt, want 1 or more", s.Read, n)
	case len(s.LogProbs) != n-1:
		return keyLogProbs, fmt.Sprintf("has %d values, want %d, one fewer than tokens", len(s.LogProbs), n-1)
	case s.Start < -1 || s.End < s.Start:
		return keyEnd, fmt.Sprintf("is %d, but the version at the start is %d", s.End, s.Start)
	}
	for i, p := range s.LogProbs {
		if i < s.Read-1 && p != 0 || !(p <= 0) || p-p != 0 {
			return keyLogProbs, fmt.Sprintf("is %v at %d, want 0 within the prompt, and at most 0", p, i)
		}
	}
	return "", ""
}
