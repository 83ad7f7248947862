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

// smallPoker is Kuhn's poker and Leduc hold'em.
var smallPoker = games.Spec[pokerParams, poker]{
	Name: "small_poker",
	Doc: "Play several hands of Kuhn's poker or of Leduc hold'em against an opponent whose strategy is told. Each move is measured by its exact expected win, given " +
		"what the opponent may hold after what it did, so the luck of the cards does not count.",
	Source:  "Kuhn, A simplified two-person poker (1950); Southey et al., Bayes' bluff: opponent modelling in poker (2005). Code and texts are our own.",
	Version: 1,
	Levels: []pokerParams{
		{Cards: 3, Opponents: []string{"calls", "bets"}, Hands: 6},
		{Cards: 3, Opponents: []string{"table"}, Hands: 8},
		{Cards: 3, Opponents: []string{"equilibrium"}, Hands: 16},
		{Cards: 7, Opponents: []string{"table"}, Hands: 8},
		{Opponents: []string{"calls", "bets", "random"}, Hands: 6},
		{Opponents: []string{"table"}, Hands: 6},
		{Opponents: []string{"equilibrium"}, Hands: 14},
	},
	Make:     makePoker,
	Reward:   games.Value,
	Guess:    []float64{0.2242, 0.2178, 0.2795, 0.2318, 0.1782, 0.2087, 0.2429},
	Constant: []float64{0.12, 0.1, 0.03, 0.07, 0.06, 0.02, 0},
}

// pokerParams are the parameters of a level.
type pokerParams struct {
	Cards     int      `json:"cards"` // of Kuhn's poker, 3 to 7; 0: Leduc hold'em
	Opponents []string `json:"opponents" want:"1 or more"`
	Hands     int      `json:"hands" want:"1 to 20"`
}

// Check refuses what no tag does.
func (p pokerParams) Check() error {
	if p.Cards != 0 && (p.Cards < 3 || p.Cards > 7) {
		return fmt.Errorf("cards is %d, want 3 to 7, or 0 for Leduc hold'em", p.Cards)
	}
	for _, o := range p.Opponents {
		if !slices.Contains(pokerOpponents, o) {
			return fmt.Errorf("opponents has %.20q, want some of %s", o, strings.Join(pokerOpponents, ", "))
		}
	}
	return nil
}

// pokerOpponents are the opponents by name.
var pokerOpponents = []string{"calls", "bets", "random", "table", "equilibrium"}

// A poker is a match in the beginning.
type poker struct {
	Cards    int      `json:"cards"`
	Opponent string   `json:"opponent"`
	Table    []odds   `json:"table,omitempty"` // of the opponent, by its card; in Leduc hold'em, the last row is for a pair
	Deals    [][3]int `json:"deals"`           // of each hand: the card of the player who acts first, that of the other, and the public card
}

// odds are the chances of an opponent's moves in percent.
type odds struct {
	Bet   int `json:"bet"`   // if nobody has bet
	Call  int `json:"call"`  // after a bet
	Raise int `json:"raise"` // after a bet; a call, if no raise is allowed
}

// makePoker draws the opponent and the cards.
func makePoker(p pokerParams, r *rng.Rand) (poker, error) {
	start := poker{Cards: p.Cards, Opponent: rng.Pick(r, p.Opponents)}
	if start.Opponent == "table" {
		for range start.rows() {
			o := odds{Bet: 10 * r.Between(0, 10)}
			if p.Cards == 0 {
				o.Raise = 10 * r.Between(0, 5)
			}
			o.Call = 10 * r.Between(0, 10-o.Raise/10)
			start.Table = append(start.Table, o)
		}
	}
	var deck []int
	l := start.limit()
	for rank := range l.ranks {
		for range l.suits {
			deck = append(deck, rank)
		}
	}
	for range p.Hands {
		start.Deals = append(start.Deals, [3]int(rng.Sample(r, deck, 3)))
	}
	return start, nil
}

