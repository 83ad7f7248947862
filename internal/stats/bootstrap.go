package stats

import "slices"

// An Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Resamples is the number of resamples of [Bootstrap].
const Resamples = 2000

// Bootstrap returns the mean of the means of strata, and its interval by the percentile
// bootstrap within each stratum (Efron, "Bootstrap Methods", 1979). A value stands for a
// cluster, drawn as a whole: if it is the mean of all episodes of one problem, this is the
// cluster bootstrap over problems; if it is the difference of two policies on one problem,
// the paired bootstrap.
//
// pick returns a number from 0 to n-1, each equally likely. If it always gives the same
// numbers, the interval is always the same, whatever the order of the values in a stratum.
// Bootstrap panics without strata, and for a stratum without values.
func Bootstrap(pick func(n int) int, strata ...[]float64) (mean float64, within Interval) {
	sorted := make([][]float64, len(strata))
	for i, values := range strata {
		sorted[i] = slices.Sorted(slices.Values(values))
	}
	means := make([]float64, Resamples)
	for i := range means {
		for _, values := range sorted {
			total := 0.0
			for range values {
				total += values[pick(len(values))]
			}
			means[i] += total / float64(len(values)*len(strata))
		}
	}
	slices.Sort(means)
	return meanOf(strata), Interval{Quantile(means, 0.025), Quantile(means, 0.975)}
}

// meanOf returns the mean of the means of strata. It does not depend on the order of the
// values in a stratum.
func meanOf(strata [][]float64) (mean float64) {
	for _, values := range strata {
		mean += Mean(values)
	}
	return mean / float64(len(strata)) // divided once: the mean of ones is 1
}
