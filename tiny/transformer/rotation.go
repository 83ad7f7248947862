package transformer

import (
	"cmp"
	"math"
)

// A rotation holds the cosines and sines of rotary positions: for each position, one of each
// per pair of columns of a head.
type rotation struct {
	cos, sin []float32
	half     int // number of pairs of a head
}

// rotaryBase is the usual base.
const rotaryBase = 10000

// newRotation makes the table for all positions of a context.
func newRotation(c Config) rotation {
	r := rotation{half: c.headWidth() / 2}
	turns := make([]float64, r.half)
	for i := range turns {
		turns[i] = c.Rotary.scaled(math.Pow(cmp.Or(c.RotaryBase, rotaryBase), -float64(i)/float64(r.half)))
	}
	for pos := range c.Context {
		for _, each := range turns {
			sin, cos := math.Sincos(float64(pos) * each)
			r.cos = append(r.cos, float32(cos))
			r.sin = append(r.sin, float32(sin))
		}
	}
	return r
}

// scaled returns a rotation, in radians a position, after scaling.
func (s Scaling) scaled(angle float64) float64 {
	if s == (Scaling{}) {
		return angle
	}
	rounds := float64(s.Context) * angle / (2 * math.Pi)
	kept := min(max((rounds-s.Low)/(s.High-s.Low), 0), 1)
	return angle*kept + angle/s.Factor*(1-kept)
}

// turn rotates a row of heads to its position: column i of a head with column i+half. With
// sign -1 it rotates back, as gradients do.
func (r rotation) turn(row []float32, pos int, sign float32) {
	at := angles{sign: sign, heads: len(row) / (2 * r.half), bytes: 4 * 2 * r.half}
	for i := 0; i < r.half; i += anglesAtOnce {
		at.cos, at.sin = (*[anglesAtOnce]float32)(r.cos[pos*r.half+i:]), (*[anglesAtOnce]float32)(r.sin[pos*r.half+i:])
		turnHeads(row[i:], row[i+r.half:], at)
	}
}

// anglesAtOnce is the number of angles in one call of a kernel. A head has a multiple of it.
const anglesAtOnce = lanes / 2

// angles holds some angles of one position, with the direction of rotation, for all heads of
// a row.
type angles struct {
	cos, sin *[anglesAtOnce]float32
	sign     float32
	heads    int
	bytes    int // from one head to the next
}
