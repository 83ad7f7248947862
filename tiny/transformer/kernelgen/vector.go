package main

import "math"

// vectors writes the row kernels, for one machine. suffix ends their names.
func vectors(m machine, suffix string) {
	dot(m, "dot"+suffix)
	maximum(m, "maximum"+suffix)
	setScaled(m, "setScaled"+suffix)
	addScaled(m, "addScaled"+suffix)
	addProduct(m, "addProduct"+suffix)
	powers(m, "powers"+suffix)
	squareReLU(m, "squareReLU"+suffix)
	squareReLUBack(m, "squareReLUBack"+suffix)
	softmaxBack(m, "softmaxBack"+suffix)
	turnHeads(m, "turnHeads"+suffix)
	stepAdam(m, "stepAdam"+suffix)
}

// dot(x, y []float32) float32
func dot(m machine, name string) {
	m.begin(name, 52, 0)
	m.pointer(0, "x_base+0")
	m.pointer(1, "x_len+8")
	m.pointer(2, "y_base+24")
	m.constant(0, 0)
	m.constant(1, 0)
	m.loop(1, 2, func() {
		for i := range 2 {
			m.load(2, 0, i)
			m.load(3, 2, i)
			m.fuse(i, 2, 3)
		}
		m.move(2, 0, 2)
	})
	m.op(add, 0, 0, 1)
	m.fold(add, 0, 1)
	m.result(0, "ret+48")
	m.end()
}

// maximum(x []float32) float32
func maximum(m machine, name string) {
	m.begin(name, 28, math.Float32bits(float32(math.Inf(-1))))
	m.pointer(0, "x_base+0")
	m.pointer(1, "x_len+8")
	m.constant(0, 0)
	m.constant(1, 0)
	m.loop(1, 2, func() {
		for i := range 2 {
			m.load(2, 0, i)
			m.op(larger, i, i, 2)
		}
		m.move(2, 0)
	})
	m.op(larger, 0, 0, 1)
	m.fold(larger, 0, 1)
	m.result(0, "ret+24")
	m.end()
}

// setScaled(to, x []float32, f float32)
func setScaled(m machine, name string) {
	m.begin(name, 52)
	m.pointer(0, "to_base+0")
	m.pointer(1, "x_base+24")
	m.pointer(2, "x_len+32")
	m.spread(0, "f+48")
	m.loop(2, 2, func() {
		for i := range 2 {
			m.load(1, 1, i)
			m.op(times, 1, 1, 0)
			m.store(1, 0, i)
		}
		m.move(2, 0, 1)
	})
	m.end()
}

// addScaled(to, x []float32, f float32)
func addScaled(m machine, name string) {
	m.begin(name, 52)
	m.pointer(0, "to_base+0")
	m.pointer(1, "x_base+24")
	m.pointer(2, "x_len+32")
	m.spread(0, "f+48")
	m.loop(2, 2, func() {
		for i := range 2 {
			m.load(1, 0, i)
			m.load(2, 1, i)
			m.fuse(1, 2, 0)
			m.store(1, 0, i)
		}
		m.move(2, 0, 1)
	})
	m.end()
}

// addProduct(to, x, y []float32)
func addProduct(m machine, name string) {
	m.begin(name, 72)
	m.pointer(0, "to_base+0")
	m.pointer(1, "x_base+24")
	m.pointer(2, "x_len+32")
	m.pointer(3, "y_base+48")
	m.loop(2, 2, func() {
		for i := range 2 {
			m.load(0, 0, i)
			m.load(1, 1, i)
			m.load(2, 3, i)
			m.fuse(0, 1, 2)
			m.store(0, 0, i)
		}
		m.move(2, 0, 1, 3)
	})
	m.end()
}

// The constants of powers; from powerTerms on, those of the polynomial.
const (
	powerLeast = iota
	powerToWhole
	powerBias
	powerOne
	powerTerms
)

// powerConstants returns their bits.
func powerConstants() []uint32 {
	list := []uint32{math.Float32bits(-126), math.Float32bits(3 << 22), 127, math.Float32bits(1)}
	for i, c := 1, math.Ln2; i <= 6; i++ { // lnⁱ2/i!
		list = append(list, math.Float32bits(float32(c)))
		c *= math.Ln2 / float64(i+1)
	}
	return list
}

// powers(x []float32, factor, term float32) (sum, weighted float32), by the method of
// powersPlain in package transformer.
func powers(m machine, name string) {
	list := powerConstants()
	const factor, term, sum, weighted, u, gone, near, f, e, next = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 // blocks
	m.begin(name, 40, append(list, 0)...)
	m.pointer(0, "x_base+0")
	m.pointer(1, "x_len+8")
	m.spread(factor, "factor+24")
	m.spread(term, "term+28")
	m.constant(sum, len(list))
	m.constant(weighted, len(list))
	m.loop(1, 1, func() {
		m.load(f, 0, 0)
		m.copy(u, term)
		m.fuse(u, f, factor)
		m.constant(next, powerLeast)
		m.op(below, gone, u, next)
		m.op(without, u, gone, u)
		m.constant(next, powerToWhole)
		m.op(add, near, u, next)
		m.op(subtract, f, near, next)
		m.op(subtract, f, u, f)
		p, q := e, next
		m.constant(p, powerTerms+5)
		for i := 4; i >= 0; i-- {
			m.constant(q, powerTerms+i)
			m.fuse(q, p, f)
			p, q = q, p
		}
		m.constant(q, powerOne)
		m.fuse(q, p, f)
		p, q = q, p
		m.constant(q, powerBias)
		m.op(addWhole, near, near, q)
		m.shift(near, 23)
		m.op(times, p, p, near)
		m.op(without, p, gone, p)
		m.store(p, 0, 0)
		m.op(add, sum, sum, p)
		m.fuse(weighted, p, u)
		m.move(1, 0)
	})
	m.fold(add, sum, u)
	m.fold(add, weighted, u)
	m.result(sum, "sum+32")
	m.result(weighted, "weighted+36")
	m.end()
}

