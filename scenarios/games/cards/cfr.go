package cards

// equilibrium works out a strategy that no response beats, but for a rest that shrinks with the
// number of rounds, by CFR+: Tammelin, Solving large imperfect information games using CFR+ (2014).
func (t *tree) equilibrium(rounds int) strategy {
	none := func(n *node, _ int) []float64 { return make([]float64, len(n.moves)) }
	c := &cfr{regrets: t.play(none), sums: t.play(none), now: t.play(uniform)}
	all := make([]float64, t.holds)
	for i := range all {
		all[i] = 1
	}
	for round := range rounds {
		c.weight = float64(round + 1)
		for _, c.seat = range []player{first, second} {
			c.visit(t.root, all, all)
		}
	}
	for _, row := range c.sums {
		for _, p := range row {
			purify(p)
		}
	}
	return c.sums
}

// purify turns sums into probabilities in parts of a whole, without those that are noise. So they
// are the same on all processors.
func purify(p []float64) {
	const whole, noise = 10_000, 0.003
	share(p, p)
	left, most := float64(whole), 0
	for i := range p {
		if p[i] > p[most] {
			most = i
		}
	}
	for i := range p {
		if i == most {
			continue
		}
		parts := 0.0
		if p[i] > noise {
			parts = float64(int(p[i]*whole + 0.5))
		}
		left -= parts
		p[i] = parts / whole
	}
	p[most] = left / whole
}

// share sets p to the shares of parts in their sum, all the same if that is 0.
func share(p, parts []float64) {
	sum := 0.0
	for _, part := range parts {
		sum += part
	}
	for i, part := range parts {
		if p[i] = part / sum; sum == 0 {
			p[i] = 1 / float64(len(p))
		}
	}
}

// A cfr is a search for an equilibrium.
type cfr struct {
	seat               player  // that learns
	weight             float64 // of the round
	regrets, now, sums strategy
}

// visit returns what a node is worth to the seat; see [response.visit]. Mine and theirs are how
// likely each player is to lead there, by what they hold.
func (c *cfr) visit(n *node, mine, theirs []float64) []float64 {
	switch n.mover {
	case nobody:
		return n.pays(c.seat, theirs)
	case c.seat:
		return c.learn(n, mine, theirs)
	}
	worth := make([]float64, len(theirs))
	for move, next := range n.next {
		after := theirs
		if n.mover != chance {
			after = scaled(theirs, c.now[n.row], move)
		}
		for i, w := range c.visit(next, mine, after) {
			worth[i] += w
		}
	}
	return worth
}

// learn visits the moves of the seat, and regrets those that it did not make.
func (c *cfr) learn(n *node, mine, theirs []float64) []float64 {
	worth := make([]float64, len(mine))
	now := c.now[n.row]
	of := make([][]float64, len(n.next))
	for move, next := range n.next {
		of[move] = c.visit(next, scaled(mine, now, move), theirs)
		for i, w := range of[move] {
			worth[i] += float64(now[i][move] * w)
		}
	}
	for i := range worth {
		regrets, sums := c.regrets[n.row][i], c.sums[n.row][i]
		for move := range regrets {
			sums[move] += float64(c.weight * mine[i] * now[i][move])
			regrets[move] = max(0, regrets[move]+of[move][i]-worth[i])
		}
		share(now[i], regrets)
	}
	return worth
}
