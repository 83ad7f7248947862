//go:build goexperiment.simd && amd64

package transformer

import "simd/archsimd"

// The instructions that the processor has. The kernels of both widths compute the same
// sums in the same order, and so give the same bits.
var (
	hasAVX2   = archsimd.X86.AVX2() && archsimd.X86.FMA()
	hasAVX512 = archsimd.X86.AVX512()
)

// mulPanel sets the first lanes columns of c to a·b, or adds that to them. c has as many
// rows as a; b has as many rows as a has columns.
func mulPanel(c, a matrix, b [][lanes]float32, add bool) {
	switch {
	case hasAVX512:
		mulPanel512(c, a, b, add)
	case hasAVX2:
		mulPanel256(c, a, b, add)
	default:
		mulPanelPlain(c, a, b, add)
	}
}

// mulPair is mulPanel for two panels, which follow one another in b, and the first 2·lanes
// columns of c.
func mulPair(c, a matrix, b [][lanes]float32, add bool) {
	if hasAVX512 {
		mulPair512(c, a, b, add)
		return
	}
	mulPanel(c, a, b[:len(b)/2], add)
	mulPanel(c.columns(lanes, lanes), a, b[len(b)/2:], add)
}

// addRow adds a·b to c. a has at least as many numbers as b has rows.
func addRow(c *[lanes]float32, a []float32, b [][lanes]float32) {
	if !hasAVX2 {
		addRowPlain(c, a, b)
		return
	}
	a = a[:len(b)]
	s, t := load256(c)
	for k := range b {
		w, v := load256(&b[k])
		x := archsimd.BroadcastFloat32x8(a[k])
		s, t = x.MulAdd(w, s), x.MulAdd(v, t)
	}
	store256(c, s, t)
}

// addOuter adds aᵀ·b to c. a has at least as many rows as b.
func addOuter(c *block, a, b [][lanes]float32) {
	switch {
	case hasAVX512:
		addOuter512(c, a, b)
	case hasAVX2:
		addOuter256(c, a, b)
	default:
		addOuterPlain(c, a, b)
	}
}

// mulPanel512 takes four rows at a time, each in one register. Missing rows are replaced by
// the last.
func mulPanel512(c, a matrix, b [][lanes]float32, add bool) {
	last := a.rows - 1
	for i := 0; i <= last; i += 4 {
		i1, i2, i3 := min(i+1, last), min(i+2, last), min(i+3, last)
		a0, a1, a2, a3 := a.row(i)[:len(b)], a.row(i1)[:len(b)], a.row(i2)[:len(b)], a.row(i3)[:len(b)]
		c0, c1, c2, c3 := c.block(i), c.block(i1), c.block(i2), c.block(i3)
		var s0, s1, s2, s3 archsimd.Float32x16
		if add {
			s0, s1 = archsimd.LoadFloat32x16(c0), archsimd.LoadFloat32x16(c1)
			s2, s3 = archsimd.LoadFloat32x16(c2), archsimd.LoadFloat32x16(c3)
		}
		for k := range b {
			w := archsimd.LoadFloat32x16(&b[k])
			s0 = archsimd.BroadcastFloat32x16(a0[k]).MulAdd(w, s0)
			s1 = archsimd.BroadcastFloat32x16(a1[k]).MulAdd(w, s1)
			s2 = archsimd.BroadcastFloat32x16(a2[k]).MulAdd(w, s2)
			s3 = archsimd.BroadcastFloat32x16(a3[k]).MulAdd(w, s3)
		}
		s0.Store(c0)
		s1.Store(c1)
		s2.Store(c2)
		s3.Store(c3)
	}
}

// mulPair512 takes four rows at a time, each in two registers: enough independent sums
// that the processor never waits for one.
func mulPair512(c, a matrix, b [][lanes]float32, add bool) {
	for i := 0; i < a.rows; i += 4 {
		hi := min(i+4, a.rows)
		mulPairRows512(c.between(i, hi), a.between(i, hi), b, add)
	}
}

// mulPairRows512 does so for up to four rows. It is a separate function so that the
// compiler keeps all addresses in registers. Missing rows are replaced by the last.
//
//go:noinline
func mulPairRows512(c, a matrix, b [][lanes]float32, add bool) {
	last := a.rows - 1
	left, right := b[:len(b)/2], b[len(b)/2:][:len(b)/2]
	a0, a1 := a.row(0)[:len(left)], a.row(min(1, last))[:len(left)]
	a2, a3 := a.row(min(2, last))[:len(left)], a.row(last)[:len(left)]
	var s0, t0, s1, t1, s2, t2, s3, t3 archsimd.Float32x16
	if add {
		s0, t0 = load512(c.pair(0))
		s1, t1 = load512(c.pair(min(1, last)))
		s2, t2 = load512(c.pair(min(2, last)))
		s3, t3 = load512(c.pair(last))
	}
	for k := range left {
		w, v := archsimd.LoadFloat32x16(&left[k]), archsimd.LoadFloat32x16(&right[k])
		x0, x1 := archsimd.BroadcastFloat32x16(a0[k]), archsimd.BroadcastFloat32x16(a1[k])
		x2, x3 := archsimd.BroadcastFloat32x16(a2[k]), archsimd.BroadcastFloat32x16(a3[k])
		s0, t0 = x0.MulAdd(w, s0), x0.MulAdd(v, t0)
		s1, t1 = x1.MulAdd(w, s1), x1.MulAdd(v, t1)
		s2, t2 = x2.MulAdd(w, s2), x2.MulAdd(v, t2)
		s3, t3 = x3.MulAdd(w, s3), x3.MulAdd(v, t3)
	}
	store512(c.pair(0), s0, t0)
	store512(c.pair(min(1, last)), s1, t1)
	store512(c.pair(min(2, last)), s2, t2)
	store512(c.pair(last), s3, t3)
}

