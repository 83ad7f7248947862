package games

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
)

// A Reward is a way to count what an episode is worth. The best play is the same in all.
type Reward string

// The rewards.
const (
	Outcome Reward = "outcome" // what happened, at the end
	Value   Reward = "value"   // what the moves were worth whatever luck made of them, at the end
	Shaped  Reward = "shaped"  // the same as value, paid as the moves are made
)

// A play holds the settings of a game.
type play struct {
	scenario.Own
	game    *Game
	Reward  Reward
	players string

	// ShortPrompts leaves the rules out, shows positions in a few characters and takes a move
	// between <answer> and </answer>. It is for policies with a short context that have learnt
	// the rules.
	ShortPrompts bool
}

// Declare implements [settings.Declarer].
func (p *play) Declare(d *settings.Section) {
	settings.Word(d, &p.Reward, "reward", "what an episode earns: outcome, what happened; value, what the moves were worth against the best ones, luck apart; "+
		"shaped, the same, each move its part").OneOf(string(Outcome), string(Value), string(Shaped))
	if p.game.sided {
		d.Text(&p.players, "players", "who sits on which side, the one that moves first and the other: policy, which learns, optimal, random, mixed:P, which makes "+
			"any move with probability P, server:NAME, another policy (policy.seats), or frozen:VERSION, earlier weights of the embedded model; self: the policy on both; the result is then the reward; empty: the policy plays against the opponent of the level")
	}
	d.Bool(&p.ShortPrompts, "short_prompts", "leave the rules out, show positions in a few characters, and take a move between <answer> and </answer>: for models that have learnt the rules")
}

// begin returns a new episode.
func (p *play) begin(problem quintain.Problem) (scenario.Advised, error) {
	record, err := p.game.deal(problem)
	if err != nil {
		return nil, err
	}
	start, luck, wording := record.start()
	fresh := func() Match { return start.Match(luck, &p.game.tables) }
	return &env{reward: p.Reward, short: p.ShortPrompts, start: start, wording: wording, match: fresh(), fresh: fresh, turns: start.Turns(), value: 1}, nil
}

var _ scenario.Host = (*play)(nil)

// earn returns the part of the reward that falls due: of a finished episode, all that is not paid.
// An episode that ended without a result is worth nothing. Shaped, a reply pays what it gave away, and the
// end earns 1, so a turn's return is 1 less what this and later replies give away; an end without a
// result gives away all that was left.
func (e *env) earn(over, lost bool) float64 {
	value := e.value
	if lost {
		value = 0
	}
	due := 0.0
	switch {
	case e.reward == Shaped && !over:
		due = value - 1
	case e.reward != Outcome && over:
		due = value
	case over && !lost:
		due, _ = e.match.Over()
	}
	due, e.paid = due-e.paid, due
	return due
}
