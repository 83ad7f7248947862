package rollout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Rules says how the episodes of a group become training data.
type Rules struct {
	Size         int       // episodes of a complete group
	Estimator    Estimator // turns scores into advantages
	Baseline     Baseline  // what scores are compared with; empty: BaselineGroup
	TurnDiscount float64   // factor on a turn's reward in the return of the preceding turn, 0 to 1
	KeepEqual    bool      // keep groups with equal scores, which teach nothing
	MinTrainable int       // least sampled tokens of every episode
	MaxSequence  int       // every sequence must be shorter, in tokens; 0: no limit
	MaskTooLong  bool      // do not train on episodes with a reply that a length limit cut, nor compare others with them
	CompareAll   bool      // compare all episodes, those that are not trained on too, as Atropos does
	Sequences    Sequences // unit of training; empty: WholeEpisodes

	// LengthBudget, if above 0, lowers the scores of long sequences in groups without a
	// score below a half: from three quarters of LengthBudget tokens on, the score falls
	// linearly with the length, to zero at LengthBudget.
	LengthBudget int

	NoMessages bool // leave the conversations out of the groups

	RightOnly        bool    // an episode scores 1 if a reply was fully right, else 0
	MalformedPenalty float64 // subtracted from the score if the last reply has no readable answer; 0 or more

	// A group is dropped if the share of its episodes with a right reply is below
	// SuccessRateLB or above SuccessRateUB, as in AReaL's single-step agent. An upper bound
	// of 0 means none.
	SuccessRateLB, SuccessRateUB float64

	Sampling quintain.Sampling // recorded in the group's generation parameters

	Memory *Memory // for the tokens of one group at a time; nil: each group has its own
}

// DefaultRules returns the default rules of a run.
func DefaultRules() Rules {
	return Rules{Estimator: GRPO, Baseline: BaselineGroup, TurnDiscount: 1, MinTrainable: 1, MaskTooLong: true, Sequences: WholeEpisodes, SuccessRateUB: 1}
}

// Declare implements [settings.Declarer]. It leaves out Size and Sampling, which are
// settings of the run and of the policy.
func (r *Rules) Declare(d *settings.Section) {
	settings.Word(d, &r.Estimator, "estimator", "estimator of advantages from scores").
		OneOf(string(GRPO), string(DrGRPO), string(RLOO), string(None)).Flag("estimator")
	settings.Word(d, &r.Baseline, "baseline", "what scores are compared with: the group, by the estimator; or the mean of the seat so far at this level, whatever the estimator but none").
		OneOf(string(BaselineGroup), string(BaselineSeat))
	settings.Word(d, &r.Sequences, "sequences", "unit of training: a whole episode, split only where its server rewrote the conversation, or each turn").
		OneOf(string(WholeEpisodes), string(EachTurn))
	d.Float(&r.TurnDiscount, "turn_discount", "factor on a turn's reward in the return of the preceding turn; with sequences of turns, below 1 favours late turns (docs/areal.md)").Between(0, 1)
	d.Bool(&r.KeepEqual, "keep_equal", "keep groups with equal scores, which teach nothing")
	d.Int(&r.MinTrainable, "min_trainable", "least sampled tokens of every episode of a group").AtLeast(0)
	d.Int(&r.MaxSequence, "max_sequence", "every sequence must be shorter, in tokens; 0: no limit").AtLeast(0)
	d.Bool(&r.MaskTooLong, "mask_too_long", "do not train on episodes with a reply that a length limit cut, nor compare others with them")
	d.Int(&r.LengthBudget, "length_budget", "length penalty, in tokens: in a group without a score below a half, scores fall from three quarters of this length to 0 at the full length; 0: off").AtLeast(0)
	d.Bool(&r.RightOnly, "right_only", "an episode scores 1 if a reply was fully right, else 0: no partial credit")
	d.Float(&r.MalformedPenalty, "malformed_penalty", "subtracted from the score if the last reply has no readable answer").AtLeast(0)
	d.Float(&r.SuccessRateLB, "success_rate_lb", "least share of a group's episodes with a right reply").Between(0, 1)
	d.Float(&r.SuccessRateUB, "success_rate_ub", "largest share of a group's episodes with a right reply; 0: any").Between(0, 1)
}

// CheckSize returns an error if no group of so many episodes could be kept.
func (r Rules) CheckSize(size int) error {
	if size == 1 && !r.KeepsEqual() {
		return errors.New("group_size: is 1, and the scores of a group of one are all equal, so each group would be dropped: want 2 or more, or rules.baseline=seat, or rules.keep_equal=true")
	}
	return nil
}

// A Drop is the reason for dropping a group.
type Drop string

