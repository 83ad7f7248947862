package blackjack

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

// A draw is a node of the tree of all sets of cards with which the dealer may end: a number of equal
// cards beside the lower ones of the nodes above. The nodes below follow it.
type draw struct {
	card, n uint8
	depth   uint8  // from 1
	at      uint8  // of an ending
	size    uint8  // of the set
	after   uint16 // the node after those below

	// orders is in how many orders the dealer ends with the set, its first card making no natural; 0: the
	// dealer does not.
	orders float64
}

// draws lists the tree by the open card.
var draws = sync.OnceValue(func() (all [11][]draw) {
	for open := 1; open <= 10; open++ {
		orders := map[rest]float64{}
		order(open, totalOf(open), rest{}, orders)
		all[open] = grow(open, orders)
	}
	return all
})

// grow returns the tree of sets with their orders.
func grow(open int, orders map[rest]float64) (all []draw) {
	var before rest
	for _, set := range slices.SortedFunc(maps.Keys(orders), func(a, b rest) int { return bytes.Compare(a[:], b[:]) }) {
		depth := uint8(0)
		t := totalOf(open)
		same := true // as the set before, so the nodes are there
		for card, n := range set {
			same = same && n == before[card]
			for range n {
				t = t.with(card)
			}
			if n == 0 {
				continue
			}
			depth++
			if !same {
				all = append(all, draw{card: uint8(card), n: n, depth: depth})
			}
		}
		last := &all[len(all)-1]
		last.orders, last.size, last.at = orders[set], uint8(set.size()), uint8(endsAt(t.best()))
		before = set
	}
	for i := range all {
		after := i + 1
		for after < len(all) && all[after].depth > all[i].depth {
			after++
		}
		all[i].after = uint16(after)
	}
	return all
}

// order counts the orders in which the dealer may draw, by what is drawn.
func order(open int, t total, drawn rest, orders map[rest]float64) {
	if t.best() >= 17 {
		orders[drawn]++
		return
	}
	for card := 1; card <= 10; card++ {
		if drawn.size() == 0 && card == partner(open) {
			continue
		}
		next := drawn
		if next[card]++; next[card] <= full()[card] {
			order(open, t.with(card), next, orders)
		}
	}
}

// A counted is a hand from a deck of which some cards were seen. What it holds follows from what is
// left.
type counted struct {
	open  int
	stood map[rest]float64 // what a hand wins as it is
	known map[rest]float64 // what the best play wins
}

func newCounted(open int) *counted {
	return &counted{open, map[rest]float64{}, map[rest]float64{}}
}

// ends tells how likely the dealer ends at each count.
func (c *counted) ends(left rest) (ends ending) {
	n := left.size()
	var ways [22]float64 // to draw so many cards, the first without a natural
	ways[0] = 1
	for k := 1; k < len(ways) && k <= n; k++ {
		if ways[k] = ways[k-1] * float64(n-k+1); k == 1 {
			ways[k] = float64(n - int(left[partner(c.open)]))
		}
	}
	var picks [11][17]float64 // ways to pick so many of a card, in order
	for card, have := range left {
		picks[card][0] = 1
		for k := 1; k <= int(have); k++ {
			picks[card][k] = picks[card][k-1] * float64(int(have)-k+1)
		}
	}
	var above [11]float64 // ways to pick the cards of the nodes above, by depth
	above[0] = 1
	for all, i := draws()[c.open], 0; i < len(all); {
		d := &all[i]
		p := above[d.depth-1] * picks[d.card][d.n]
		if p == 0 {
			i = int(d.after)
			continue
		}
		if above[d.depth] = p; d.orders > 0 {
			ends[d.at] += p * d.orders / ways[d.size]
		}
		i++
	}
	return ends
}

// chance is how likely a card comes next to the player.
func (c *counted) chance(left rest, card int) float64 {
	n, bad := left.size(), int(left[partner(c.open)])
	if card == partner(c.open) { // the hidden card is none of these
		return float64(bad) / float64(n-1)
	}
	return float64(left[card]) * float64(n-bad-1) / (float64(n-bad) * float64(n-1))
}

// stand is what a hand wins as it is.
func (c *counted) stand(t total, left rest) float64 {
	if t.best() > 21 {
		return -1
	}
	won, seen := c.stood[left]
	if !seen {
		won = c.ends(left).against(t.best())
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
	if t.best() < 21 && won < c.most(t, left) { // no card improves on 21
		won = max(won, c.hit(t, left))
	}
	c.known[left] = won
	return won
}

// most bounds what a hand wins that takes a card: all, unless it is bust.
func (c *counted) most(t total, left rest) float64 {
	most := 1.0
	for card := 1; card <= 10; card++ {
		if t.with(card).best() > 21 {
			most -= 2 * c.chance(left, card)
		}
	}
	return most
}

// hit is what a hand wins that takes a card.
func (c *counted) hit(t total, left rest) (won float64) {
	for card := 1; card <= 10; card++ {
		if p := c.chance(left, card); p > 0 {
			won += float64(p * c.play(t.with(card), left.without(card)))
		}
	}
	return won
}

// moves is what each move wins, if the best play follows.
func (c *counted) moves(t total, left rest) map[string]float64 {
	of := map[string]float64{stand: c.stand(t, left), hit: c.hit(t, left), double: 0}
	for card := 1; card <= 10; card++ {
		if p := c.chance(left, card); p > 0 {
			of[double] += float64(2 * p * c.stand(t.with(card), left.without(card)))
		}
	}
	return of
}
