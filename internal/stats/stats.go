// Package stats has the statistics of evaluations and the curves of runs: means with confidence intervals,
// pass@k, majority votes, and the comparison of two policies on the same problems. Its
// functions do not change their arguments, and a result depends on the arguments alone.
package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Mean returns the mean of values; 0 for none. It does not depend on their order.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return sum(slices.Sorted(slices.Values(values))) / float64(len(values))
}

// Quantile returns a quantile of values, sorted and at least one; q is 0 to 1. Between two
// values it interpolates linearly (Hyndman and Fan, "Sample Quantiles in Statistical
// Packages", 1996, definition 7).
func Quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	low := int(at)
	high := min(low+1, len(values)-1)
	return values[low] + (at-float64(low))*(values[high]-values[low])
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// Count writes a number of things in words: "1 group", "2 groups", "3 batches", "4 replies".
func Count[N int | int64 | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	switch {
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	case strings.HasSuffix(thing, "y") && !strings.ContainsAny(thing[len(thing)-2:], "aeou"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Span writes a rough duration: "119 s", "2 min", "3 days".
func Span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
