package export

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// errSequences says that a group was cut into sequences in another way.
var errSequences = errors.New("its run cut episodes into sequences in another way: name that one")

// A Shaping says how the rewards of a run became scores.
type Shaping struct {
	Rules    rollout.Rules // of the run: its sequences, and the rules that shape rewards
	Discount *float64      // replaces the turn discount of Rules, 0 to 1; nil: theirs
}

// Follow implements [Follower]: rewards follow the rules of the run. The way to cut sequences
// stays.
func (s *Shaping) Follow(h *trace.Head) error {
	rules, err := rulesOf(h)
	rules.Sequences = s.Rules.Sequences
	s.Rules = rules
	return err
}

// all returns the rules with the discount.
func (s *Shaping) all() rollout.Rules {
	rules := s.Rules
	if s.Discount != nil {
		rules.TurnDiscount = *s.Discount
	}
	return rules
}

// Group makes the group of a record again, with its scores and advantages. rules are those of
// its run: the way to cut sequences and what shapes rewards count. The group is nil if an
// episode has no reward.
func Group(r *trace.Record, rules rollout.Rules) (*quintain.Group, error) {
	g, err := judge(r, rules)
	if err != nil || g == nil {
		return nil, err
	}
	if r.Advantages != nil && len(r.Advantages) != len(g.Tokens) {
		return nil, fmt.Errorf("group %s: %w", r.Group(), errSequences)
	}
	g.Advantages = r.Advantages
	if g.Episodes == nil { // a sequence is an episode, and has its score
		g.Scores = r.Scores
	}
	return g, nil
}

// judge makes a group of a record's episodes with the sequences of rules and those of them
// that shape rewards; nil if an episode has no reward. No other rule drops the group.
func judge(r *trace.Record, rules rollout.Rules) (*quintain.Group, error) {
	if len(r.Scores) != len(r.Episodes) || len(r.Episodes) == 0 {
		return nil, nil
	}
	shaping := rollout.Rules{
		Estimator: rollout.None, KeepEqual: true, Sequences: rules.Sequences, TurnDiscount: rules.TurnDiscount,
		RightOnly: rules.RightOnly, MalformedPenalty: rules.MalformedPenalty, LengthBudget: rules.LengthBudget, MaskTooLong: rules.MaskTooLong,
	}
	result := rollout.Result{Job: rollout.Job{Problem: r.Problem}, Trajectories: r.Episodes, Lease: &rollout.Lease{Worker: r.Worker, Model: r.Model}}
	j, err := shaping.Judge(result)
	return j.Group, err
}

// Groups is a [Sink] of groups in the form of Atropos' environments: a line of JSON each,
// with tokens, masks, scores, log-probabilities and messages.
type Groups struct {
	Out io.Writer
	Shaping

	mu  sync.Mutex
	buf []byte
}

// Write implements [Sink].
func (s *Groups) Write(r *trace.Record) error {
	g, err := Group(r, s.all())
	if err != nil || g == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(atropos.AppendWhole(s.buf[:0], g), '\n')
	_, err = s.Out.Write(s.buf)
	return err
}
