package transformer

import "math"

// Muon updates a matrix by its mean gradient, with all singular values set to about one so
// that no direction lags behind: Jordan et al., "Muon: An optimizer for hidden layers in
// neural networks" (2024). The size of the gradient has no effect.

// muonBeta is the decay of the mean of gradients.
const muonBeta = 0.95

// Coefficients and number of rounds of the Newton-Schulz iteration, from the same
// source.
const (
	schulz1, schulz3, schulz5 = 3.4445, -4.7750, 2.0315
	schulzRounds              = 5
)

// A muonJob is the update of one matrix: a tensor, or the query, key or value part of
// qkv.
type muonJob struct {
	params, grads, first matrix
}

// muon updates all matrices of the layers.
func (o *AdamW) muon(m *Model, grads []float32, u update) {
	o.jobs = o.jobs[:0]
	at := 0
	for i, t := range m.tensors {
		if steppedByMuon(i) {
			whole := muonJob{t.matrix(), t.window(grads[at:]), t.window(o.first[at:])}
			for lo := 0; lo < t.Cols; lo += muonCols(m.config, i, t) {
				n := muonCols(m.config, i, t)
				o.jobs = append(o.jobs, muonJob{whole.params.columns(lo, n), whole.grads.columns(lo, n), whole.first.columns(lo, n)})
			}
		}
		at += len(t.Data)
	}
	for len(o.scratch) < workers() {
		o.scratch = append(o.scratch, muonScratch{})
	}
	parallel(len(o.jobs), len(o.scratch), func(w, i int) { o.scratch[w].step(o.jobs[i], u) })
}

// steppedByMuon reports whether tensor i is a matrix of a layer, which Muon may update.
func steppedByMuon(i int) bool { return i > 1 && !isShift(i) }

// muonCols returns the number of columns of tensor i in one update.
func muonCols(c Config, i int, t Tensor) int {
	if (i-2)%layerTensors == tensorQKV {
		return c.Width
	}
	return t.Cols
}

// window views the beginning of data as a matrix of t's sizes.
func (t Tensor) window(data []float32) matrix {
	return matrix{data: data[:len(t.Data)], rows: t.Rows, cols: t.Cols, stride: t.Cols}
}

// muonScratch is the memory of one goroutine.
type muonScratch struct {
	x, y, turned, gram, poly matrix
	packed                   packing
}

// step updates one matrix.
func (s *muonScratch) step(job muonJob, u update) {
	rows, cols := job.params.rows, job.params.cols
	s.x.resize(rows, cols)
	for i := range rows {
		x, first := s.x.row(i), job.first.row(i)
		for j, g := range job.grads.row(i) {
			g *= u.scale
			first[j] = muonBeta*first[j] + (1-muonBeta)*g
			x[j] = muonBeta*first[j] + (1-muonBeta)*g // Nesterov momentum
		}
	}
	s.orthogonalise()
	rate := u.rate * float32(math.Sqrt(max(1, float64(cols)/float64(rows))))
	for i := range rows {
		params := job.params.row(i)
		for j, x := range s.x.row(i) {
			params[j] = params[j]*u.keep - rate*x
		}
	}
}

// orthogonalise sets the singular values of x to about one; zeros stay zeros.
func (s *muonScratch) orthogonalise() {
	var sum float64
	for i := range s.x.rows {
		sum += float64(dot(s.x.row(i), s.x.row(i)))
	}
	if sum == 0 {
		return
	}
	x := &s.x
	if tall := s.x.rows > s.x.cols; tall {
		s.turned.transpose(s.x)
		x = &s.turned
		defer func() { s.x.transpose(s.turned) }()
	}
	for i := range x.rows {
		setScaled(x.row(i), x.row(i), float32(1/math.Sqrt(sum)))
	}
	s.gram.resize(x.rows, x.rows)
	s.poly.resize(x.rows, x.rows)
	s.y.resize(x.rows, x.cols)
	for range schulzRounds { // x becomes (c1 + c3·xxᵀ + c5·(xxᵀ)²)·x
		s.packed.packTransposed(*x)
		multiply(s.gram, *x, &s.packed, false)
		s.packed.pack(s.gram)
		multiply(s.poly, s.gram, &s.packed, false)
		for i := range x.rows {
			row := s.poly.row(i)
			setScaled(row, row, schulz5)
			addScaled(row, s.gram.row(i), schulz3)
			row[i] += schulz1
		}
		s.packed.pack(*x)
		multiply(s.y, s.poly, &s.packed, false)
		x.copyFrom(s.y)
	}
}

// transpose sets m to the transpose of from.
func (m *matrix) transpose(from matrix) {
	m.resize(from.cols, from.rows)
	for i := range from.rows {
		for j, x := range from.row(i) {
			m.data[j*m.stride+i] = x
		}
	}
}
