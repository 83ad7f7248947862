package transformer

// A linear is one matrix on a step's way, with what goes with it.
type linear struct {
	w       *packing
	flipped *packing  // transposed, for the way back; nil: there is none
	lent    bool      // all linears of a network have this flipped: it is made at each use
	rounded *matrix   // for pairs
	bias    []float32 // nil: none
	down    adapter   // its first matrix; nil data: no adapters
	ups     []adapter // its second matrices, of adjacent columns of w
	scale   float32   // of the adapters

	// Of the last rows, with adapters: x times the first matrices, with the scale, and the gradient of the
	// product without it, times the scale.
	ranks, dRanks matrix
}

// An adapter is one matrix of the adapters of a linear.
type adapter struct {
	w, flipped packing
	at         int // of a second matrix: its first column among those of the linear
	tensor     int // index in the model
}

// forward sets y to x·w with biases and adapters, or adds that to it.
func (l *linear) forward(y, x matrix, add bool, t team) {
	if t.pool == nil && l.ups == nil {
		multiply(y, x, l.w, add)
		return
	}
	t.multiply(y, l.left(x, l.w, t), l.w, add)
	if l.bias != nil {
		t.rows(y.rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				addScaled(y.row(i), l.bias, 1)
			}
		})
	}
	if l.ups == nil {
		return
	}
	l.ranks.resize(x.rows, l.down.w.n)
	t.multiply(l.ranks, x, &l.down.w, false)
	l.ranks.scale(l.scale)
	for i := range l.ups {
		up := &l.ups[i]
		t.multiply(y.columns(up.at, up.w.n), l.ranks.columns(i*up.w.k, up.w.k), &up.w, true)
	}
}

// left returns a, or its pairs, to multiply with b: w or flipped.
func (l *linear) left(a matrix, b *packing, t team) matrix {
	if !b.pairs {
		return a
	}
	l.rounded.round(a, t)
	return *l.rounded
}

// backward sets dx to the gradient of x, given that of y.
func (l *linear) backward(dx, dy matrix, t team) {
	if l.lent {
		l.flipped.flip(l.w, t)
	}
	t.multiply(dx, l.left(dy, l.flipped, t), l.flipped, false)
	if l.ups == nil {
		return
	}
	l.dRanks.resize(dy.rows, l.down.w.n)
	for i := range l.ups {
		up := &l.ups[i]
		t.multiply(l.dRanks.columns(i*up.w.k, up.w.k), dy.columns(up.at, up.w.n), &up.flipped, false)
	}
	l.dRanks.scale(l.scale)
	t.multiply(dx, l.dRanks, &l.down.flipped, true)
}

// scale multiplies all numbers of m.
func (m matrix) scale(f float32) {
	for i := range m.rows {
		setScaled(m.row(i), m.row(i), f)
	}
}