// The reasons for dropping a group.
const (
	DropCancelled  Drop = "cancelled"          // an episode was cancelled; the problem is played again
	DropEnvFailed  Drop = "env_failed"         // an episode's environment failed
	DropInfra      Drop = "infra_failed"       // an episode's policy failed
	DropTimedOut   Drop = "timed_out"          // an episode took too long; the problem is not played again
	DropPrompt     Drop = "prompt_too_long"    // the problem leaves no room for a reply; it is not played again
	DropEqual      Drop = "equal_scores"       // all scores that are trained on are equal
	DropRate       Drop = "success_rate"       // too few or too many episodes have a right reply
	DropFewTokens  Drop = "too_few_tokens"     // an episode has too few trainable tokens
	DropTooLong    Drop = "too_long"           // a sequence has too many tokens
	DropMixedVocab Drop = "mixed_vocabularies" // the episodes have different vocabularies
	DropDuplicate  Drop = "duplicate"          // the queue already has a group of this problem
	DropStale      Drop = "stale"              // it waited too long and exceeded the staleness bound
	DropWithheld   Drop = "withheld"           // the same, in a run that withholds such groups
	DropRefused    Drop = "refused"            // the trainer or the hub refuses it
	DropUnrewarded Drop = "unrewarded"         // an agent's session got no reward in time
	DropIncomplete Drop = "incomplete"         // sessions of the group were never made, or did not end
	DropUngraded   Drop = "ungraded"           // an episode has no verdict yet; the group may be judged later
	DropForfeited  Drop = "forfeited"          // other seats of the matches gave them up: the episodes are paid for nothing
	DropUnsure     Drop = "unsure"             // it was sent, the reply was lost, and sending it again might double it
)

// Setting names the setting that decides on the reason, or what else to look at; empty: nothing does.
func (d Drop) Setting() string {
	switch d {
	case DropEqual:
		return "rules.keep_equal"
	case DropRate:
		return "rules.success_rate_lb, rules.success_rate_ub"
	case DropFewTokens:
		return "rules.min_trainable"
	case DropTooLong:
		return "rules.max_sequence"
	case DropTimedOut:
		return "run.episode_time"
	case DropPrompt:
		return "policy.sampling.max_tokens"
	case DropStale, DropWithheld:
		return "run.max_lag"
	case DropUnrewarded:
		return "gateway.reward_within"
	case DropIncomplete:
		return "gateway.group_within"
	}
	return ""
}

// Judge makes the group of a result, or returns the reason to drop it. The scores belong to
// the episodes, in the order of the trajectories; a dropped group has them too. They are
// nil if an episode has no reward. An error means that the rules are invalid.
func (r Rules) Judge(result Result) (group *quintain.Group, scores []float64, drop Drop, err error) {
	played := result.Trajectories
	if drop := cmp.Or(result.Drop, failed(played)); drop != "" {
		return nil, nil, drop, nil
	}
	returns := make([][]float64, len(played))
	var base []float64
	for i := range played {
		returns[i] = r.returns(&played[i])
		first := returns[i][start(&played[i])]
		base, scores = append(base, first), append(scores, r.earned(&played[i], first))
	}
	all := r.Sequences.of(played)
	r.shape(played, all, scores)
	compared := r.compared(played, scores)
	drop = r.unfit(all, len(scores), compared)
	if drop == "" && !r.teaches(played) {
		drop = DropRate
	}
	if drop != "" {
		return nil, scores, drop, nil
	}
	group, err = r.group(result, all, outcome{scores, compared, base, returns, result.Job.baseline(compared)})
	return group, scores, "", err
}

// Earned returns the score of an episode before penalties: the return of its first turn, of
// a tree that of its main branch, or 0 or 1 with RightOnly. The episode must have a reward.
func (r Rules) Earned(t *quintain.Trajectory) float64 {
	return r.earned(t, r.returns(t)[start(t)])
}

// earned is Earned, given the return.
func (r Rules) earned(t *quintain.Trajectory, first float64) float64 {
	switch {
	case !r.RightOnly:
		return first
	case t.Solved():
		return 1
	}
	return 0
}

