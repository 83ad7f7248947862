package games

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/settings"
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
		"shaped, the same, each move its part").OneOf(string(Outcome), string(Value), string(Shaped)).
		Flag(p.flag() + "-reward")
	if p.game.sided {
		d.Text(&p.players, "players", "who sits on which side, the one that moves first and the other: policy, which learns, optimal, random, mixed:P, which makes "+
			"any move with probability P, server:NAME, another policy (policy.seats), or frozen:VERSION, earlier weights of the embedded model; self: the policy on both; the result is then the reward; empty: the policy plays against the opponent of the level").
			Flag(p.flag() + "-players")
	}
	d.Bool(&p.ShortPrompts, "short_prompts", "leave the rules out, show positions in a few characters, and take a move between <answer> and </answer>: for models that have learnt the rules").
		Flag(p.flag() + "-short-prompts")
}

// flag begins the names of the flags.
func (p *play) flag() string { return strings.ReplaceAll(p.game.Scenario.Name, "_", "-") }

// Fits implements [scenario.Fitter].
func (p *play) Fits(t quintain.Task) error {
	if own := p.game.Scenario.Name; t.Info().Name != own {
		return fmt.Errorf("it plays positions of its own: choose task %s, not %s", own, t.Info().Name)
	}
	return nil
}

// Env implements [scenario.Play].
func (p *play) Env(_ quintain.Task, problem quintain.Problem) (quintain.Env, error) {
	return p.env(problem)
}

// Advise implements [quintain.Adviser].
func (p *play) Advise(ctx context.Context, problem quintain.Problem, said []quintain.Reply) (advice quintain.Advice, err error) {
	e, err := p.env(problem)
	if err != nil {
		return advice, err
	}
	for _, reply := range said {
		if _, err := e.Step(ctx, reply); err != nil {
			return advice, err
		}
	}
	return e.Advice(), nil
}

func (p *play) env(problem quintain.Problem) (*env, error) {
	record, err := p.game.deal(problem)
	if err != nil {
		return nil, err
	}
	start, luck, wording := record.start()
	return &env{reward: p.Reward, short: p.ShortPrompts, start: start, wording: wording, match: start.Match(luck, &p.game.tables)}, nil
}

var (
	_ scenario.Fitter = (*play)(nil)
	_ scenario.Host   = (*play)(nil)
)

// earn returns the part of the reward that falls due: of a finished episode, all that is not paid.
// An episode that ended without a result is worth nothing.
func (e *env) earn(over, lost bool) float64 {
	due := 0.0
	worth, _ := e.match.Over()
	switch {
	case lost:
	case e.reward == Shaped:
		due = e.match.Value()
	case over && e.reward == Value:
		due = e.match.Value()
	case over:
		due = worth
	}
	due, e.paid = due-e.paid, due
	return due
}