// pair is the first 2·lanes columns of row i.
func (m matrix) pair(i int) *[2 * lanes]float32 {
	return (*[2 * lanes]float32)(m.data[i*m.stride:])
}

// load512 is two blocks of a row in two registers.
func load512(row *[2 * lanes]float32) (left, right archsimd.Float32x16) {
	return archsimd.LoadFloat32x16((*[lanes]float32)(row[:lanes])), archsimd.LoadFloat32x16((*[lanes]float32)(row[lanes:]))
}

// store512 is the reverse of load512.
func store512(row *[2 * lanes]float32, left, right archsimd.Float32x16) {
	left.Store((*[lanes]float32)(row[:lanes]))
	right.Store((*[lanes]float32)(row[lanes:]))
}

// mulPanel256 takes four rows at a time, each in two registers.
func mulPanel256(c, a matrix, b [][lanes]float32, add bool) {
	last := a.rows - 1
	for i := 0; i <= last; i += 4 {
		i1, i2, i3 := min(i+1, last), min(i+2, last), min(i+3, last)
		a0, a1, a2, a3 := a.row(i)[:len(b)], a.row(i1)[:len(b)], a.row(i2)[:len(b)], a.row(i3)[:len(b)]
		c0, c1, c2, c3 := c.block(i), c.block(i1), c.block(i2), c.block(i3)
		var s0, t0, s1, t1, s2, t2, s3, t3 archsimd.Float32x8
		if add {
			s0, t0 = load256(c0)
			s1, t1 = load256(c1)
			s2, t2 = load256(c2)
			s3, t3 = load256(c3)
		}
		for k := range b {
			w, v := load256(&b[k])
			x0, x1 := archsimd.BroadcastFloat32x8(a0[k]), archsimd.BroadcastFloat32x8(a1[k])
			x2, x3 := archsimd.BroadcastFloat32x8(a2[k]), archsimd.BroadcastFloat32x8(a3[k])
			s0, t0 = x0.MulAdd(w, s0), x0.MulAdd(v, t0)
			s1, t1 = x1.MulAdd(w, s1), x1.MulAdd(v, t1)
			s2, t2 = x2.MulAdd(w, s2), x2.MulAdd(v, t2)
			s3, t3 = x3.MulAdd(w, s3), x3.MulAdd(v, t3)
		}
		store256(c0, s0, t0)
		store256(c1, s1, t1)
		store256(c2, s2, t2)
		store256(c3, s3, t3)
	}
}

// addOuter512 takes four rows of c at a time, each in one register.
func addOuter512(c *block, a, b [][lanes]float32) {
	a = a[:len(b)]
	for i := 0; i < lanes; i += 4 {
		rows := (*[4][lanes]float32)(c[i&(lanes-4):])
		s0, s1 := archsimd.LoadFloat32x16(&rows[0]), archsimd.LoadFloat32x16(&rows[1])
		s2, s3 := archsimd.LoadFloat32x16(&rows[2]), archsimd.LoadFloat32x16(&rows[3])
		for k := range b {
			w, x := archsimd.LoadFloat32x16(&b[k]), (*[4]float32)(a[k][i&(lanes-4):])
			s0 = archsimd.BroadcastFloat32x16(x[0]).MulAdd(w, s0)
			s1 = archsimd.BroadcastFloat32x16(x[1]).MulAdd(w, s1)
			s2 = archsimd.BroadcastFloat32x16(x[2]).MulAdd(w, s2)
			s3 = archsimd.BroadcastFloat32x16(x[3]).MulAdd(w, s3)
		}
		s0.Store(&rows[0])
		s1.Store(&rows[1])
		s2.Store(&rows[2])
		s3.Store(&rows[3])
	}
}

// addOuter256 takes four rows of c at a time, each in two registers.
func addOuter256(c *block, a, b [][lanes]float32) {
	a = a[:len(b)]
	for i := 0; i < lanes; i += 4 {
		rows := (*[4][lanes]float32)(c[i&(lanes-4):])
		s0, t0 := load256(&rows[0])
		s1, t1 := load256(&rows[1])
		s2, t2 := load256(&rows[2])
		s3, t3 := load256(&rows[3])
		for k := range b {
			w, v := load256(&b[k])
			x := (*[4]float32)(a[k][i&(lanes-4):])
			x0, x1 := archsimd.BroadcastFloat32x8(x[0]), archsimd.BroadcastFloat32x8(x[1])
			x2, x3 := archsimd.BroadcastFloat32x8(x[2]), archsimd.BroadcastFloat32x8(x[3])
			s0, t0 = x0.MulAdd(w, s0), x0.MulAdd(v, t0)
			s1, t1 = x1.MulAdd(w, s1), x1.MulAdd(v, t1)
			s2, t2 = x2.MulAdd(w, s2), x2.MulAdd(v, t2)
			s3, t3 = x3.MulAdd(w, s3), x3.MulAdd(v, t3)
		}
		store256(&rows[0], s0, t0)
		store256(&rows[1], s1, t1)
		store256(&rows[2], s2, t2)
		store256(&rows[3], s3, t3)
	}
}

// load256 is a row in two registers.
func load256(row *[lanes]float32) (lo, hi archsimd.Float32x8) {
	return archsimd.LoadFloat32x8((*[8]float32)(row[:8])), archsimd.LoadFloat32x8((*[8]float32)(row[8:]))
}

// store256 is the reverse of load256.
func store256(row *[lanes]float32, lo, hi archsimd.Float32x8) {
	lo.Store((*[8]float32)(row[:8]))
	hi.Store((*[8]float32)(row[8:]))
}
