package cards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Cups are the rules of liar's dice for two players with the same number of dice.
type cups struct {
	Dice  int  `json:"dice"`
	Faces int  `json:"faces"`
	Wild  bool `json:"wild"` // the highest face counts as every face
}

// faceNames name the faces.
var faceNames = []string{"one", "two", "three", "four", "five", "six"}

// liar is the move that challenges a bid.
const liar = "liar"

// A bid claims that all dice together show a face so many times.
type bid struct{ count, face int }

// bids lists all bids, each higher than the ones before.
func (c cups) bids() (all []bid) {
	for count := 1; count <= 2*c.Dice; count++ {
		for face := 1; face <= c.Faces; face++ {
			all = append(all, bid{count, face})
		}
	}
	return all
}

// String is the text of a bid as a move.
func (b bid) String() string {
	name := faceNames[b.face-1]
	if b.count == 1 {
		return "1 " + name
	}
	if b.face == 6 {
		return fmt.Sprintf("%d sixes", b.count)
	}
	return fmt.Sprintf("%d %ss", b.count, name)
}

// readBid reads a bid from a text such as "2 fives".
func readBid(text string) (b bid, ok bool) {
	count, name, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(count)
	face := slices.IndexFunc(faceNames, func(f string) bool { return name == f || name == f+"s" || name == f+"es" }) + 1
	return bid{n, face}, err == nil && n > 0 && face > 0 && len(count) < 3
}

// counts is how many of the dice count for a bid on a face.
func (c cups) counts(dice []int, face int) (n int) {
	for _, d := range dice {
		if d == face || c.Wild && d == c.Faces {
			n++
		}
	}
	return n
}

// rolls lists what the dice of a player may show, in order of the faces.
func (c cups) rolls() (all [][]int) {
	var fill func(roll []int)
	fill = func(roll []int) {
		if len(roll) == c.Dice {
			all = append(all, roll)
			return
		}
		least := 1
		if len(roll) > 0 {
			least = roll[len(roll)-1]
		}
		for face := least; face <= c.Faces; face++ {
			fill(append(roll[:len(roll):len(roll)], face))
		}
	}
	fill(nil)
	return all
}

// chance is how likely a player's dice show a roll of one or two dice.
func (c cups) chance(roll []int) float64 {
	p := 1.0
	for range roll {
		p /= float64(c.Faces)
	}
	if roll[0] != roll[len(roll)-1] {
		p *= 2
	}
	return p
}

// tree returns all that may happen in a round.
func (c cups) tree() *tree {
	rolls := c.rolls()
	t := &tree{holds: len(rolls)}
	likely := square(t.holds, func(i, j int) float64 { return c.chance(rolls[i]) * c.chance(rolls[j]) })
	g := &bidding{tree: t, bids: c.bids(), likely: likely}
	for seat := range 2 {
		for _, b := range g.bids {
			g.pays[seat] = append(g.pays[seat], square(t.holds, func(i, j int) float64 {
				if (c.counts(rolls[i], b.face)+c.counts(rolls[j], b.face) >= b.count) == (seat == 0) {
					return 1
				}
				return -1
			}))
		}
	}
	t.root = g.after(-1, first)
	return t
}

// A bidding makes a tree.
type bidding struct {
	*tree
	bids   []bid
	likely [][]float64
	pays   [2][][][]float64 // by the seat that bids, and bid: what the first wins if it is challenged
}

// after returns the node of a player who is to move after a bid; -1: none.
func (g *bidding) after(last int, mover player) *node {
	n := g.decision(mover, g.likely)
	for next := last + 1; next < len(g.bids); next++ {
		n.then(g.bids[next].String(), g.after(next, 1-mover))
	}
	if last >= 0 {
		n.then(liar, &node{mover: nobody, shown: -1, likely: g.likely, pay: g.pays[1-mover][last]})
	}
	return n
}
