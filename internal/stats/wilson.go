package stats

import (
	"math"
	"slices"
)

// z is the 97.5 % quantile of the standard normal distribution.
const z = 1.959963984540054

// unseen returns the upper limit of the share of values that differ from n equal ones: the
// upper limit of Wilson's score interval for none of n ("Probable inference, the law of
// succession, and statistical inference", 1927), at 95 %.
func unseen(n int) float64 { return z * z / (float64(n) + z*z) }

// Estimate returns the mean of the means of strata, and its interval: that of [Bootstrap]
// if the values of each stratum differ. Resamples of equal values would give no width. So
// the interval of a stratum of equal values v is that of Wilson: as many values as its limit
// allows may be at either end of span, in which all values lie. For values of 0 or 1 this is
// Wilson's interval itself. The squares of the distances from the means to their limits add
// up, as do variances (Zou and Donner, "Construction of confidence limits about effect
// measures", 2008).
//
// Equal values outside span have no width. Pick and panics are as in [Bootstrap].
func Estimate(pick func(n int) int, span Interval, strata ...[]float64) (mean float64, within Interval) {
	var varied [][]float64
	below, above := 0.0, 0.0 // squares of the distances
	part := 1 / float64(len(strata))
	for _, values := range strata {
		v := slices.Min(values)
		if v != slices.Max(values) {
			varied = append(varied, values)
			continue
		}
		if v >= span.Low && v <= span.High {
			below += square(part * unseen(len(values)) * (v - span.Low))
			above += square(part * unseen(len(values)) * (span.High - v))
		}
	}
	if len(varied) == len(strata) {
		return Bootstrap(pick, strata...)
	}
	if varied != nil {
		m, in := Bootstrap(pick, varied...)
		part *= float64(len(varied))
		below += square(part * (m - in.Low))
		above += square(part * (in.High - m))
	}
	mean = meanOf(strata)
	return mean, Interval{mean - math.Sqrt(below), mean + math.Sqrt(above)}
}

func square(x float64) float64 { return float64(x * x) }