// rows is the number of rows of a table.
func (p poker) rows() int {
	if p.Cards == 0 {
		return 4
	}
	return p.Cards
}

// limit returns the rules of the bets.
func (p poker) limit() limit {
	if p.Cards == 0 {
		return leduc()
	}
	return kuhn(p.Cards)
}

// Check refuses a record that is no match.
func (p poker) Check() error {
	if err := task.Check(pokerParams{Cards: p.Cards, Opponents: []string{p.Opponent}, Hands: len(p.Deals)}); err != nil {
		return err
	}
	if rows := len(p.Table); (p.Opponent == "table") != (rows == p.rows()) || p.Opponent != "table" && rows > 0 {
		return fmt.Errorf("table has %d rows, want %d if the opponent is table, else none", rows, p.rows())
	}
	for i, o := range p.Table {
		if min(o.Bet, o.Call, o.Raise) < 0 || max(o.Bet, o.Call, o.Raise, o.Call+o.Raise) > 100 {
			return fmt.Errorf("row %d of table is %v, want percentages", i, o)
		}
	}
	l := p.limit()
	for i, deal := range p.Deals {
		if slices.Min(deal[:]) < 0 || slices.Max(deal[:]) >= len(l.ranks) || l.left(deal[0], deal[:]...) < 0 || l.left(deal[1], deal[:]...) < 0 {
			return fmt.Errorf("deal %d is %v, which the cards do not allow", i, deal)
		}
	}
	return nil
}

// Canonical implements [games.Start].
func (p poker) Canonical() string { return fmt.Sprint(p) }

// Example implements [games.Start].
func (p poker) Example() string { return "check" }

// Turns implements [games.Start]: the most that a seat may move in a round is twice, but once for
// the second if there are no raises; and one reply may be a fault.
func (p poker) Turns() int {
	turns := 1
	for hand := range p.Deals {
		switch {
		case p.Cards == 0:
			turns += 4
		case seat(hand) == first:
			turns += 2
		default:
			turns++
		}
	}
	return turns
}

// Match implements [games.Start].
func (p poker) Match(luck games.Luck, tables *games.Tables) games.Match {
	return &contest{bout: p, luck: luck, rival: sync.OnceValue(func() *rival { return p.solved(tables) })}
}

// solved returns the opponent, worked out once.
func (p poker) solved(tables *games.Tables) *rival {
	return games.Table(tables, fmt.Sprint(p.Cards, p.Opponent, p.Table), p.rival)
}

// rival works out the opponent.
func (p poker) rival() *rival {
	t := p.limit().tree()
	if p.Opponent == "equilibrium" {
		const rounds, equal = 3000, 0.002
		return newRival(t, t.equilibrium(rounds), equal)
	}
	return newRival(t, t.play(p.rule), slack)
}

// rule is the strategy of an opponent other than one that plays an equilibrium.
func (p poker) rule(n *node, holds int) []float64 {
	var o odds
	switch p.Opponent {
	case "random":
		return uniform(n, holds)
	case "calls":
		o = odds{Call: 100}
	case "bets":
		o = odds{Bet: 100, Raise: 100}
	default:
		if n.shown == holds {
			holds = len(p.Table) - 1
		}
		o = p.Table[holds]
	}
	bet, call, raise := float64(o.Bet)/100, float64(o.Call)/100, float64(o.Raise)/100
	fold := float64(100-o.Call-o.Raise) / 100
	switch {
	case n.moves[0] == "check":
		return []float64{1 - bet, bet}
	case len(n.moves) == 2:
		return []float64{fold, 1 - fold}
	}
	return []float64{fold, call, raise}
}

// hands implements [bout].
func (p poker) hands() int { return len(p.Deals) }

// deal implements [bout].
func (p poker) deal(hand int) [3]int { return p.Deals[hand] }

// most implements [bout].
func (p poker) most() float64 {
	l := p.limit()
	most := 1
	for _, size := range l.sizes {
		most += size * l.most
	}
	return float64(most)
}
