package cards

// A response is the best one of a seat to a strategy of the other.
type response struct {
	seat player
	to   strategy

	// worth is what a move wins on average if the best play follows, by row, what the player
	// holds, and move. Only the rows of the seat have one.
	worth [][][]float64

	best, blind float64 // what a hand wins by the best play, and by uniform play
}

// respond works out the best response of a seat.
func (t *tree) respond(seat player, to strategy) *response {
	r := &response{seat: seat, to: to, worth: make([][][]float64, t.rows)}
	reach := make([]float64, t.holds)
	for i := range reach {
		reach[i] = 1
	}
	best, blind := r.visit(t.root, reach)
	for i := range best {
		r.best += best[i]
		r.blind += blind[i]
	}
	return r
}

// visit returns what a node is worth, by what the player holds: each worth is weighted by the
// probability that the deal, chance and the opponent lead there. Reach is the opponent's part of
// it, by what the opponent holds.
func (r *response) visit(n *node, reach []float64) (best, blind []float64) {
	if n.mover == nobody {
		pays := n.pays(r.seat, reach)
		return pays, pays
	}
	best, blind = make([]float64, len(reach)), make([]float64, len(reach))
	if n.mover == r.seat {
		r.choose(n, reach, best, blind)
		return best, blind
	}
	for move, next := range n.next {
		after := reach
		if n.mover != chance {
			after = scaled(reach, r.to[n.row], move)
		}
		b, u := r.visit(next, after)
		for i := range best {
			best[i] += b[i]
			blind[i] += u[i]
		}
	}
	return best, blind
}

// choose visits the moves of the player.
func (r *response) choose(n *node, reach, best, blind []float64) {
	chances := n.chances(r.seat, reach)
	r.worth[n.row] = make([][]float64, len(reach))
	for move, next := range n.next {
		b, u := r.visit(next, reach)
		for i := range b {
			if move == 0 || b[i] > best[i] {
				best[i] = b[i]
			}
			blind[i] += u[i] / float64(len(n.next))
			worth := 0.0 // the opponent never lets it come to this
			if chances[i] > 0 {
				worth = b[i] / chances[i]
			}
			r.worth[n.row][i] = append(r.worth[n.row][i], worth)
		}
	}
}

// scaled returns how likely it is to hold each thing and make a move.
func scaled(reach []float64, by [][]float64, move int) []float64 {
	after := make([]float64, len(reach))
	for i := range after {
		after[i] = reach[i] * by[i][move]
	}
	return after
}

// pays returns what a seat wins at an end, weighted by reach.
func (n *node) pays(seat player, reach []float64) []float64 {
	return n.over(seat, reach, func(i, j int) float64 {
		if seat == second {
			return -n.likely[i][j] * n.pay[i][j]
		}
		return n.likely[i][j] * n.pay[i][j]
	})
}

// chances returns how likely a node is, by what a seat holds.
func (n *node) chances(seat player, reach []float64) []float64 {
	return n.over(seat, reach, func(i, j int) float64 { return n.likely[i][j] })
}

// over sums over what the opponent of a seat may hold. At takes what the first and the second hold.
func (n *node) over(seat player, reach []float64, at func(i, j int) float64) []float64 {
	sums := make([]float64, len(reach))
	for mine := range sums {
		for theirs, weight := range reach {
			i, j := mine, theirs
			if seat == second {
				i, j = theirs, mine
			}
			sums[mine] += float64(weight * at(i, j)) // the same on processors that would fuse them
		}
	}
	return sums
}

// exploitability is what the best responses to a strategy of both seats win of it, on average.
func (t *tree) exploitability(s strategy) float64 {
	return (t.respond(first, s).best + t.respond(second, s).best) / 2
}
