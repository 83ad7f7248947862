package mathematics

import (
	"math"
	"slices"
)

// A polynomial lists coefficients: the one of x to the power of i at index i. The last is
// not 0.
type polynomial []int64

// sign returns the sign of the value at x, by Horner's rule, or 0 if rounding could have
// changed it.
func (p polynomial) sign(x float64) int {
	value, size := 0., 0.
	for i := len(p) - 1; i >= 0; i-- {
		value = value*x + float64(p[i])
		size = size*math.Abs(x) + math.Abs(float64(p[i]))
	}
	switch slack := size * float64(4*len(p)) * 0x1p-53; {
	case value > slack:
		return 1
	case value < -slack:
		return -1
	}
	return 0
}

// derivative returns the derivative.
func (p polynomial) derivative() polynomial {
	d := make(polynomial, len(p)-1)
	for i := range d {
		d[i] = p[i+1] * int64(i+1)
	}
	return d
}

// roots returns the distinct real roots in order. sure is false if float64 cannot tell
// whether there is one.
func (p polynomial) roots() (roots []float64, sure bool) {
	low := 0
	for p[low] == 0 {
		low++
	}
	roots, touches := p[low:].crossings()
	if low > 0 {
		roots = append(roots, 0)
		slices.Sort(roots)
	}
	return roots, !touches
}

// crossings returns the places where p changes sign, in order; touches reports whether it
// (nearly) touches 0 anywhere else. Between two sign changes of the derivative, p only
// rises or only falls and has at most one root; those of the derivative are found in the
// same way.
func (p polynomial) crossings() (places []float64, touches bool) {
	if len(p) < 2 {
		return nil, false
	}
	if len(p) == 2 {
		return []float64{0 - float64(p[0])/float64(p[1])}, false
	}
	bound := 1.
	for _, c := range p[:len(p)-1] {
		bound = max(bound, 1+math.Abs(float64(c)/float64(p[len(p)-1]))) // Cauchy's bound
	}
	turns, _ := p.derivative().crossings()
	ends := slices.Concat([]float64{-bound}, turns, []float64{bound})
	for i := range len(ends) - 1 {
		left, right := p.sign(ends[i]), p.sign(ends[i+1])
		touches = touches || left == 0 || right == 0
		if left*right < 0 {
			places = append(places, p.bisect(ends[i], ends[i+1]))
		}
	}
	return places, touches
}

// bisect returns the place between lo and hi where p changes sign. p is not 0 at either.
func (p polynomial) bisect(lo, hi float64) float64 {
	below := p.sign(lo)
	for {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			return middle
		}
		switch p.sign(middle) {
		case 0:
			return middle
		case below:
			lo = middle
		default:
			hi = middle
		}
	}
}
