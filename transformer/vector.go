package transformer

import "math"

// normEps keeps the normalisation of an all-zero row finite.
const normEps = 1e-6

// normalise sets each row of to to that of x divided by its root mean square, and
// keeps the factor in inv.
func normalise(to, x matrix, inv []float32) {
	for i := range x.rows {
		from := x.row(i)
		var sum float32
		for _, v := range from {
			sum += v * v
		}
		f := 1 / float32(math.Sqrt(float64(sum/float32(len(from))+normEps)))
		inv[i] = f
		row := to.row(i)[:len(from)]
		for j, v := range from {
			row[j] = v * f
		}
	}
}

// normaliseBack adds to dx the gradient that reaches x through its normalised form
// n, where dn is the gradient of n.
func normaliseBack(dx, dn, n matrix, inv []float32) {
	for i := range dx.rows {
		d, from := dn.row(i), n.row(i)
		from = from[:len(d)]
		var dot float32
		for j, v := range d {
			dot += v * from[j]
		}
		dot /= float32(len(d))
		to := dx.row(i)[:len(d)]
		for j, v := range d {
			to[j] += inv[i] * (v - dot*from[j])
		}
	}
}

// softmax turns scale·row into probabilities in place, and returns the largest
// product and the sum of what was divided by.
func softmax(row []float32, scale float32) (top, sum float32) {
	top = row[0]
	for _, v := range row {
		top = max(top, v)
	}
	top *= scale
	for j, v := range row {
		e := float32(math.Exp(float64(v*scale - top)))
		row[j] = e
		sum += e
	}
	f := 1 / sum
	for j := range row {
		row[j] *= f
	}
	return top, sum
}

// A rotation holds the cosines and sines of rotary positions: for each position,
// one of each for every pair of columns of a head.
type rotation struct {
	cos, sin []float32
	half     int // pairs of a head
}

// rotaryBase sets the slowest turn: the last pair turns by about 1/rotaryBase a position.
const rotaryBase = 10000

// newRotation makes the table for all positions of a context.
func newRotation(c Config) rotation {
	r := rotation{half: c.headWidth() / 2}
	for pos := range c.Context {
		for i := range r.half {
			sin, cos := math.Sincos(float64(pos) * math.Pow(rotaryBase, -float64(i)/float64(r.half)))
			r.cos = append(r.cos, float32(cos))
			r.sin = append(r.sin, float32(sin))
		}
	}
	return r
}

// turn rotates a row of heads to its position: column i of a head with column
// i+half. With sign -1 it turns back, which is also how a gradient goes.
func (r rotation) turn(row []float32, pos int, sign float32) {
	cos, sin := r.cos[pos*r.half:][:r.half], r.sin[pos*r.half:][:r.half]
	for ; len(row) >= 2*r.half; row = row[2*r.half:] {
		lo, hi := row[:r.half], row[r.half:][:r.half]
		for i, c := range cos {
			s := sign * sin[i]
			x, y := lo[i], hi[i]
			lo[i] = x*c - y*s
			hi[i] = x*s + y*c
		}
	}
}

// squareReLU sets each of square to the square of what is positive in x, and x to
// what is positive in it.
func squareReLU(square, x matrix) {
	for i := range x.rows {
		from := x.row(i)
		to := square.row(i)[:len(from)]
		for j, v := range from {
			v = max(v, 0)
			from[j] = v
			to[j] = v * v
		}
	}
}

// squareReLUBack turns d, the gradient of the squares, into that of what was
// squared, where x is what squareReLU left.
func squareReLUBack(d, x matrix) {
	for i := range d.rows {
		to := d.row(i)
		from := x.row(i)[:len(to)]
		for j, v := range from {
			to[j] *= 2 * v
		}
	}
}

// addTo adds x to to.
func addTo(to, x []float32) {
	x = x[:len(to)]
	for j, v := range x {
		to[j] += v
	}
}
