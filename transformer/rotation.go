package transformer

import "math"

// A rotation holds the cosines and sines of rotary positions: for each position, one of
// each per pair of columns of a head.
type rotation struct {
	cos, sin []float32
	half     int // number of pairs of a head
}

// rotaryBase sets the slowest rotation: the last pair turns by about 1/rotaryBase per
// position.
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
// i+half. With sign -1 it rotates back, which is also how gradients are transformed.
func (r rotation) turn(row []float32, pos int, sign float32) {
	at := angles{r.cos[pos*r.half:][:r.half], r.sin[pos*r.half:][:r.half], sign}
	for ; len(row) >= 2*r.half; row = row[2*r.half:] {
		turnPairs(row[:r.half], row[r.half:2*r.half], at)
	}
}

// angles are those of one position, with the direction of rotation.
type angles struct {
	cos, sin []float32
	sign     float32
}
