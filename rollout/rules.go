package rollout

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
)

// Rules say what becomes of the episodes of a group.
type Rules struct {
	Size         int       // episodes that a whole group has
	Estimator    Estimator // of advantages
	TurnDiscount float64   // what a turn's reward counts for the turn before it, 0 to 1
	KeepEqual    bool      // keep groups whose scores are all the same; they teach nothing
	MinTrainable int       // sampled tokens that every sequence has at least
	MaxSequence  int       // tokens that every sequence has less than; 0: any number
	MaskTooLong  bool      // episodes that were cut by a length limit are not trained on

	// LengthBudget is the number of tokens, above 0, from three quarters of which on
	// the scores of a group that is solved throughout fall with the length of the
	// sequence, to nothing at the whole. 0: they do not fall.
	LengthBudget int

	Sampling quintain.Sampling // told in the group's generation parameters
}

// A Drop is the reason for which a group is not kept.
type Drop string

// The reasons for which groups are dropped.
const (
	DropCancelled  Drop = "cancelled"          // an episode was cut; the problem is played again
	DropEnvFailed  Drop = "env_failed"         // an episode's environment failed
	DropInfra      Drop = "infra_failed"       // an episode's policy failed
	DropEqual      Drop = "equal_scores"       // all scores are the same
	DropFewTokens  Drop = "too_few_tokens"     // a sequence has too few trainable tokens
	DropTooLong    Drop = "too_long"           // a sequence has too many tokens
	DropMixedVocab Drop = "mixed_vocabularies" // the tokens of the episodes do not count in the same
	DropDuplicate  Drop = "duplicate"          // the queue has had a group of this problem
	DropStale      Drop = "stale"              // it waited until it was older than the staleness bound
	DropRefused    Drop = "refused"            // the trainer cannot train on it
)

// Judge makes the group of a result, or says why there is none. The scores are
// returned in the order of the trajectories also for a group that is dropped for
// them; they are nil where an episode has no reward. An error is a fault of the
// rules.
func (r Rules) Judge(result Result) (group *quintain.Group, scores []float64, drop Drop, err error) {
	played := result.Trajectories
	if drop := failed(played); drop != "" {
		return nil, nil, drop, nil
	}
	returns := make([][]float64, len(played))
	for i := range played {
		returns[i] = r.returns(&played[i])
		scores = append(scores, returns[i][0])
	}
	if r.LengthBudget > 0 {
		r.shorten(played, scores)
	}
	if drop := r.unfit(played, scores); drop != "" {
		return nil, scores, drop, nil
	}
	group, err = r.group(result, scores, returns)
	return group, scores, "", err
}

// failed returns the reason to drop a group of which an episode has no reward.
func failed(played []quintain.Trajectory) Drop {
	worst := Drop("")
	for _, t := range played {
		switch t.Outcome {
		case quintain.Cancelled:
			return DropCancelled
		case quintain.EnvFailed:
			worst = DropEnvFailed
		case quintain.InfraFailed:
			if worst == "" {
				worst = DropInfra
			}
		}
	}
	return worst
}

// unfit returns the reason to drop a group that is scored.
func (r Rules) unfit(played []quintain.Trajectory, scores []float64) Drop {
	for i := range played {
		length, trainable := size(&played[i])
		switch {
		case trainable < r.MinTrainable:
			return DropFewTokens
		case r.MaxSequence > 0 && length >= r.MaxSequence:
			return DropTooLong
		case played[i].Vocabulary != played[0].Vocabulary:
			return DropMixedVocab
		}
	}
	if !r.KeepEqual && slices.Min(scores) == slices.Max(scores) {
		return DropEqual
	}
	return ""
}

// size counts the tokens of a trajectory, and those of them that can be trained on.
func size(t *quintain.Trajectory) (length, trainable int) {
	for _, turn := range t.Turns {
		length += len(turn.Read) + len(turn.Wrote)
	}
	return length, t.Sampled()
}

// returns gives, for each turn, its reward and the discounted rewards after it.
func (r Rules) returns(t *quintain.Trajectory) []float64 {
	out := make([]float64, len(t.Turns))
	after := 0.0
	for i := len(out) - 1; i >= 0; i-- {
		after = t.Turns[i].Reward + r.TurnDiscount*after
		out[i] = after
	}
	return out
}

