package transformer

// The kernels below and in kernel_simd.go hold nearly all of the arithmetic. They make
// the products of matrices in blocks of lanes columns. Each number of a product is summed
// in the order of the inner dimension and by the same instructions, wherever it stands in
// its block. So it does not depend on the content or the number of the other rows.

// mulPanelPlain is [mulPanel] in plain Go: three rows and two columns at a time, whose
// sums stay in registers. The mask tells the compiler that j+1 is inside.
func mulPanelPlain(c, a matrix, b [][lanes]float32, add bool) {
	if !add {
		for i := range a.rows {
			*c.block(i) = [lanes]float32{}
		}
	}
	i := 0
	for ; i+2 < a.rows; i += 3 {
		a0, a1, a2 := a.row(i)[:len(b)], a.row(i + 1)[:len(b)], a.row(i + 2)[:len(b)]
		c0, c1, c2 := c.block(i), c.block(i+1), c.block(i+2)
		for j := 0; j < lanes; j += 2 {
			j := j & (lanes - 2)
			s00, s01, s10, s11, s20, s21 := c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1]
			for k := range b {
				w := (*[2]float32)(b[k][j:])
				x0, x1, x2 := a0[k], a1[k], a2[k]
				s00 += x0 * w[0]
				s10 += x1 * w[0]
				s20 += x2 * w[0]
				s01 += x0 * w[1]
				s11 += x1 * w[1]
				s21 += x2 * w[1]
			}
			c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1] = s00, s01, s10, s11, s20, s21
		}
	}
	for ; i < a.rows; i++ {
		addRowPlain(c.block(i), a.row(i), b)
	}
}

// addRowPlain adds a·b to c: four columns at a time.
func addRowPlain(c *[lanes]float32, a []float32, b [][lanes]float32) {
	a = a[:len(b)]
	for j := 0; j < lanes; j += 4 {
		to := (*[4]float32)(c[j&(lanes-4):])
		s0, s1, s2, s3 := to[0], to[1], to[2], to[3]
		for k := range b {
			w, x := (*[4]float32)(b[k][j&(lanes-4):]), a[k]
			s0 += x * w[0]
			s1 += x * w[1]
			s2 += x * w[2]
			s3 += x * w[3]
		}
		to[0], to[1], to[2], to[3] = s0, s1, s2, s3
	}
}

// addOuterPlain is [addOuter] in plain Go. It takes three rows at a time and then the
// last one.
func addOuterPlain(c *block, a, b [][lanes]float32) {
	for i := 0; i+2 < lanes; i += 3 {
		addOuterRows(c, a, b, i)
	}
	const last = lanes - 1
	a = a[:len(b)]
	for j := 0; j < lanes; j += 4 {
		to := (*[4]float32)(c[last][j&(lanes-4):])
		s0, s1, s2, s3 := to[0], to[1], to[2], to[3]
		for k := range b {
			w, x := (*[4]float32)(b[k][j&(lanes-4):]), a[k][last]
			s0 += x * w[0]
			s1 += x * w[1]
			s2 += x * w[2]
			s3 += x * w[3]
		}
		to[0], to[1], to[2], to[3] = s0, s1, s2, s3
	}
}

// addOuterRows adds rows i to i+2 of aᵀ·b to those of c, two columns at a time. It is a
// separate function so that the compiler keeps all addresses in registers.
//
//go:noinline
func addOuterRows(c *block, a, b [][lanes]float32, i int) {
	a = a[:len(b)]
	i = max(0, min(i, lanes-3))
	c0, c1, c2 := &c[i], &c[i+1], &c[i+2]
	for j := 0; j < lanes; j += 2 {
		j := j & (lanes - 2)
		s00, s01, s10, s11, s20, s21 := c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1]
		for k := range b {
			w, x := (*[2]float32)(b[k][j:]), (*[3]float32)(a[k][i:])
			s00 += x[0] * w[0]
			s01 += x[0] * w[1]
			s10 += x[1] * w[0]
			s11 += x[1] * w[1]
			s20 += x[2] * w[0]
			s21 += x[2] * w[1]
		}
		c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1] = s00, s01, s10, s11, s20, s21
	}
}

// A block is lanes rows of lanes columns.
type block [lanes][lanes]float32

// depth is the number of rows that mulPanelT copies together.
const depth = 64

// mulPanelT is [mulPanel] with the transpose of a: it sets the first lanes columns of c to
// aᵀ·b, or adds that to them. c has as many rows as a has columns; b has as many rows as
// a.
func mulPanelT(c, a matrix, b [][lanes]float32, add bool) {
	var rows [depth][lanes]float32
	for i := 0; i < a.cols; i += lanes {
		var sum block
		n := min(lanes, a.cols-i)
		if add {
			for r := range n {
				sum[r] = *c.block(i + r)
			}
		}
		for lo := 0; lo < a.rows; lo += depth {
			hi := min(lo+depth, a.rows)
			for k := lo; k < hi; k++ {
				rows[k-lo] = [lanes]float32(a.data[k*a.stride+i:])
			}
			addOuter(&sum, rows[:hi-lo], b[lo:hi])
		}
		for r := range n {
			*c.block(i + r) = sum[r]
		}
	}
}
