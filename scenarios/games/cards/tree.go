package cards

// A player is who moves at a node.
type player int8

// The players: those with a seat, chance, and nobody, since the hand is over.
const (
	first player = iota
	second
	chance
	nobody
)

// A node is a public state in a hand of two players, each of whom holds something that only they
// know.
type node struct {
	mover player
	row   int      // of a decision: its number in the tree
	moves []string // of a decision
	next  []*node  // after each move, or each outcome of chance
	shown int      // what chance has shown; -1: nothing

	// likely is the probability that the players hold this, and that chance has come so far, by
	// what the first and the second hold.
	likely [][]float64

	// pay is what the first wins in the end, by what both hold; the second loses as much.
	pay [][]float64
}

// A tree is all that may happen in a hand.
type tree struct {
	root  *node
	holds int // how many things a player may hold
	rows  int // decisions
}

// decision adds a decision of a player to the tree; its moves are to follow.
func (t *tree) decision(mover player, likely [][]float64) *node {
	t.rows++
	return &node{mover: mover, row: t.rows - 1, shown: -1, likely: likely}
}

// then adds a move.
func (n *node) then(move string, next *node) {
	n.moves, n.next = append(n.moves, move), append(n.next, next)
}

// square returns a table over what both players hold.
func square(n int, at func(i, j int) float64) [][]float64 {
	all := make([][]float64, n)
	for i := range all {
		all[i] = make([]float64, n)
		for j := range all[i] {
			all[i][j] = at(i, j)
		}
	}
	return all
}

// A strategy is the probability of each move, by row, what the player holds, and move.
type strategy [][][]float64

// play makes a strategy of both seats by a rule for a decision.
func (t *tree) play(rule func(n *node, holds int) []float64) strategy {
	s := make(strategy, t.rows)
	t.root.each(func(n *node) {
		if n.mover > second {
			return
		}
		for holds := range t.holds {
			s[n.row] = append(s[n.row], rule(n, holds))
		}
	})
	return s
}

// uniform gives all moves the same probability.
func uniform(n *node, _ int) []float64 {
	p := make([]float64, len(n.moves))
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	return p
}

// each calls f for a node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, next := range n.next {
		next.each(f)
	}
}
