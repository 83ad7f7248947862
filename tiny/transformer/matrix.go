package transformer

// lanes is the number of columns that kernels work on at once. Widths are multiples of
// it; other sizes are padded.
const lanes = 16

// A matrix is a view of numbers stored row by row. If a kernel writes to it, its last row
// too has room up to the next multiple of lanes.
type matrix struct {
	data       []float32
	rows, cols int
	stride     int // from one row to the next
}

// padded returns n rounded up to a multiple of lanes.
func padded(n int) int { return (n + lanes - 1) / lanes * lanes }

// resize makes m a matrix of rows × cols, in its own memory if that suffices. Its content
// is lost. Rows are an odd number of lanes apart, so that the numbers of a column fall
// into different sets of the cache.
func (m *matrix) resize(rows, cols int) {
	stride := padded(cols)
	if stride/lanes%2 == 0 {
		stride += lanes
	}
	m.data = grown(m.data, rows*stride)
	m.rows, m.cols, m.stride = rows, cols, stride
}

func (m matrix) row(i int) []float32 { return m.data[i*m.stride:][:m.cols] }

// full returns row i with its padding up to the next multiple of lanes.
func (m matrix) full(i int) []float32 { return m.data[i*m.stride:][:padded(m.cols)] }

// between returns a view of rows lo to hi-1.
func (m matrix) between(lo, hi int) matrix {
	m.data = m.data[min(lo*m.stride, len(m.data)):]
	m.rows = hi - lo
	return m
}

// columns returns a view of n columns from lo on.
func (m matrix) columns(lo, n int) matrix {
	m.data = m.data[min(lo, len(m.data)):]
	m.cols = n
	return m
}

// block returns the first lanes columns of row i.
func (m matrix) block(i int) *[lanes]float32 { return (*[lanes]float32)(m.data[i*m.stride:]) }

// copyFrom copies the numbers of a matrix with as many rows and no more columns.
func (m matrix) copyFrom(from matrix) {
	for i := range m.rows {
		copy(m.row(i), from.row(i))
	}
}

// A packing is a matrix of k rows and n columns in the layout of the kernels: in panels
// of lanes columns, one after another, each row by row. The columns that pad the last
// panel are zero.
type packing struct {
	data  []float32
	k, n  int
	pairs bool // rows are in pairs of bfloat16: see pairs.go
}

// rows returns the rows of data.
func (p *packing) rows() int {
	if p.pairs {
		return (p.k + 1) / 2
	}
	return p.k
}

// panel returns panel j: all rows of columns j·lanes to (j+1)·lanes-1.
func (p *packing) panel(j int) matrix {
	n := p.rows() * lanes
	return matrix{data: p.data[j*n:][:n], rows: p.rows(), cols: lanes, stride: lanes}
}

// all returns all panels.
func (p *packing) all() panels {
	return panels{data: p.data, rows: p.rows(), stride: lanes, apart: p.rows() * lanes, n: p.panels()}
}

// panels returns the number of panels.
func (p *packing) panels() int { return padded(p.n) / lanes }

// resize makes room for k × n numbers, and leaves those beyond column n zero.
func (p *packing) resize(k, n int) {
	p.k, p.n = k, n
	p.data = grown(p.data, p.panels()*p.rows()*lanes)
	if n%lanes != 0 {
		clear(p.panel(p.panels() - 1).data)
	}
}

// pack copies m.
func (p *packing) pack(m matrix) {
	p.resize(m.rows, m.cols)
	for j := range p.panels() {
		p.panel(j).copyFrom(m.columns(j*lanes, min(lanes, m.cols-j*lanes)))
	}
}

// packTransposed copies the transpose of m.
func (p *packing) packTransposed(m matrix) {
	p.resize(m.cols, m.rows)
	p.putTransposed(m, 0)
}

// putTransposed copies the rows of m to the columns from at on.
func (p *packing) putTransposed(m matrix, at int) {
	for i := range m.rows {
		panel, col := p.panel((at+i)/lanes), (at+i)%lanes
		if p.pairs {
			for k, x := range m.row(i) {
				p.put(k, at+i, x)
			}
			continue
		}
		for k, x := range m.row(i) {
			panel.data[k*lanes+col] = x
		}
	}
}

// multiply sets c to a·b, or adds a·b to c.
func multiply(c, a matrix, b *packing, add bool) {
	mulPanels(c.between(0, a.rows), a.factor(), b.all(), add)
}

// flip copies the transpose of another packing.
func (p *packing) flip(from *packing, t team) {
	p.pairs = from.pairs
	p.resize(from.n, from.k)
	if p.pairs {
		p.flipPairs(from)
		return
	}
	t.each(p.panels(), func(_, j int) { p.flipPanel(from, j) })
}

// flipPanel copies panel j of the transpose, square by square.
func (p *packing) flipPanel(from *packing, j int) {
	to := p.panel(j)
	ins := min(lanes, from.k-j*lanes)
	for q := range from.panels() {
		panel, outs := from.panel(q), min(lanes, from.n-q*lanes)
		if ins*outs == lanes*lanes {
			flipSquare((*[lanes * lanes]float32)(to.data[q*lanes*lanes:]), (*[lanes * lanes]float32)(panel.data[j*lanes*lanes:]))
			continue
		}
		for in := range ins {
			for out := range outs {
				to.data[(q*lanes+out)*lanes+in] = panel.data[(j*lanes+in)*lanes+out]
			}
		}
	}
}

// flipSquare copies the transpose of a square, four numbers at a time. The remainders change no index; they spare checks of it.
func flipSquare(to, from *[lanes * lanes]float32) {
	at := func(in, out int) float32 { return from[(in*lanes+out)%len(from)] }
	for out := range lanes {
		for in := 0; in < lanes; in += 4 {
			four := (*[4]float32)(to[(out*lanes+in)%len(to):])
			four[0], four[1], four[2], four[3] = at(in, out), at(in+1, out), at(in+2, out), at(in+3, out)
		}
	}
}
