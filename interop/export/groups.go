package export

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// errSequences says that a group was cut into sequences in another way.
var errSequences = errors.New("its run cut episodes into sequences in another way: name that one")

// Group makes the group of a record again, with its scores and advantages. how is the way
// in which its run cut episodes into sequences. The group is nil if an episode has no
// reward.
func Group(r *trace.Record, how rollout.Sequences) (*quintain.Group, error) {
	g, err := judge(r, rollout.Rules{TurnDiscount: 1, Sequences: how})
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
		RightOnly: rules.RightOnly, MalformedPenalty: rules.MalformedPenalty, LengthBudget: rules.LengthBudget,
	}
	g, _, _, err := shaping.Judge(rollout.Result{Job: rollout.Job{Problem: r.Problem}, Trajectories: r.Episodes})
	return g, err
}

// Groups is a [Sink] of groups in the form of Atropos' environments: a line of JSON each,
// with tokens, masks, scores, log-probabilities and messages.
type Groups struct {
	Out       io.Writer
	Sequences rollout.Sequences // of the run; empty: whole episodes

	mu  sync.Mutex
	buf []byte
}

// Write implements [Sink].
func (s *Groups) Write(r *trace.Record) error {
	g, err := Group(r, s.Sequences)
	if err != nil || g == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(atropos.AppendWhole(s.buf[:0], g), '\n')
	_, err = s.Out.Write(s.buf)
	return err
}