// shorten lets the scores of long sequences fall where all scores are a half or
// more.
func (r Rules) shorten(played []quintain.Trajectory, scores []float64) {
	if slices.Min(scores) < 0.5 {
		return
	}
	limit := 0.75 * float64(r.LengthBudget)
	for i := range played {
		length, _ := size(&played[i])
		if over := float64(length) - limit; over > 0 {
			scores[i] *= 1 - min(1, over/(float64(r.LengthBudget)-limit))
		}
	}
}

// group builds the group of trajectories that are all kept.
func (r Rules) group(result Result, scores []float64, returns [][]float64) (*quintain.Group, error) {
	played, p := result.Trajectories, result.Job.Problem
	g := &quintain.Group{
		ID: p.ID(), Scores: scores,
		Origin: quintain.Origin{Task: p.Task, Version: p.Version, Seed: p.Seed, Level: p.Level, Index: p.Index},
	}
	var talks [][]quintain.Message
	for i := range played {
		appendSequence(g, &played[i])
		talks = append(talks, played[i].Messages())
		g.Overrides = append(g.Overrides, r.override(&played[i]))
	}
	if slices.ContainsFunc(g.LogProbs, func(p []float64) bool { return p == nil }) {
		g.LogProbs = nil
	}
	var err error
	if g.Messages, err = json.Marshal(talks); err != nil {
		return nil, fmt.Errorf("messages of %s: %w", g.ID, err)
	}
	generation := struct {
		quintain.Sampling
		Vocabulary string `json:"vocabulary,omitempty"`
	}{r.Sampling, played[0].Vocabulary}
	if g.Generation, err = json.Marshal(generation); err != nil {
		return nil, fmt.Errorf("generation parameters of %s: %w", g.ID, err)
	}
	if r.Estimator != None {
		if err := r.advantages(g, played, returns); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// appendSequence adds the tokens of t to g as one sequence. Its log-probabilities
// are nil where those of a turn are not known.
func appendSequence(g *quintain.Group, t *quintain.Trajectory) {
	length, _ := size(t)
	tokens, masks := make([]quintain.Token, 0, length), make([]int32, 0, length)
	logProbs, versions := make([]float64, 0, length), make([]int32, 0, length)
	known := true
	for _, turn := range t.Turns {
		tokens = append(tokens, turn.Read...)
		for range turn.Read {
			masks, logProbs, versions = append(masks, quintain.Untrained), append(logProbs, 1), append(versions, -1)
		}
		tokens, versions = append(tokens, turn.Wrote...), append(versions, turn.Versions...)
		known = known && (turn.LogProbs != nil || len(turn.Wrote) == 0)
		for _, token := range turn.Wrote {
			masks = append(masks, int32(token))
		}
		for _, p := range turn.LogProbs {
			logProbs = append(logProbs, float64(p))
		}
	}
	if !known {
		logProbs = nil
	}
	g.Tokens, g.Masks = append(g.Tokens, tokens), append(g.Masks, masks)
	g.LogProbs, g.Versions = append(g.LogProbs, logProbs), append(g.Versions, versions)
}

// masked reports whether t is not to be trained on, as a length limit cut it.
func (r Rules) masked(t *quintain.Trajectory) bool {
	return r.MaskTooLong && slices.ContainsFunc(t.Turns, func(turn quintain.Turn) bool { return turn.Finish == quintain.Length })
}

// override says what the trainer shall do otherwise with one sequence.
func (r Rules) override(t *quintain.Trajectory) json.RawMessage {
	if r.masked(t) {
		return json.RawMessage(`{"set_advantage_to_zero":true}`)
	}
	return json.RawMessage(`{}`)
}

// advantages sets the advantage of every token: that of its turn's return, held
// against the scores of the group, and 0 where the token was not sampled.
func (r Rules) advantages(g *quintain.Group, played []quintain.Trajectory, returns [][]float64) error {
	a, b, err := r.Estimator.line(g.Scores)
	if err != nil {
		return err
	}
	for i := range played {
		// A score that fell with the length takes all returns down with it.
		fall := g.Scores[i] - returns[i][0]
		row := make([]float64, 0, len(g.Tokens[i]))
		for k, turn := range played[i].Turns {
			for range turn.Read {
				row = append(row, 0)
			}
			advantage := a*(returns[i][k]+fall) + b
			if r.masked(&played[i]) {
				advantage = 0
			}
			for range turn.Wrote {
				row = append(row, advantage)
			}
		}
		g.Advantages = append(g.Advantages, row)
	}
	return nil
}
