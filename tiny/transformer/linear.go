package transformer

// A linear is one matrix on a step's way, with what goes with it.
type linear struct {
	w       *packing
	flipped *packing  // transposed, for the way back; nil: there is none
	bias    []float32 // nil: none
	down    adapter   // its first matrix; nil data: no adapters
	ups     []adapter // its second matrices, of adjacent columns of w
	scale   float32   // of the adapters
}

// An adapter is one matrix of the adapters of a linear.
type adapter struct {
	w, flipped packing
	at         int // of a second matrix: its first column among those of the linear
	tensor     int // index in the model
}

// forward sets y to x·w with biases and adapters, or adds that to it. ranks gets x times the first
// matrices of the adapters, with their scale.
func (l *linear) forward(y, x, ranks matrix, add bool, t team) {
	t.multiply(y, x, l.w, add)
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
	t.multiply(ranks, x, &l.down.w, false)
	ranks.scale(l.scale)
	for i := range l.ups {
		up := &l.ups[i]
		t.multiply(y.columns(up.at, up.w.n), ranks.columns(i*up.w.k, up.w.k), &up.w, true)
	}
}

// backward sets dx to the gradient of x, given that of y, and dRanks to that of x times the first matrices.
func (l *linear) backward(dx, dy, dRanks matrix, t team) {
	t.multiply(dx, dy, l.flipped, false)
	if l.ups == nil {
		return
	}
	for i := range l.ups {
		up := &l.ups[i]
		t.multiply(dRanks.columns(i*up.w.k, up.w.k), dy.columns(up.at, up.w.n), &up.flipped, false)
	}
	dRanks.scale(l.scale)
	t.multiply(dx, dRanks, &l.down.flipped, true)
}

// scale multiplies all numbers of m.
func (m matrix) scale(f float32) {
	for i := range m.rows {
		setScaled(m.row(i), m.row(i), f)
	}
}
