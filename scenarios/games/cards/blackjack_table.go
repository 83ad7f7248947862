package cards

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// blackjackTable is blackjack without bets.
var blackjackTable = games.Spec[blackjackParams, blackjack]{
	Name: "blackjack_table",
	Doc: "Play several hands of blackjack against a dealer, from an endless shoe, from one with strange proportions, or from one deck of which some cards were seen. " +
		"Each move is measured by its exact expected win, so the luck of the cards does not count.",
	Source:  "Baldwin et al., The optimum strategy in blackjack (1956); code and texts are our own.",
	Version: 2,
	Levels: []blackjackParams{
		{Shoe: "endless", Hands: 8},
		{Shoe: "endless", Double: true, Hands: 6},
		{Shoe: "strange", Double: true, Hands: 6},
		{Shoe: "deck", Double: true, Hands: 5},
	},
	Make:     makeBlackjack,
	Reward:   games.Value,
	Guess:    []float64{0.0633, 0.0375, 0.0613, 0.0508},
	Constant: []float64{0.21, 0.23, 0.22, 0.23},
}

// usual are the weights of the cards in a deck: of aces, twos, and so on to tens.
var usual = []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 4}

// blackjackParams are the parameters of a level.
type blackjackParams struct {
	Shoe   string `json:"shoe" oneof:"endless strange deck"` // endless; strange: endless, with other proportions; deck: one deck for all hands
	Double bool   `json:"double"`
	Hands  int    `json:"hands"`
}

// Check refuses what no tag does.
func (p blackjackParams) Check() error {
	return task.Within("hands", p.Hands, 1, mostHands(p.Shoe == "deck"))
}

// mostHands is the most hands of a match. One deck suffices for five: a hand takes cards of 57
// points at most, with aces as 1, and the deck has 340.
func mostHands(deck bool) int {
	if deck {
		return 5
	}
	return 10
}

// A blackjack is a match in the beginning.
type blackjack struct {
	Double  bool     `json:"double"`
	Hands   int      `json:"hands"`
	Weights []int    `json:"weights,omitempty"` // of aces, twos and so on to tens in an endless shoe
	Deals   [][4]int `json:"deals,omitempty"`   // from it, by hand: two cards of the policy, the dealer's open card and the hidden one
	Deck    []int    `json:"deck,omitempty"`    // in its order, if there is no endless shoe
}

// makeBlackjack draws the cards. The first hand has no natural, so that there is a move to make.
func makeBlackjack(p blackjackParams, r *rng.Rand) (blackjack, error) {
	const patience = 100
	start := blackjack{Double: p.Double, Hands: p.Hands}
	switch p.Shoe {
	case "endless":
		start.Weights = usual
	case "strange":
		for card := 1; card <= 10; card++ {
			start.Weights = append(start.Weights, r.Between(0, 3))
		}
		start.Weights[9] += r.Between(1, 5)
	}
	for range patience {
		start.deal(r)
		if task.Check(start) == nil {
			return start, nil
		}
	}
	return blackjack{}, errors.New("all first hands are naturals")
}

// deal draws the cards.
func (b *blackjack) deal(r *rng.Rand) {
	var cards []int
	for card := 1; card <= 10; card++ {
		n := int(full()[card])
		if b.Weights != nil {
			n = b.Weights[card-1]
		}
		for range n {
			cards = append(cards, card)
		}
	}
	if b.Weights == nil {
		rng.Shuffle(r, cards)
		b.Deck = cards
		return
	}
	b.Deals = nil
	for range b.Hands {
		var hand [4]int
		for i := range hand {
			hand[i] = rng.Pick(r, cards)
		}
		b.Deals = append(b.Deals, hand)
	}
}

// Check refuses a record that is no match.
func (b blackjack) Check() error {
	if most := mostHands(b.Weights == nil); b.Hands < 1 || b.Hands > most {
		return fmt.Errorf("hands is %d, want 1 to %d", b.Hands, most)
	}
	hand := [4]int{}
	if b.Weights == nil {
		if err := b.checkDeck(); err != nil {
			return err
		}
		copy(hand[:], b.Deck)
	} else {
		if err := b.checkDeals(); err != nil {
			return err
		}
		hand = b.Deals[0]
	}
	if natural(hand[0], hand[1]) || natural(hand[2], hand[3]) {
		return errors.New("the first hand has a natural, and leaves nothing to play")
	}
	return nil
}

func (b blackjack) checkDeck() error {
	left := full()
	for _, card := range b.Deck {
		if card < 1 || card > 10 || left[card] == 0 {
			return fmt.Errorf("deck has the card %d, which is not in it or too often", card)
		}
		left[card]--
	}
	if n := left.size(); n > 0 || len(b.Deals) > 0 {
		return fmt.Errorf("deck lacks %d cards, or there are deals without weights", n)
	}
	return nil
}

func (b blackjack) checkDeals() error {
	if len(b.Weights) != 10 || len(b.Deals) != b.Hands || len(b.Deck) > 0 {
		return fmt.Errorf("there are %d weights and %d deals, want 10 and %d, and no deck", len(b.Weights), len(b.Deals), b.Hands)
	}
	if slices.Min(b.Weights) < 0 || slices.Max(b.Weights) > 20 {
		return fmt.Errorf("weights are %v, want 0 to 20", b.Weights)
	}
	for i, deal := range b.Deals {
		for _, card := range deal {
			if card < 1 || card > 10 || b.Weights[card-1] == 0 {
				return fmt.Errorf("deal %d has the card %d, which is not in the shoe", i, card)
			}
		}
	}
	return nil
}

// Canonical implements [games.Start]: the order of the policy's cards does not count.
func (b blackjack) Canonical() string {
	deals := slices.Clone(b.Deals)
	for i := range deals {
		slices.Sort(deals[i][:2])
	}
	return fmt.Sprint(b.Double, b.Hands, b.Weights, deals, b.Deck)
}

// Example implements [games.Start].
func (b blackjack) Example() string { return stand }

// Turns implements [games.Start]: hands of more than twelve moves are very rare, and all share
// these replies.
func (b blackjack) Turns() int { return 12*b.Hands + 1 }

// Match implements [games.Start].
func (b blackjack) Match(luck games.Luck, tables *games.Tables) games.Match {
	weights := b.Weights
	if weights == nil {
		weights = usual
	}
	build := func() *shoe { return newShoe(weights, b.Double) }
	s := &sitting{blackjack: b, luck: luck, left: full(), shoe: sync.OnceValue(func() *shoe { return games.Table(tables, fmt.Sprint(weights, b.Double), build) })}
	s.open()
	return s
}
