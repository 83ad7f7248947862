package stats

import "math"

// McNemar returns the probability that chance splits b + c differing pairs at least as
// unevenly as b to c: the exact, two-sided test of McNemar ("Note on the sampling error of
// the difference between correlated proportions", 1947) by the binomial distribution. It
// is exact for many pairs too, without a chi-squared approximation. Without pairs it
// returns 1.
func McNemar(b, c int) float64 {
	n := b + c
	if n == 0 {
		return 1
	}
	tail := 0.0
	for i := range min(b, c) + 1 {
		tail += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}
