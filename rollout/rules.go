package rollout

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/settings"
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
	Sequences    Sequences // what becomes a sequence of its own; empty: WholeEpisodes

	// LengthBudget is the number of tokens, above 0, from three quarters of which on
	// the scores of a group that is solved throughout fall with the length of the
	// sequence, to nothing at the whole. 0: they do not fall.
	LengthBudget int

	Sampling quintain.Sampling // told in the group's generation parameters
}

// DefaultRules are those of a run where nothing else is said.
func DefaultRules() Rules {
	return Rules{Estimator: GRPO, TurnDiscount: 1, MinTrainable: 10, MaskTooLong: true, Sequences: WholeEpisodes}
}

// Declare implements [settings.Declarer]: for all but Size and Sampling, which are of
// the run and of the policy.
func (r *Rules) Declare(d *settings.Section) {
	settings.Word(d, &r.Estimator, "estimator", "how scores become advantages").
		OneOf(string(GRPO), string(DrGRPO), string(RLOO), string(None))
	settings.Word(d, &r.Sequences, "sequences", "what is a training sequence of its own: an episode, which gives several where its server rewrote the conversation, or each turn").
		OneOf(string(WholeEpisodes), string(EachTurn))
	d.Float(&r.TurnDiscount, "turn_discount", "what a turn's reward counts for the turn before it").Between(0, 1)
	d.Bool(&r.KeepEqual, "keep_equal", "keep groups whose scores are all equal, which teach nothing")
	d.Int(&r.MinTrainable, "min_trainable", "sampled tokens that every sequence of a group has at least").AtLeast(0)
	d.Int(&r.MaxSequence, "max_sequence", "tokens that every sequence has less than; 0: any number").AtLeast(0)
	d.Bool(&r.MaskTooLong, "mask_too_long", "do not train on episodes that a length limit cut")
	d.Int(&r.LengthBudget, "length_budget", "tokens from three quarters of which on the scores of a group that is solved throughout fall; 0: they do not").AtLeast(0)
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

// Judge makes the group of a result, or says why there is none. The scores are those
// of the episodes, in the order of the trajectories, also for a group that is dropped
// for them; they are nil where an episode has no reward. An error is a fault of the
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
	all := r.Sequences.of(played)
	if r.LengthBudget > 0 {
		r.shorten(all, scores)
	}
	if drop := r.unfit(all, scores); drop != "" {
		return nil, scores, drop, nil
	}
	group, err = r.group(result, all, outcome{scores, returns})
	return group, scores, "", err
}

// An outcome is what the episodes of a group earned.
type outcome struct {
	scores  []float64   // of each episode
	returns [][]float64 // of each turn of each episode: its reward and the discounted ones after it
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
func (r Rules) unfit(all []sequence, scores []float64) Drop {
	for i := range all {
		length, trainable := all[i].size()
		switch {
		case trainable < r.MinTrainable:
			return DropFewTokens
		case r.MaxSequence > 0 && length >= r.MaxSequence:
			return DropTooLong
		case all[i].played.Vocabulary != all[0].played.Vocabulary:
			return DropMixedVocab
		}
	}
	if !r.KeepEqual && slices.Min(scores) == slices.Max(scores) {
		return DropEqual
	}
	return ""
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

// shorten lets the scores of episodes with long sequences fall where all scores are a
// half or more.
func (r Rules) shorten(all []sequence, scores []float64) {
	if slices.Min(scores) < 0.5 {
		return
	}
	longest := make([]int, len(scores))
	for i := range all {
		length, _ := all[i].size()
		longest[all[i].episode] = max(longest[all[i].episode], length)
	}
	limit := 0.75 * float64(r.LengthBudget)
	for i := range scores {
		if over := float64(longest[i]) - limit; over > 0 {
			scores[i] *= 1 - min(1, over/(float64(r.LengthBudget)-limit))
		}
	}
}

// group builds the group of sequences that are all kept.
func (r Rules) group(result Result, all []sequence, got outcome) (*quintain.Group, error) {
	p := result.Job.Problem
	g := &quintain.Group{
		ID: p.ID(),
		Origin: quintain.Origin{
			Scenario: p.Scenario, Task: p.Task, Version: p.Version, Seed: p.Seed, Level: p.Level, Index: p.Index,
		},
	}
	if len(all) != len(result.Trajectories) {
		g.Episodes = make([]int32, len(all))
	}
	var talks [][]quintain.Message
	for i := range all {
		s := &all[i]
		s.appendTo(g)
		talks = append(talks, s.messages())
		g.Scores = append(g.Scores, got.score(s))
		g.Overrides = append(g.Overrides, r.override(s.played))
		if g.Episodes != nil {
			g.Episodes[i] = int32(s.episode)
		}
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
	}{r.Sampling, all[0].played.Vocabulary}
	if g.Generation, err = json.Marshal(generation); err != nil {
		return nil, fmt.Errorf("generation parameters of %s: %w", g.ID, err)
	}
	if r.Estimator != None {
		if err := r.advantages(g, all, got); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// score is the return of the first turn that is trained on in s. A score that fell with
// the length takes all returns of its episode down with it.
func (o outcome) score(s *sequence) float64 { return o.at(s.episode, s.first) }

// at is the return of a turn of an episode.
func (o outcome) at(episode, turn int) float64 {
	returns := o.returns[episode]
	return returns[turn] + o.scores[episode] - returns[0]
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
// against the scores of the group's episodes, and 0 where the token is not trained on.
func (r Rules) advantages(g *quintain.Group, all []sequence, got outcome) error {
	a, b, err := r.Estimator.line(got.scores)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		row := make([]float64, 0, len(g.Tokens[i]))
		s.each(func(turn int, trained bool) {
			advantage := 0.0
			if trained && !r.masked(s.played) {
				advantage = a*got.at(s.episode, turn) + b
			}
			for range s.played.Turns[turn].Read {
				row = append(row, 0)
			}
			for range s.played.Turns[turn].Wrote {
				row = append(row, advantage)
			}
		})
		g.Advantages = append(g.Advantages, row)
	}
	return nil
}
