package cards

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// liarsDice is a bidding game over hidden dice.
var liarsDice = games.Spec[diceParams, dice]{
	Name: "liars_dice",
	Doc: "Bid on dice of which you see only your own, or challenge the last bid, in several rounds against an opponent whose strategy is told. Each move is measured by its exact " +
		"chance to win the round, given what the bids tell of the opponent's dice.",
	Source:  "Liar's dice, of common knowledge, with the order of bids of OpenSpiel's liars_dice (Apache-2.0); code and texts are our own.",
	Version: 1,
	Levels: []diceParams{
		{Dice: 1, Faces: 3, Opponents: []string{"honest"}, Errs: []int{0}, Rounds: 6},
		{Dice: 1, Faces: 4, Opponents: []string{"honest", "careful"}, Errs: []int{10, 20, 30}, Rounds: 6},
		{Dice: 1, Faces: 3, Wild: true, Opponents: []string{"equilibrium"}, Errs: []int{0}, Rounds: 8},
		{Dice: 1, Faces: 6, Opponents: []string{"honest", "careful"}, Errs: []int{10, 30}, Rounds: 6},
		{Dice: 1, Faces: 4, Wild: true, Opponents: []string{"equilibrium"}, Errs: []int{0}, Rounds: 8},
		{Dice: 2, Faces: 3, Wild: true, Opponents: []string{"honest", "careful"}, Errs: []int{10, 30}, Rounds: 6},
	},
	Make:     makeDice,
	Reward:   games.Value,
	Guess:    []float64{0.1594, 0.1140, 0.2126, 0.1105, 0.1577, 0.1027},
	Constant: []float64{0.12, 0.04, 0.03, 0.05, 0.02, 0.06},
}

// diceParams are the parameters of a level.
type diceParams struct {
	Dice      int      `json:"dice" want:"1 to 2"` // of each player
	Faces     int      `json:"faces"`
	Wild      bool     `json:"wild"` // the highest face counts as every face
	Opponents []string `json:"opponents" want:"1 or more"`
	Errs      []int    `json:"errs" want:"1 or more"` // percent of the opponent's moves that may be any
	Rounds    int      `json:"rounds" want:"1 to 20"`
}

// diceOpponents are the opponents by name.
var diceOpponents = []string{"honest", "careful", "random", "equilibrium"}

// Check refuses what no tag does.
func (p diceParams) Check() error {
	const most = 12 // bids
	if p.Faces < 2 || p.Faces > 6 || 2*p.Dice*p.Faces > most {
		return fmt.Errorf("faces is %d, want 2 to %d", p.Faces, 6/p.Dice)
	}
	for _, o := range p.Opponents {
		if !slices.Contains(diceOpponents, o) {
			return fmt.Errorf("opponents has %.20q, want some of %s", o, strings.Join(diceOpponents, ", "))
		}
		if bids := 2 * p.Dice * p.Faces; o == "equilibrium" && bids > 8 {
			return fmt.Errorf("opponents has equilibrium, which is worked out for 8 bids at most, and there are %d", bids)
		}
	}
	for _, e := range p.Errs {
		if e < 0 || e > 50 || e%10 != 0 {
			return fmt.Errorf("errs has %d, want 0, 10, 20, 30, 40 or 50 percent", e)
		}
	}
	return nil
}

// A dice is a match in the beginning.
type dice struct {
	cups
	Opponent string     `json:"opponent"`
	Errs     int        `json:"errs"`
	Rolls    [][2][]int `json:"rolls"` // of each round: the dice of the player who bids first, and of the other
}

// makeDice draws the opponent and the rolls.
func makeDice(p diceParams, r *rng.Rand) (dice, error) {
	start := dice{cups: cups{p.Dice, p.Faces, p.Wild}, Opponent: rng.Pick(r, p.Opponents), Errs: rng.Pick(r, p.Errs)}
	for range p.Rounds {
		var both [2][]int
		for seat := range both {
			for range p.Dice {
				both[seat] = append(both[seat], r.Between(1, p.Faces))
			}
			slices.Sort(both[seat])
		}
		start.Rolls = append(start.Rolls, both)
	}
	return start, nil
}

