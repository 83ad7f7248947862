package transformer

import "math"

// gate sets each number of its result (to) to the SiLU of a gate times a unit. A row has the gates, then the units;
// scratch has room for the gates.
func gate(to, row, scratch []float32) {
	gates, units := row[:len(to)], row[len(to):][:len(to)]
	sigmoids(scratch, gates)
	for i, s := range scratch[:len(to)] {
		to[i] = gates[i] * s * units[i]
	}
}

// gateBack sets d to the gradients of gates and units, given that of their products. row and scratch are as in
// [gate]. The slope of the SiLU of g is σ·(1+g·(1-σ)), where σ is the sigmoid of g.
func gateBack(d, dProducts, row, scratch []float32) {
	n := len(dProducts)
	gates, units := row[:n], row[n:][:n]
	dGates, dUnits := d[:n], d[n:][:n]
	sigmoids(scratch, gates)
	for i, s := range scratch[:n] {
		g, by := gates[i], dProducts[i]
		dUnits[i] = by * g * s
		dGates[i] = by * units[i] * s * (1 + g*(1-s))
	}
}

// sigmoids sets the first numbers of its result (to) to the sigmoids of x: with e = e^-|x|, that is 1/(1+e), or e/(1+e) for a
// negative x.
func sigmoids(to, x []float32) {
	to = to[:len(x)]
	for i, v := range x {
		to[i] = -abs(v)
	}
	exponential(to, 1, 0)
	one := math.Float32bits(1)
	for i, e := range to {
		negative := uint32(int32(math.Float32bits(x[i])) >> 31) // all bits or none; a branch would be guessed wrong half the time
		to[i] = math.Float32frombits(math.Float32bits(e)&negative|one&^negative) / (1 + e)
	}
}
