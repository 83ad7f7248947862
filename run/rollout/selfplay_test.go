package rollout_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios/games/cards"
	"github.com/quintain-rl/quintain/task/rng"
)

// A kuhnTable is a policy of Kuhn's poker with a number for each spot: the logarithm of the odds to
// bet or call.
type kuhnTable struct {
	mu   sync.Mutex
	odds map[cards.KuhnSpot]float64
}

// spot reads what the player knows from the last message.
func spot(text string) (at cards.KuhnSpot) {
	_, card, _ := strings.Cut(text, "Your card is ")
	fmt.Sscanf(card, "%d", &at.Card)
	_, moves, _ := strings.Cut(text, "Moves so far: ")
	moves, _, _ = strings.Cut(moves, ".")
	at.Moves = strings.ReplaceAll(moves, ",", "")
	return at
}

// bold is the probability to bet or call.
func (k *kuhnTable) bold(at cards.KuhnSpot) float64 { return 1 / (1 + math.Exp(-k.odds[at])) }

// say is the reply of a [script.Say].
func (k *kuhnTable) say(r quintain.Request, sample int) (string, quintain.Finish) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := spot(r.Messages[len(r.Messages)-1].Content)
	moves := [2]string{"check", "bet"}
	if strings.HasSuffix(at.Moves, "bet") {
		moves = [2]string{"fold", "call"}
	}
	move := moves[0]
	if rng.New(1, r.Key, fmt.Sprint(len(r.Messages), sample)).Chance(k.bold(at)) {
		move = moves[1]
	}
	return "<move>" + move + "</move>", quintain.Stop
}

// learn makes a step of the policy gradient on the episodes of a group.
func (k *kuhnTable) learn(p *rollout.Judgement, rate float64) {
	for i, t := range p.Trajectories {
		advantage := 0.0
		for _, a := range p.Group.Advantages[i] {
			if a != 0 {
				advantage = a // of all sampled tokens: the reward comes at the end
			}
		}
		for _, turn := range t.Turns {
			at := spot(turn.Observed[len(turn.Observed)-1].Content)
			gradient := -k.bold(at)
			if turn.Answer == "bet" || turn.Answer == "call" {
				gradient++
			}
			k.odds[at] += rate * advantage * gradient
		}
	}
}

// exploitability of the policy.
func (k *kuhnTable) exploitability(t *testing.T) float64 {
	bets := map[cards.KuhnSpot]float64{}
	for _, at := range cards.KuhnSpots() {
		bets[at] = k.bold(at)
	}
	e, err := cards.KuhnExploitability(bets)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// kuhn returns the stream of Kuhn's poker between the policy and itself, a hand in each match.
func kuhn(t *testing.T) rollout.Stream {
	for _, g := range cards.Games() {
		if g.Scenario.Name != "small_poker" {
			continue
		}
		task, err := g.Task.With([]byte(`{"cards":3,"opponents":["equilibrium"],"hands":1}`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.Scenario.Over(task, []byte(`{"players":"self"}`))
		if err != nil {
			t.Fatal(err)
		}
		return rollout.Stream{Scenario: s, Seed: 1, Weight: 1}
	}
	t.Fatal("there is no small_poker")
	return rollout.Stream{}
}

// selfPlay learns from so many problems, and returns the exploitability after each 100.
func selfPlay(t *testing.T, rules rollout.Rules, problems int, rate float64) (curve []float64) {
	mix, err := rollout.NewMix([]rollout.Stream{kuhn(t)})
	if err != nil {
		t.Fatal(err)
	}
	k := &kuhnTable{odds: map[cards.KuhnSpot]float64{}}
	begun := 0
	e := rollout.Engine{
		Policy: script.Say(k.say), Size: rules.Size, Parallel: 1,
		Next: func(context.Context) (rollout.Job, error) {
			if begun == problems {
				return rollout.Job{}, io.EOF
			}
			begun++
			return mix.Next()
		},
		Done: func(_ context.Context, r rollout.Result) error {
			parts, err := rules.JudgeSeats(r)
			if err != nil {
				return err
			}
			for i := range parts {
				if parts[i].Group != nil {
					k.learn(&parts[i], rate)
				}
			}
			rules.Learn(mix, parts)
			mix.Done(r.Job, rules.Scores(r))
			if begun%100 == 0 {
				curve = append(curve, k.exploitability(t))
			}
			return nil
		},
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return curve
}