// An outcome holds the scores and returns of a group.
type outcome struct {
	scores   []float64   // of each episode
	compared []float64   // those of the episodes that are compared
	base     []float64   // of each episode: the return of the main branch's first turn
	returns  [][]float64 // per turn of each episode: its reward plus the discounted later ones
	seat     float64     // the baseline of the seat
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

// same reports whether no two scores differ by more than sums of rewards do that are rounded.
func same(scores []float64) bool {
	if len(scores) == 0 {
		return true
	}
	low, high := slices.Min(scores), slices.Max(scores)
	return high-low <= 1e-9*max(1, math.Abs(low), math.Abs(high))
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

// unfit returns the reason to drop a scored group; empty: keep it.
func (r Rules) unfit(all []sequence, episodes int, compared []float64) Drop {
	trainable := make([]int, episodes) // tokens of each episode
	for i := range all {
		length, n := all[i].size()
		trainable[all[i].episode] += n
		switch {
		case r.MaxSequence > 0 && length >= r.MaxSequence:
			return DropTooLong
		case all[i].played.Vocabulary != all[0].played.Vocabulary:
			return DropMixedVocab
		}
	}
	if slices.Min(trainable) < r.MinTrainable {
		return DropFewTokens
	}
	if !r.KeepsEqual() && same(compared) {
		return DropEqual
	}
	return ""
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

// group builds the group from its sequences.
func (r Rules) group(result Result, all []sequence, got outcome) (*quintain.Group, error) {
	p := result.Job.Problem
	g := &quintain.Group{
		ID: p.ID(),
		Origin: quintain.Origin{
			Scenario: p.Scenario, Task: p.Task, Version: p.Version, Seed: p.Seed, Level: p.Level, Index: p.Index,
		},
	}
	if of := result.Lease; of != nil {
		g.Origin.Worker, g.Origin.Model = of.Worker, of.Model
	}
	if len(all) != len(result.Trajectories) {
		g.Episodes = make([]int32, len(all))
	}
	left := r.room(all)
	for i := range all {
		s := &all[i]
		s.appendTo(g, &left)
		g.Scores = append(g.Scores, got.score(s))
		g.Overrides = append(g.Overrides, r.override(s.played))
		if g.Episodes != nil {
			g.Episodes[i] = int32(s.episode)
		}
	}
	if !slices.ContainsFunc(g.LogProbs, func(p []float64) bool { return len(p) > 0 }) {
		g.LogProbs = nil
	}
	var err error
	if !r.NoMessages {
		if g.Messages, err = conversations(all); err != nil {
			return nil, fmt.Errorf("messages of %s: %w", g.ID, err)
		}
	}
	generation := struct {
		quintain.Sampling
		Vocabulary string `json:"vocabulary,omitempty"`
	}{r.Sampling, all[0].played.Vocabulary}
	if g.Generation, err = json.Marshal(generation); err != nil {
		return nil, fmt.Errorf("generation parameters of %s: %w", g.ID, err)
	}
	if r.Estimator != None {
		if err := r.advantages(g, all, got, &left); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// room returns memory for the tokens of all sequences.
func (r Rules) room(all []sequence) Memory {
	total := 0
	for i := range all {
		length, _ := all[i].size()
		total += length
	}
	if r.Memory == nil {
		r.Memory = &Memory{}
	}
	return r.Memory.room(total)
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

// score returns the return of the first trained turn of s, or of the first turn if none is. If shape changed the score of an
// episode, all its returns change by as much.
func (o outcome) score(s *sequence) float64 {
	at := s.first
	if at > s.last {
		at = 0
	}
	return o.at(s.episode, s.path[at])
}

// at returns the return of a turn of an episode.
func (o outcome) at(episode, turn int) float64 {
	return o.returns[episode][turn] + o.scores[episode] - o.base[episode]
}

// Masked reports whether to exclude t from training because a length limit cut a reply.
func (r Rules) Masked(t *quintain.Trajectory) bool {
	return r.MaskTooLong && slices.ContainsFunc(t.Turns, func(turn quintain.Turn) bool { return turn.Finish == quintain.Length && turn.Used() })
}

// override returns the overrides for the trainer on a sequence of t.
func (r Rules) override(t *quintain.Trajectory) json.RawMessage {
	if r.Masked(t) {
		return json.RawMessage(`{"set_advantage_to_zero":true}`)
	}
	return json.RawMessage(`{}`)
}

// advantages sets the advantage of every token: that of its turn's return relative to the
// scores of the group's episodes, and 0 for an untrained token.
func (r Rules) advantages(g *quintain.Group, all []sequence, got outcome, left *Memory) error {
	a, b, err := r.line(got)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		row := row(&left.advantages, len(g.Tokens[i]))
		s.each(func(turn int, trained bool) {
			advantage := 0.0
			if trained && !r.Masked(s.played) {
				advantage = a*got.at(s.episode, turn) + b
			}
			of := &s.played.Turns[turn]
			row = repeated(repeated(row, 0, len(of.Read)), advantage, len(of.Wrote))
		})
		g.Advantages = append(g.Advantages, row)
	}
	return nil
}