// squareReLU(to, x []float32)
func squareReLU(m machine, name string) {
	m.begin(name, 48, 0)
	m.pointer(0, "to_base+0")
	m.pointer(1, "x_base+24")
	m.pointer(2, "x_len+32")
	m.constant(0, 0)
	m.loop(2, 2, func() {
		for i := range 2 {
			m.load(1, 1, i)
			m.op(larger, 1, 0, 1)
			m.store(1, 1, i)
			m.op(times, 1, 1, 1)
			m.store(1, 0, i)
		}
		m.move(2, 0, 1)
	})
	m.end()
}

// squareReLUBack(d, x []float32)
func squareReLUBack(m machine, name string) {
	m.begin(name, 48)
	m.pointer(0, "d_base+0")
	m.pointer(1, "d_len+8")
	m.pointer(2, "x_base+24")
	m.loop(1, 2, func() {
		for i := range 2 {
			m.load(0, 2, i)
			m.op(add, 0, 0, 0)
			m.load(1, 0, i)
			m.op(times, 0, 0, 1)
			m.store(0, 0, i)
		}
		m.move(2, 0, 2)
	})
	m.end()
}

// softmaxBack(d, probs []float32, mean, scale float32)
func softmaxBack(m machine, name string) {
	m.begin(name, 56)
	m.pointer(0, "d_base+0")
	m.pointer(1, "d_len+8")
	m.pointer(2, "probs_base+24")
	m.spread(0, "mean+48")
	m.spread(1, "scale+52")
	m.loop(1, 2, func() {
		for i := range 2 {
			m.load(2, 2, i)
			m.op(times, 2, 2, 1)
			m.load(3, 0, i)
			m.op(subtract, 3, 3, 0)
			m.op(times, 2, 2, 3)
			m.store(2, 0, i)
		}
		m.move(2, 0, 2)
	})
	m.end()
}

// turnHeads(lo, hi []float32, at angles)
func turnHeads(m machine, name string) {
	m.begin(name, 88)
	m.pointer(0, "lo_base+0")
	m.pointer(1, "hi_base+24")
	m.pointer(2, "at_cos+48")
	m.pointer(3, "at_sin+56")
	m.pointer(4, "at_heads+72")
	m.pointer(5, "at_bytes+80")
	const cos, sin, x, y, turned = 0, 1, 2, 3, 4
	m.spread(x, "at_sign+64")
	m.load(cos, 2, 0)
	m.load(sin, 3, 0)
	m.op(times, sin, sin, x)
	m.loop(4, 0, func() {
		m.load(x, 0, 0)
		m.load(y, 1, 0)
		m.op(times, turned, y, cos)
		m.fuse(turned, x, sin)
		m.op(times, x, x, cos)
		m.op(times, y, y, sin)
		m.op(subtract, x, x, y)
		m.store(x, 0, 0)
		m.store(turned, 1, 0)
		m.moveBy(0, 5)
		m.moveBy(1, 5)
	})
	m.end()
}

// stepAdam(params, grads []float32, m moments, u *update), like stepAdamPlain in package
// transformer.
func stepAdam(m machine, name string) {
	fields := []string{"scale", "beta1", "rest1", "beta2", "rest2", "epsilon", "rate", "unbias", "keep"}
	const scale, beta1, rest1, beta2, rest2, epsilon, rate, unbias, keep = 0, 1, 2, 3, 4, 5, 6, 7, 8
	const g, first, second, p = 9, 10, 11, 12
	m.begin(name, 104)
	m.pointer(0, "params_base+0")
	m.pointer(1, "params_len+8")
	m.pointer(2, "grads_base+24")
	m.pointer(3, "m_first_base+48")
	m.pointer(4, "m_second_base+72")
	m.pointer(5, "u+96")
	for i, field := range fields {
		m.spreadField(i, 5, "update_"+field)
	}
	m.loop(1, 1, func() {
		m.load(g, 2, 0)
		m.op(times, g, g, scale)
		m.load(first, 3, 0)
		m.op(times, first, first, beta1)
		m.fuse(first, g, rest1)
		m.store(first, 3, 0)
		m.load(second, 4, 0)
		m.op(times, second, second, beta2)
		m.op(times, g, g, g)
		m.fuse(second, g, rest2)
		m.store(second, 4, 0)
		m.op(times, second, second, unbias)
		m.root(second, second)
		m.op(add, second, second, epsilon)
		m.op(times, first, first, rate)
		m.op(divide, first, first, second)
		m.load(p, 0, 0)
		m.op(times, p, p, keep)
		m.op(subtract, p, p, first)
		m.store(p, 0, 0)
		m.move(1, 0, 2, 3, 4)
	})
	m.end()
}
