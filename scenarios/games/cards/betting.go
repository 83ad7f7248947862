package cards

// A limit is a poker with bets of fixed sizes. Both players put in a chip before the cards are dealt.
type limit struct {
	sizes []int    // of a bet or raise, by round
	most  int      // bets and raises in a round
	ranks []string // of the cards, the lowest first
	suits int      // cards of each rank
}

// A betting is how far the bets of a hand have come.
type betting struct {
	limit
	round   int
	turn    player
	paid    [2]int
	raised  int  // bets and raises in the round
	checked bool // the first has checked
	folded  bool // and the hand is over, lost by turn
}

// opening is a hand before the first bet.
func (l limit) opening() betting { return betting{limit: l, paid: [2]int{1, 1}} }

// over reports whether there are no more bets.
func (b betting) over() bool { return b.folded || b.round == len(b.sizes) }

// faces reports whether the player to move must answer a bet.
func (b betting) faces() bool { return b.paid[b.turn] < b.paid[1-b.turn] }

// moves lists the legal moves.
func (b betting) moves() []string {
	switch {
	case b.over():
		return nil
	case !b.faces():
		return []string{"check", "bet"}
	case b.raised < b.most:
		return []string{"fold", "call", "raise"}
	}
	return []string{"fold", "call"}
}

// after returns the betting after a legal move.
func (b betting) after(move string) betting {
	switch move {
	case "fold":
		b.folded = true
		return b
	case "check":
		if !b.checked {
			b.checked, b.turn = true, 1-b.turn
			return b
		}
	case "call":
		b.paid[b.turn] = b.paid[1-b.turn]
	default:
		b.paid[b.turn] = b.paid[1-b.turn] + b.sizes[b.round]
		b.raised++
		b.turn = 1 - b.turn
		return b
	}
	b.round++
	b.turn, b.raised, b.checked = first, 0, false
	return b
}

// refusal says which rule forbids a move, if one does.
func (b betting) refusal(move string) string {
	switch move {
	case "check", "bet":
		if b.faces() {
			return "there is a bet to answer, so you cannot " + move
		}
	case "fold", "call":
		if !b.faces() {
			return "nobody has bet in this round, so there is nothing to " + move
		}
	case "raise":
		switch {
		case !b.faces():
			return "nobody has bet in this round, so there is nothing to raise"
		case b.most == 1:
			return "a bet cannot be raised in this game"
		case b.raised == b.most:
			return "a round has at most one bet and one raise"
		}
	default:
		return "it is none of check, bet, call, raise and fold"
	}
	return ""
}

// tree returns all that may happen in a hand.
func (l limit) tree() *tree {
	t := &tree{holds: len(l.ranks)}
	cards := len(l.ranks) * l.suits
	dealt := square(t.holds, func(i, j int) float64 {
		return float64(l.suits) / float64(cards) * float64(l.left(j, i)) / float64(cards-1)
	})
	t.root = t.bets(l.opening(), dealt, -1)
	return t
}

// left is how many cards of a rank are left without some.
func (l limit) left(rank int, gone ...int) int {
	n := l.suits
	for _, g := range gone {
		if g == rank {
			n--
		}
	}
	return n
}

// bets returns the node of a betting; board is the public card, if there is one.
func (t *tree) bets(b betting, likely [][]float64, board int) *node {
	if b.over() {
		return &node{mover: nobody, likely: likely, shown: board, pay: square(t.holds, func(i, j int) float64 { return b.pay(i, j, board) })}
	}
	if b.round > 0 && board < 0 {
		return t.boards(b, likely)
	}
	n := t.decision(b.turn, likely)
	n.shown = board
	for _, move := range b.moves() {
		n.then(move, t.bets(b.after(move), likely, board))
	}
	return n
}

// boards returns the node where the public card is dealt.
func (t *tree) boards(b betting, likely [][]float64) *node {
	n := &node{mover: chance, likely: likely, shown: -1}
	cards := len(b.ranks)*b.suits - 2
	for board := range b.ranks {
		with := square(t.holds, func(i, j int) float64 { return likely[i][j] * float64(max(0, b.left(board, i, j))) / float64(cards) })
		n.next = append(n.next, t.bets(b, with, board))
	}
	return n
}

// pay is what the first wins in the end.
func (b betting) pay(one, two, board int) float64 {
	if b.folded {
		if b.turn == first {
			return -float64(b.paid[first])
		}
		return float64(b.paid[second])
	}
	if one != two && board == one {
		one = len(b.ranks) // a pair
	}
	if one != two && board == two {
		two = len(b.ranks)
	}
	switch {
	case one > two:
		return float64(b.paid[second])
	case one < two:
		return -float64(b.paid[first])
	}
	return 0
}

// kuhn is the poker of a deck of n different cards and one round.
func kuhn(n int) limit {
	l := limit{sizes: []int{1}, most: 1, suits: 1}
	for i := range n {
		l.ranks = append(l.ranks, string(rune('1'+i)))
	}
	return l
}

// leduc is the poker of six cards and two rounds.
func leduc() limit {
	return limit{sizes: []int{2, 4}, most: 2, ranks: []string{"J", "Q", "K"}, suits: 2}
}
