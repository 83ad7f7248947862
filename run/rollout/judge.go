package rollout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/quintain-rl/quintain"
)

// A Judgement is the group that a result gives, or the reason why it gives none.
type Judgement struct {
	Result
	Group  *quintain.Group // nil: none
	Scores []float64       // of the episodes, in the order of the trajectories; nil: one has no reward
	Drop   Drop            // the reason; empty: there is a group
}

// Judge makes the group of a result that is of one seat. A dropped group has scores too. An
// error means that the rules are invalid.
func (r Rules) Judge(result Result) (j Judgement, err error) {
	j.Result = result
	if j.Drop = cmp.Or(result.Drop, failed(result.Trajectories)); j.Drop != "" {
		return j, nil
	}
	d := newDraft(&r, &result)
	j.Scores = d.scores
	if j.Drop = d.fault(); j.Drop == "" {
		j.Group, err = d.group()
	}
	return j, err
}

// failed returns the reason to drop a group with an unrewarded episode; empty: there is
// none.
func failed(played []quintain.Trajectory) Drop {
	for _, of := range []struct {
		outcome quintain.Outcome
		drop    Drop
	}{
		{quintain.Cancelled, DropCancelled}, {quintain.EnvFailed, DropEnvFailed}, {quintain.TimedOut, DropTimedOut},
		{quintain.PromptTooLong, DropPrompt}, {quintain.InfraFailed, DropInfra}, {quintain.Ungraded, DropUngraded},
	} {
		if slices.ContainsFunc(played, func(t quintain.Trajectory) bool { return t.Outcome == of.outcome }) {
			return of.drop
		}
	}
	return ""
}

// A draft is a group in the making, of episodes with rewards.
type draft struct {
	rules     *Rules
	result    *Result
	returns   [][]float64 // per turn of each episode: its reward plus the discounted later ones
	base      []float64   // of each episode: the return of the main branch's first turn
	scores    []float64   // of each episode
	compared  []float64   // the scores that make the baseline
	sequences []sequence
}

// newDraft scores the episodes of a result, and cuts them into sequences.
func newDraft(r *Rules, result *Result) *draft {
	played, n := result.Trajectories, len(result.Trajectories)
	d := &draft{rules: r, result: result, returns: make([][]float64, n), base: make([]float64, n), scores: make([]float64, n), sequences: r.Sequences.of(played)}
	for i := range played {
		t := &played[i]
		d.returns[i] = r.returns(t)
		d.base[i] = d.returns[i][start(t)]
		d.scores[i] = r.earned(t, d.base[i])
	}
	r.shape(played, d.sequences, d.scores)
	d.compared = r.compared(played, d.scores)
	return d
}

// returns computes for each turn its reward plus the discounted rewards after it, along the
// first branch that has it. The reward of the main branch's last turn is that of the whole
// episode, so the last turns of the other branches have it too. If all turns are unused, the
// path to the last is the only branch; else a turn of no branch has only its own reward.
func (r Rules) returns(t *quintain.Trajectory) []float64 {
	out := make([]float64, len(t.Turns))
	for i := range out {
		out[i] = t.Turns[i].Reward
	}
	branches := t.Branches()
	if len(branches) == 0 {
		branches = []quintain.Branch{{Path: t.Path(t.Last())}}
	}
	for i, branch := range branches {
		own, after := branch.Path[branch.First:], 0.0
		for n, k := range slices.Backward(own) {
			reward := t.Turns[k].Reward
			if i > 0 && n == len(own)-1 {
				reward += t.Turns[t.Last()].Reward
			}
			after = reward + r.TurnDiscount*after
			out[k] = after
		}
	}
	return out
}

// start returns the index of the main branch's first turn.
func start(t *quintain.Trajectory) int { return t.Path(t.Last())[0] }

// earned returns the score of an episode before penalties: the return of its first turn, of a
// tree that of its main branch, or 0 or 1 with RightOnly.
func (r Rules) earned(t *quintain.Trajectory, first float64) float64 {
	switch {
	case !r.RightOnly:
		return first
	case t.Solved():
		return 1
	}
	return 0
}

// compared returns the scores that make the baseline of a group: those of the episodes that are
// trained on.
func (r Rules) compared(played []quintain.Trajectory, scores []float64) (some []float64) {
	for i := range scores {
		if r.CompareAll || !r.Masked(&played[i]) {
			some = append(some, scores[i])
		}
	}
	return some
}

// Masked reports whether to exclude t from training because a length limit cut a reply.
func (r Rules) Masked(t *quintain.Trajectory) bool {
	return r.MaskTooLong && slices.ContainsFunc(t.Turns, func(turn quintain.Turn) bool { return turn.Finish == quintain.Length && turn.Used() })
}

// fault returns the reason to drop the group; empty: keep it.
func (d *draft) fault() Drop {
	trainable := make([]int, len(d.scores)) // tokens of each episode
	for i := range d.sequences {
		s := &d.sequences[i]
		trainable[s.episode] += s.trainable
		switch {
		case d.rules.MaxSequence > 0 && s.length >= d.rules.MaxSequence:
			return DropTooLong
		case s.played.Vocabulary != d.sequences[0].played.Vocabulary:
			return DropMixedVocab
		}
	}
	switch {
	case slices.Min(trainable) < d.rules.MinTrainable:
		return DropFewTokens
	case !d.rules.KeepsEqual() && same(d.compared):
		return DropEqual
	case !d.rules.teaches(d.result.Trajectories):
		return DropRate
	}
	return ""
}

