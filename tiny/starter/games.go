package starter

import (
	"context"
	_ "embed" // the weights
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// A game is what the embedded model is made for in a scenario of several turns.
type game struct {
	context int // see [Sizes]
	ladder  []Choice
	lessons []Choice
	weights string
}

// Files written by quintain pretrain --scenario NAME --updates 500 --batch 48.
var (
	//go:embed slippery_grid.weights
	slipperyGridWeights string
)

// games are the scenarios with weights of their own.
var games = map[string]game{
	"slippery_grid": {
		context: 320,
		ladder: at("slippery_grid", ice(4, 2, 100, 8), ice(4, 3, 100, 8), ice(4, 4, 100, 8), ice(4, 5, 100, 8),
			ice(4, 3, 80, 8), ice(4, 5, 80, 8)),
		lessons: at("slippery_grid", ice(4, 2, 100, 8), ice(4, 3, 100, 8), ice(4, 4, 80, 8)),
		weights: slipperyGridWeights,
	},
}

// Games lists the scenarios of several turns that the embedded model is made for, sorted. Each has
// weights of its own.
func Games() []string { return slices.Sorted(maps.Keys(games)) }

// ice returns the level of maps of a size with holes, on which a percentage of the moves does not
// slip.
func ice(size, holes, sure, moves int) string {
	return fmt.Sprintf(`{"size":%d,"holes":%d,"sure":%d,"moves":%d}`, size, holes, sure, moves)
}

// skill is the share of the best replies in the episodes of a warm-up. The others are any that the
// rules allow.
const skill = 0.7

// Episode returns an episode of p to imitate, played by the scenario's advice. Only the replies are
// trained on.
func Episode(ctx context.Context, s quintain.Scenario, by quintain.Adviser, p quintain.Problem) (q learn.Sequence, err error) {
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
		if r.Chance(skill) {
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
