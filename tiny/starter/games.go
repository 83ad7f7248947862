package starter

import (
	"context"
	_ "embed" // the weights
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny"
)

// A game is what the embedded model is made for in a scenario of several turns.
type game struct {
	context int // see [Sizes]
	ladder  []Choice
	lessons []Choice
	rate    float64 // learning rate of a run
	updates int     // of the warm-up
	skill   float64 // share of the best replies in a warm-up; the others are any that the rules allow
	weights string
}

// Files written by tiny/pretrain -scenario NAME, of builds whose settings of games differed: the
// replies to imitate are drawn by the ID of a problem, which tells the settings.
var (
	//go:embed nim_family.weights
	nimFamilyWeights string

	//go:embed small_poker.weights
	smallPokerWeights string

	//go:embed slippery_grid.weights
	slipperyGridWeights string
)

// games are the scenarios with weights of their own.
var games = map[string]game{
	"nim_family": {
		context: 384,
		ladder: at("nim_family", heaps("nim", 5, often), heaps("nim", 8, often), heaps("nim", 8, never),
			heaps("subtraction", 4, often), heaps("subtraction", 5, often), heaps("subtraction", 6, often), heaps("subtraction", 6, never)),
		lessons: at("nim_family", heaps("nim", 9, never), heaps("subtraction", 4, never), heaps("subtraction", 6, never)),
		rate:    0.0002,
		updates: 500,
		skill:   0.7,
		weights: nimFamilyWeights,
	},
	"small_poker": {
		context: 400,
		ladder:  at("small_poker", pokers(3, "calls", "bets"), pokers(3, "random"), pokers(3, "table"), pokers(5, "calls", "bets"), pokers(7, "calls", "bets", "random"), pokers(3, "equilibrium")),
		lessons: at("small_poker", pokers(3, "calls", "bets"), pokers(3, "random", "equilibrium"), pokers(3, "table"), pokers(7, "calls", "bets", "random")),
		rate:    0.0005,
		updates: 300,
		skill:   0.4,
		weights: smallPokerWeights,
	},
	"slippery_grid": {
		context: 320,
		ladder: at("slippery_grid", ice(2, 100), ice(3, 100), ice(4, 100), ice(5, 100),
			ice(3, 80), ice(5, 80)),
		lessons: at("slippery_grid", ice(2, 100), ice(3, 100), ice(4, 80)),
		rate:    0.0005,
		updates: 500,
		skill:   0.7,
		weights: slipperyGridWeights,
	},
}

// Games lists the scenarios of several turns that the embedded model is made for, sorted. Each has
// weights of its own.
func Games() []string { return slices.Sorted(maps.Keys(games)) }

// ice returns the level of maps of four by four with holes, on which a percentage of the moves does
// not slip, and eight moves must do.
func ice(holes, sure int) string {
	return fmt.Sprintf(`{"size":4,"holes":%d,"sure":%d,"moves":8}`, holes, sure)
}

// How much an opponent errs.
const (
	never = "optimal"
	often = "mixed:0.3"
)

// heaps returns the level of a rule of taking from two heaps of up to a number of counters, against
// an opponent.
func heaps(rule string, most int, opponent string) string {
	return fmt.Sprintf(`{"rules":[%q],"heaps":2,"most":%d,"ways":9,"opponent":%q}`, rule, most, opponent)
}

// pokers returns the level of matches of four hands of Kuhn's poker with a number of cards.
func pokers(cards int, opponents ...string) string {
	return fmt.Sprintf(`{"cards":%d,"opponents":["%s"],"hands":4}`, cards, strings.Join(opponents, `","`))
}

// Episode returns an episode of p to imitate, played by the scenario's advice. Only the replies are
// trained on.
func Episode(ctx context.Context, s quintain.Scenario, by quintain.Adviser, p quintain.Problem) (q tiny.Sequence, err error) {
	env, err := s.Env(p)
	if err != nil {
		return q, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	fresh, err := env.Open(ctx)
	if err != nil {
		return q, err
	}
	var said []quintain.Reply
	for len(fresh) > 0 {
		advice, err := by.Advise(ctx, p, said)
		if err != nil {
			return q, err
		}
		if err := read(&q, fresh); err != nil {
			return q, err
		}
		r := rng.New(warmUpSeed, "reply", p.ID(), strconv.Itoa(len(said)))
		from := advice.Allowed
		if r.Chance(games[s.Info().Name].skill) {
			from = advice.Best
		}
		reply := quintain.Reply{Text: rng.Pick(r, from), Finish: quintain.Stop}
		write(&q, reply.Text)
		step, err := env.Step(ctx, reply)
		if err != nil {
			return q, err
		}
		said, fresh = append(said, reply), step.Observe
	}
	return q, nil
}
