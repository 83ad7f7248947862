//go:build goexperiment.simd && amd64

package transformer

import (
	"math"
	"simd/archsimd"
)

// dot is the sum of products. y must be at least as long as x.
func dot(x, y []float32) float32 {
	if !hasAVX2 {
		return dotPlain(x, y)
	}
	y = y[:len(x)]
	var s, t archsimd.Float32x8
	for ; len(x) >= lanes && len(y) >= lanes; x, y = x[lanes:], y[lanes:] {
		a, b := load256((*[lanes]float32)(x))
		c, d := load256((*[lanes]float32)(y))
		s, t = a.MulAdd(c, s), b.MulAdd(d, t)
	}
	return total(s.Add(t))
}

// total is the sum of all elements.
func total(v archsimd.Float32x8) float32 {
	var x [8]float32
	v.Store(&x)
	return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
}

// maximum is the largest of x.
func maximum(x []float32) float32 {
	if !hasAVX2 {
		return maximumPlain(x)
	}
	top := archsimd.LoadFloat32x8((*[8]float32)(x))
	for ; len(x) >= lanes; x = x[lanes:] {
		a, b := load256((*[lanes]float32)(x))
		top = top.Max(a.Max(b))
	}
	var all [8]float32
	top.Store(&all)
	return maximumPlain(all[:])
}

// scaleBy multiplies x by f.
func scaleBy(x []float32, f float32) {
	if !hasAVX2 {
		scaleByPlain(x, f)
		return
	}
	w := archsimd.BroadcastFloat32x8(f)
	for ; len(x) >= lanes; x = x[lanes:] {
		row := (*[lanes]float32)(x)
		a, b := load256(row)
		store256(row, a.Mul(w), b.Mul(w))
	}
}

// addScaled adds f·x to to, which must be at least as long as x.
func addScaled(to, x []float32, f float32) {
	if !hasAVX2 {
		addScaledPlain(to, x, f)
		return
	}
	w := archsimd.BroadcastFloat32x8(f)
	for ; len(x) >= lanes && len(to) >= lanes; x, to = x[lanes:], to[lanes:] {
		a, b := load256((*[lanes]float32)(x))
		row := (*[lanes]float32)(to)
		c, d := load256(row)
		store256(row, a.MulAdd(w, c), b.MulAdd(w, d))
	}
}

// addProduct adds x[i]·y[i] to each to[i]. All three have the same length.
func addProduct(to, x, y []float32) {
	if !hasAVX2 {
		addProductPlain(to, x, y)
		return
	}
	for ; len(x) >= lanes && len(y) >= lanes && len(to) >= lanes; x, y, to = x[lanes:], y[lanes:], to[lanes:] {
		a, b := load256((*[lanes]float32)(x))
		c, d := load256((*[lanes]float32)(y))
		row := (*[lanes]float32)(to)
		e, f := load256(row)
		store256(row, a.MulAdd(c, e), b.MulAdd(d, f))
	}
}

// exponential sets each v of x to e^u for u = scale·v - shift, which must not be above
// zero. It returns the sum of all e^u and the sum of all e^u·u.
func exponential(x []float32, scale, shift float32) (sum, weighted float32) {
	if !hasAVX2 {
		return exponentialPlain(x, scale, shift)
	}
	factor, term := archsimd.BroadcastFloat32x8(scale*math.Log2E), archsimd.BroadcastFloat32x8(-shift*math.Log2E)
	least, bias := archsimd.BroadcastFloat32x8(leastPower), archsimd.BroadcastInt32x8(127)
	var zero, sums, products archsimd.Float32x8
	for ; len(x) >= 8; x = x[8:] {
		row := (*[8]float32)(x)
		u := archsimd.LoadFloat32x8(row).MulAdd(factor, term)
		gone := u.Less(least)
		u = zero.Merge(u, gone)
		n := u.RoundToEven()
		f := u.Sub(n)
		e := archsimd.BroadcastFloat32x8(exp6).MulAdd(f, archsimd.BroadcastFloat32x8(exp5))
		e = e.MulAdd(f, archsimd.BroadcastFloat32x8(exp4))
		e = e.MulAdd(f, archsimd.BroadcastFloat32x8(exp3))
		e = e.MulAdd(f, archsimd.BroadcastFloat32x8(exp2))
		e = e.MulAdd(f, archsimd.BroadcastFloat32x8(exp1))
		e = e.MulAdd(f, archsimd.BroadcastFloat32x8(1))
		e = e.Mul(n.ConvertToInt32().Add(bias).ShiftAllLeft(23).AsFloat32x8())
		e = zero.Merge(e, gone)
		e.Store(row)
		sums = sums.Add(e)
		products = e.MulAdd(u, products)
	}
	return total(sums), total(products) * math.Ln2
}

// squareReLU replaces each v of x by max(v, 0), and writes the squares to to.
func squareReLU(to, x []float32) {
	if !hasAVX2 {
		squareReLUPlain(to, x)
		return
	}
	to = to[:len(x)]
	size, half := archsimd.BroadcastInt32x8(math.MaxInt32), archsimd.BroadcastFloat32x8(0.5)
	for ; len(x) >= lanes && len(to) >= lanes; x, to = x[lanes:], to[lanes:] {
		row := (*[lanes]float32)(x)
		a, b := load256(row)
		a = a.Add(a.AsInt32x8().And(size).AsFloat32x8()).Mul(half)
		b = b.Add(b.AsInt32x8().And(size).AsFloat32x8()).Mul(half)
		store256(row, a, b)
		store256((*[lanes]float32)(to), a.Mul(a), b.Mul(b))
	}
}

// turnPairs rotates each pair of numbers of lo and hi by its angle. The number of pairs is
// a multiple of eight.
func turnPairs(lo, hi []float32, at angles) {
	if !hasAVX2 {
		turnPairsPlain(lo, hi, at)
		return
	}
	sign := archsimd.BroadcastFloat32x8(at.sign)
	for cos, sin := at.cos, at.sin; len(cos) >= 8 && len(sin) >= 8 && len(lo) >= 8 && len(hi) >= 8; {
		c, s := archsimd.LoadFloat32x8((*[8]float32)(cos)), archsimd.LoadFloat32x8((*[8]float32)(sin)).Mul(sign)
		a, b := (*[8]float32)(lo), (*[8]float32)(hi)
		x, y := archsimd.LoadFloat32x8(a), archsimd.LoadFloat32x8(b)
		x.Mul(c).Sub(y.Mul(s)).Store(a)
		x.MulAdd(s, y.Mul(c)).Store(b)
		cos, sin, lo, hi = cos[8:], sin[8:], lo[8:], hi[8:]
	}
}
