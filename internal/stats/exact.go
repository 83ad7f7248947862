package stats

import "math"

// Exact returns the interval of Clopper and Pearson ("The use of confidence or fiducial limits illustrated in the
// case of the binomial", 1934) for a rate of which n values from 0 to 1 have a sum: for any such values its tails are at
// most those of zeros and ones with the same mean (Hoeffding, 1963). Confidence is 0 to 1, such as 0.999. For no
// values it is 0 to 1.
func Exact(sum float64, n int, confidence float64) (within Interval) {
	within, tail, all := Interval{0, 1}, (1-confidence)/2, float64(n)
	sum = min(max(sum, 0), all)
	if n > 0 && sum > 0 {
		within.Low = betaQuantile(tail, sum, all-sum+1)
	}
	if n > 0 && sum < all {
		within.High = betaQuantile(1-tail, sum+1, all-sum)
	}
	return within
}

// betaQuantile inverts the distribution function of a beta distribution, by halving.
func betaQuantile(p, a, b float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if at := (low + high) / 2; betaBelow(at, a, b) < p {
			low = at
		} else {
			high = at
		}
	}
	return (low + high) / 2
}

// betaBelow is the regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun, 26.5.8).
func betaBelow(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return math.Max(0, math.Min(1, math.Ceil(x)))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - betaBelow(1-x, b, a)
	}
	front := math.Exp(logGamma(a+b) - logGamma(a) - logGamma(b) + a*math.Log(x) + b*math.Log1p(-x))
	return front * fraction(x, a, b) / a
}

// fraction is the continued fraction of the incomplete beta function, by the rule of Lentz (1976).
func fraction(x, a, b float64) float64 {
	const tiny = 1e-300
	c, d := 1.0, 1/notZero(1-(a+b)*x/(a+1))
	value := d
	for m := 1.0; m < 1000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/notZero(1+even*d), notZero(1+even/c)
		value *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/notZero(1+odd*d), notZero(1+odd/c)
		value *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return math.Max(value, tiny)
}

// notZero keeps a divisor away from 0.
func notZero(v float64) float64 {
	if math.Abs(v) < 1e-300 {
		return 1e-300
	}
	return v
}

func logGamma(v float64) float64 {
	value, _ := math.Lgamma(v)
	return value
}
