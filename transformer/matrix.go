package transformer

// lanes is the number of columns that the kernels work on at once. Widths are
// multiples of it, and what is not is padded.
const lanes = 16

// A matrix is a window on numbers that lie row by row. Where a kernel writes it,
// the last row too has room up to the next multiple of lanes.
type matrix struct {
	data       []float32
	rows, cols int
	stride     int // from one row to the next
}

// padded is n rounded up to a multiple of lanes.
func padded(n int) int { return (n + lanes - 1) / lanes * lanes }

// resize makes m a matrix of rows × cols, in the memory it has where that is
// enough. What it held is lost. Rows are an odd number of lanes apart, so that
// the rows of a column fall into different sets of the cache.
func (m *matrix) resize(rows, cols int) {
	stride := padded(cols)
	if stride/lanes%2 == 0 {
		stride += lanes
	}
	if n := rows * stride; n > cap(m.data) {
		m.data = make([]float32, n+n/4)
	}
	m.data = m.data[:rows*stride]
	m.rows, m.cols, m.stride = rows, cols, stride
}

// row is row i.
func (m matrix) row(i int) []float32 { return m.data[i*m.stride:][:m.cols] }

// between is the window of rows lo to hi-1.
func (m matrix) between(lo, hi int) matrix {
	m.data = m.data[min(lo*m.stride, len(m.data)):]
	m.rows = hi - lo
	return m
}

// columns is the window of n columns from lo on.
func (m matrix) columns(lo, n int) matrix {
	m.data = m.data[min(lo, len(m.data)):]
	m.cols = n
	return m
}

// A packing is a matrix of k rows in panels of lanes columns, one panel behind the
// other, each row by row: the form in which the kernels read it. Columns beyond
// the last are zero.
type packing struct {
	data []float32
	k, n int // rows and columns
}

// panel is panel j, as a matrix.
func (p *packing) panel(j int) matrix {
	return matrix{data: p.data[j*p.k*lanes:][:p.k*lanes], rows: p.k, cols: lanes, stride: lanes}
}

// panels is the number of panels.
func (p *packing) panels() int { return (p.n + lanes - 1) / lanes }

// resize makes room for k × n numbers, and leaves those beyond column n zero.
func (p *packing) resize(k, n int) {
	if size := k * padded(n); size > cap(p.data) {
		p.data = make([]float32, size+size/4)
	} else {
		p.data = p.data[:size]
		clear(p.data[k*(n/lanes)*lanes:])
	}
	p.data = p.data[:k*padded(n)]
	p.k, p.n = k, n
}

// pack takes over m.
func (p *packing) pack(m matrix) {
	p.resize(m.rows, m.cols)
	for j := 0; j < m.cols; j += lanes {
		to := p.data[j*p.k:]
		for i := range m.rows {
			copy(to[i*lanes:][:lanes], m.row(i)[j:])
		}
	}
}

// packTransposed takes over m with rows and columns exchanged.
func (p *packing) packTransposed(m matrix) {
	p.resize(m.cols, m.rows)
	for i := range m.rows {
		to := p.data[i/lanes*lanes*p.k+i%lanes:]
		for k, x := range m.row(i) {
			to[k*lanes] = x
		}
	}
}

// multiply sets c to a·b, or adds a·b to c.
func multiply(c, a matrix, b *packing, add bool) {
	for j := range b.panels() {
		mulPanel(c.columns(j*lanes, lanes), a, b.panel(j), add)
	}
}
