package transformer

import "math"

// In a matrix of pairs, each number of a [matrix] or a [packing] has the bits of two numbers in bfloat16, the upper
// half of a float32: in the lower half one, and in the upper half the next one of the same row of a left matrix, or of
// the same column of a right one.

// pair returns two numbers, rounded to the nearest bfloat16, ties to even.
func pair(x, y float32) float32 { return math.Float32frombits(upper(x)>>16 | upper(y)) }

// upper returns the bits of x, rounded.
func upper(x float32) uint32 {
	bits := math.Float32bits(x)
	if x != x {
		return bits&0xffff0000 | 1<<22
	}
	return (bits + 0x7fff + bits>>16&1) & 0xffff0000
}

// split returns the numbers of a pair.
func split(p float32) (x, y float32) {
	bits := math.Float32bits(p)
	return math.Float32frombits(bits << 16), math.Float32frombits(bits & 0xffff0000)
}

// place returns the pair that holds row k of column n.
func (p *packing) place(k, n int) *float32 {
	return &p.data[(n/lanes*p.rows()+k/2)*lanes+n%lanes]
}

// put sets a number of a packing of pairs.
func (p *packing) put(k, n int, number float32) {
	at := p.place(k, n)
	x, y := split(*at)
	if k%2 == 0 {
		x = number
	} else {
		y = number
	}
	*at = pair(x, y)
}

// get returns a number of a packing of pairs.
func (p *packing) get(k, n int) float32 {
	x, y := split(*p.place(k, n))
	if k%2 == 0 {
		return x
	}
	return y
}

// flipPairs copies the transpose.
func (p *packing) flipPairs(from *packing) {
	for k := range p.k {
		for n := range p.n {
			p.put(k, n, from.get(n, k))
		}
	}
}

// round makes m the pairs of another matrix.
func (m *matrix) round(from matrix, t team) {
	m.resize(from.rows, (from.cols+1)/2)
	whole := from.cols &^ (2*lanes - 1)
	t.rows(from.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, x := m.row(i), from.row(i)
			kernels.roundPairs(to[:whole/2], x[:whole])
			roundPairsPlain(to[whole/2:], x[whole:])
		}
	})
}

// roundPairsPlain stores the pairs of x; an odd number at the end is one with zero.
func roundPairsPlain(to, x []float32) {
	for i := range to {
		var y float32
		if 2*i+1 < len(x) {
			y = x[2*i+1]
		}
		to[i] = pair(x[2*i], y)
	}
}

// mulPairs is [mulPanels] for matrices of pairs. Both products of two pairs go to the sum before those of the next ones.
func mulPairs(c matrix, a factor, b panels, add bool) {
	if b.check(c, a) {
		kernels.mulPairs(c, a, b, add)
	}
}

// mulPairsPlain is the kernel of mulPairs in plain Go.
func mulPairsPlain(c matrix, a factor, b panels, add bool) {
	for j := range b.n {
		to, panel := c.columns(j*lanes, lanes), b.panel(j)
		clearUnless(add, to)
		for i := range c.rows {
			for k := range b.rows {
				addPair(to.block(i), a.data[i*a.down+k*a.across], panel.block(k))
			}
		}
	}
}

// addPair adds the products of a pair with some others to c.
func addPair(c *[lanes]float32, a float32, b *[lanes]float32) {
	x, y := split(a)
	for j, both := range b {
		u, v := split(both)
		c[j] += x*u + y*v
	}
}