// Check refuses a record that is no match.
func (d dice) Check() error {
	p := diceParams{Dice: d.Dice, Faces: d.Faces, Opponents: []string{d.Opponent}, Errs: []int{d.Errs}, Rounds: len(d.Rolls)}
	if err := task.Check(p); err != nil {
		return err
	}
	for i, both := range d.Rolls {
		for _, roll := range both {
			if len(roll) != d.Dice || slices.Min(roll) < 1 || slices.Max(roll) > d.Faces || !slices.IsSorted(roll) {
				return fmt.Errorf("roll %d is %v, want %d dice of %d faces in order", i, both, d.Dice, d.Faces)
			}
		}
	}
	return nil
}

// Canonical implements [games.Start].
func (d dice) Canonical() string { return fmt.Sprint(d) }

// Example implements [games.Start].
func (d dice) Example() string { return "1 two" }

// Turns implements [games.Start]: a round has at most all bids and a challenge, half of them by
// each player; and one reply may be a fault.
func (d dice) Turns() int { return len(d.Rolls)*(d.Dice*d.Faces+1) + 1 }

// Match implements [games.Start].
func (d dice) Match(luck games.Luck, tables *games.Tables) games.Match {
	key := d
	key.Rolls = nil
	return &contest{bout: d, luck: luck, rival: sync.OnceValue(func() *rival { return games.Table(tables, fmt.Sprint(key), d.rival) })}
}

// rival works out the opponent.
func (d dice) rival() *rival {
	t := d.tree()
	switch d.Opponent {
	case "equilibrium":
		const rounds, equal = 1000, 0.002
		return newRival(t, t.equilibrium(rounds), equal)
	case "random":
		return newRival(t, t.play(uniform), slack)
	}
	rolls := d.rolls()
	return newRival(t, t.play(func(n *node, holds int) []float64 {
		p := make([]float64, len(n.moves))
		for i := range p {
			p[i] = float64(d.Errs) / 100 / float64(len(p))
		}
		p[d.rule(n.moves, rolls[holds])] += float64(100-d.Errs) / 100
		return p
	}), slack)
}

// rule is what an honest or a careful opponent does with a roll, of some moves.
func (d dice) rule(moves []string, roll []int) int {
	last := len(moves) - 1
	if d.Opponent == "honest" {
		for i, name := range moves {
			if b, ok := readBid(name); ok && d.cups.counts(roll, b.face) >= b.count {
				return i
			}
		}
		return last
	}
	all := d.bids()
	if len(moves) == len(all) && moves[last] != liar {
		return 0 // it opens
	}
	if standing := all[len(all)-1-last]; len(moves) == 1 || d.doubt(standing, roll) {
		return last
	}
	return 0
}

// doubt reports whether a bid is more likely false than true for a player with a roll.
func (d dice) doubt(b bid, roll []int) bool {
	need := b.count - d.cups.counts(roll, b.face)
	ways, all := 0, 0
	var count func(seen []int)
	count = func(seen []int) {
		if len(seen) < d.Dice {
			for face := 1; face <= d.Faces; face++ {
				count(append(seen[:len(seen):len(seen)], face))
			}
			return
		}
		all++
		if d.cups.counts(seen, b.face) >= need {
			ways++
		}
	}
	count(nil)
	return 2*ways < all
}

// hands implements [bout].
func (d dice) hands() int { return len(d.Rolls) }

// deal implements [bout].
func (d dice) deal(hand int) (held [3]int) {
	rolls := d.rolls()
	for seat, roll := range d.Rolls[hand] {
		held[seat] = slices.IndexFunc(rolls, func(r []int) bool { return slices.Equal(r, roll) })
	}
	return held
}

// most implements [bout].
func (d dice) most() float64 { return 1 }