// same reports whether no two scores differ by more than sums of rewards do that are rounded.
func same(scores []float64) bool {
	if len(scores) == 0 {
		return true
	}
	low, high := slices.Min(scores), slices.Max(scores)
	return high-low <= 1e-9*max(1, math.Abs(low), math.Abs(high))
}

// teaches reports whether the share of episodes with a right reply is within its bounds.
func (r Rules) teaches(played []quintain.Trajectory) bool {
	solved := 0.0
	for i := range played {
		if played[i].Solved() {
			solved++
		}
	}
	rate := solved / float64(len(played))
	return rate >= r.SuccessRateLB && (r.SuccessRateUB == 0 || rate <= r.SuccessRateUB)
}

// group makes the group of the sequences.
func (d *draft) group() (g *quintain.Group, err error) {
	p, first := d.result.Job.Problem, d.sequences[0].played
	g = &quintain.Group{ID: p.ID(), Origin: quintain.Origin{
		Scenario: p.Scenario, Task: p.Task, Version: p.Version, Seed: p.Seed, Level: p.Level, Index: p.Index,
	}}
	if of := d.result.Lease; of != nil {
		g.Origin.Worker, g.Origin.Model = of.Worker, of.Model
	}
	tokens := 0
	for i := range d.sequences {
		tokens += d.sequences[i].length
	}
	rows := d.rules.Memory.room(tokens)
	d.fill(g, &rows)
	if !d.rules.NoMessages {
		if g.Messages, err = conversations(d.sequences); err != nil {
			return nil, fmt.Errorf("messages of %s: %w", g.ID, err)
		}
	}
	g.Generation, err = json.Marshal(struct {
		quintain.Sampling
		Vocabulary string `json:"vocabulary,omitempty"`
	}{d.rules.Sampling, first.Vocabulary})
	if err != nil {
		return nil, fmt.Errorf("generation parameters of %s: %w", g.ID, err)
	}
	if d.rules.Estimator == None {
		return g, nil
	}
	g.Advantages, err = d.advantages(&rows)
	return g, err
}

// fill sets what g has of each sequence.
func (d *draft) fill(g *quintain.Group, rows *Memory) {
	if len(d.sequences) != len(d.result.Trajectories) {
		g.Episodes = make([]int32, len(d.sequences))
	}
	known := false
	for i := range d.sequences {
		s := &d.sequences[i]
		s.appendTo(g, rows)
		known = known || len(g.LogProbs[i]) > 0
		g.Scores = append(g.Scores, d.score(s))
		override := `{}`
		if d.rules.Masked(s.played) {
			override = `{"set_advantage_to_zero":true}`
		}
		g.Overrides = append(g.Overrides, json.RawMessage(override))
		if g.Episodes != nil {
			g.Episodes[i] = int32(s.episode)
		}
	}
	if !known {
		g.LogProbs = nil
	}
}

// score returns the return of the first trained turn of s, or of the first turn if none is.
func (d *draft) score(s *sequence) float64 {
	at := s.first
	if at > s.last {
		at = 0
	}
	return d.at(s.episode, s.path[at])
}

// at returns the return of a turn of an episode. If a rule changed the score of an episode, all its
// returns change by as much.
func (d *draft) at(episode, turn int) float64 {
	return d.returns[episode][turn] + d.scores[episode] - d.base[episode]
}

// advantages returns the advantage of every token: that of its turn's return relative to the
// scores of the group's episodes, and 0 for an untrained token.
func (d *draft) advantages(rows *Memory) (all [][]float64, err error) {
	a, b, err := d.line()
	if err != nil {
		return nil, err
	}
	for i := range d.sequences {
		s := &d.sequences[i]
		list, masked := row(&rows.advantages, s.length), d.rules.Masked(s.played)
		s.each(func(turn int, trained bool) {
			advantage := 0.0
			if trained && !masked {
				advantage = a*d.at(s.episode, turn) + b
			}
			of := &s.played.Turns[turn]
			list = repeated(repeated(list, 0, len(of.Read)), advantage, len(of.Wrote))
		})
		all = append(all, list)
	}
	return all, nil
}

// usualMessage is the size of a message in JSON without its text, in bytes.
const usualMessage = 40

// conversations returns the conversations of sequences as JSON.
func conversations(all []sequence) (b json.RawMessage, err error) {
	talks, size := make([][]quintain.Message, len(all)), 0
	for i := range all {
		talks[i] = all[i].messages()
		for k := range talks[i] {
			size += usualMessage + len(talks[i][k].Content)
		}
	}
	b = make([]byte, 0, size+size/8) // most texts need few escapes
	for _, talk := range talks {
		if b, err = quintain.AppendMessages(append(b, ','), talk); err != nil {
			return nil, err
		}
	}
	b[0] = '[' // in place of the first comma
	return append(b, ']'), nil
}
