package cards

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// A rest is how many of each card, 1 to 10, are left unseen in a deck. One of them may be the
// dealer's hidden card, and makes no natural.
type rest [11]byte

// full is a whole deck.
func full() (left rest) {
	for card := 1; card <= 10; card++ {
		left[card] = 4
	}
	left[10] = 16
	return left
}

// size is the number of cards.
func (l rest) size() (n int) {
	for _, k := range l {
		n += int(k)
	}
	return n
}

// without is the rest without a card.
func (l rest) without(card int) rest {
	l[card]--
	return l
}

// A draw is all that the dealer may draw to an open card without being bust. Each set of cards is a part
// of low cards and one of high cards, since many sets share one.
type draw struct {
	parts []part              // each after its base; the first is empty
	sets  [5][]blackjackDrawn // by the count at the end, from 17 to 21
}

// A part is a base, and some equal cards that it has not.
type part struct {
	base, card, n uint8
}

// A blackjackDrawn is a set of cards.
type blackjackDrawn struct {
	low, high uint8   // parts
	size      uint8   // in cards
	orders    float64 // in which the dealer draws them, the first card making no natural
}

// The dealer draws at most nine cards, and with low cards to 3, their parts are at most 175.
const (
	mostLow   = 3
	mostDrawn = 9
	mostParts = 256
)

// draws lists the sets by the open card.
var draws = sync.OnceValue(func() (all [11]*draw) {
	for open := 1; open <= 10; open++ {
		orders := [5]map[rest]float64{{}, {}, {}, {}, {}}
		order(totalOf(open), partner(open), rest{}, &orders)
		d := &draw{parts: []part{{}}}
		known := map[rest]uint8{{}: 0}
		for at, of := range orders {
			for _, set := range slices.SortedFunc(maps.Keys(of), func(a, b rest) int { return bytes.Compare(a[:], b[:]) }) {
				low, high := set, set
				clear(low[mostLow+1:])
				clear(high[:mostLow+1])
				d.sets[at] = append(d.sets[at], blackjackDrawn{d.part(low, known), d.part(high, known), uint8(set.size()), of[set]})
			}
		}
		all[open] = d
	}
	return all
})

// part is the number of a part.
func (d *draw) part(set rest, known map[rest]uint8) uint8 {
	if n, made := known[set]; made {
		return n
	}
	card := 10
	for set[card] == 0 {
		card--
	}
	base := set
	base[card] = 0
	below := d.part(base, known)
	d.parts = append(d.parts, part{below, uint8(card), set[card]})
	known[set] = uint8(len(d.parts) - 1)
	return known[set]
}

// order counts the orders in which the dealer may draw and is not bust, by the count at the end and by
// what is drawn, which does not begin with a card.
func order(t total, none int, drawn rest, orders *[5]map[rest]float64) {
	switch best := t.best(); {
	case best > 21:
		return
	case best >= 17:
		orders[endsAt(best)][drawn]++
		return
	}
	for card := 1; card <= 10; card++ {
		if card == none || drawn[card] == full()[card] {
			continue
		}
		next := drawn
		next[card]++
		order(t.with(card), 0, next, orders)
	}
}

// A counted is a hand from a deck of which some cards were seen. What it holds follows from what is
// left.
type counted struct {
	open  int
	stood map[rest]float64 // what a hand wins as it is
	known map[rest]float64 // what the best play wins

	ways  [mostParts]float64     // to pick the cards of each part of a draw, in order, from what is left now
	share [mostDrawn + 1]float64 // of one order of so many cards among all that may come to the dealer
}

func newCounted(open int) *counted {
	return &counted{open: open, stood: map[rest]float64{}, known: map[rest]float64{}}
}

// ends is how likely the dealer ends at a count up to 21.
func (c *counted) ends(count int) (chance float64) {
	for _, s := range draws()[c.open].sets[endsAt(count)] {
		chance += float64(c.ways[s.low] * c.ways[s.high] * s.orders * c.share[s.size])
	}
	return chance
}

// count prepares for what is left.
func (c *counted) count(left rest) {
	f := falling()
	c.ways[0] = 1
	for i, p := range draws()[c.open].parts[1:] {
		c.ways[i+1] = c.ways[p.base] * f[left[p.card]][p.n]
	}
	n := left.size()
	orders := float64(n - int(left[partner(c.open)])) // in which so many cards may come, the first making no natural
	for k := 1; k <= min(n, mostDrawn); k++ {
		c.share[k] = 1 / orders
		orders *= float64(n - k)
	}
}

// falling are the products n(n-1)(n-2)... of so many factors.
var falling = sync.OnceValue(func() *[17][17]float64 {
	of := new([17][17]float64)
	for n := range of {
		of[n][0] = 1
		for k := range n {
			of[n][k+1] = of[n][k] * float64(n-k)
		}
	}
	return of
})

// chances is how likely each card comes next to the player.
func (c *counted) chances(left rest) (of [11]float64) {
	n, none := left.size(), partner(c.open)
	bad := int(left[none])
	for card := 1; card <= 10; card++ {
		of[card] = float64(left[card]) * float64(n-bad-1) / (float64(n-bad) * float64(n-1))
	}
	if none > 0 { // the hidden card is none of these
		of[none] = float64(bad) / float64(n-1)
	}
	return of
}

// stand is what a hand wins as it is: 1, less the chance that the dealer ends at its count, and twice
// the chance that the dealer ends above.
func (c *counted) stand(t total, left rest) float64 {
	if t.best() > 21 {
		return -1
	}
	won, seen := c.stood[left]
	if !seen {
		c.count(left)
		won = 1
		for count := max(t.best(), 17); count <= 21; count++ {
			cost := 2.0
			if count == t.best() {
				cost = 1
			}
			won -= float64(cost * c.ends(count))
		}
		c.stood[left] = won
	}
	return won
}

// play is what a hand wins that may hit or stand.
func (c *counted) play(t total, left rest) float64 {
	if t.best() > 21 {
		return -1
	}
	if won, seen := c.known[left]; seen {
		return won
	}
	won := c.stand(t, left)
	if t.best() < 21 { // no card improves on 21
		if of := c.chances(left); won < most(t, &of) {
			won = max(won, c.hit(t, left, &of))
		}
	}
	c.known[left] = won
	return won
}

// most bounds what a hand wins that takes a card: all, unless it is bust.
func most(t total, chances *[11]float64) float64 {
	won := 1.0
	for card := 1; card <= 10; card++ {
		if t.with(card).best() > 21 {
			won -= 2 * chances[card]
		}
	}
	return won
}

// hit is what a hand wins that takes a card.
func (c *counted) hit(t total, left rest, chances *[11]float64) (won float64) {
	for card := 1; card <= 10; card++ {
		if p := chances[card]; p > 0 {
			won += float64(p * c.play(t.with(card), left.without(card)))
		}
	}
	return won
}

// moves is what each move wins, if the best play follows.
func (c *counted) moves(t total, left rest) map[string]float64 {
	chances := c.chances(left)
	of := map[string]float64{stand: c.stand(t, left), hit: c.hit(t, left, &chances), double: 0}
	for card := 1; card <= 10; card++ {
		if p := chances[card]; p > 0 {
			of[double] += float64(2 * p * c.stand(t.with(card), left.without(card)))
		}
	}
	return of
}
