package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/internal/stats"
)

func TestSketch(t *testing.T) {
	t.Parallel()
	lengths := make([]float64, 5000) // from a millisecond to three weeks
	for i := range lengths {
		lengths[i] = math.Exp(float64(i*7919%5000)/5000*21 - 6.9)
	}
	for _, test := range []struct {
		why    string
		values []float64
	}{
		{"one value", []float64{86.4}},
		{"equal values", slices.Repeat([]float64{3}, 100)},
		{"the last of a hundred is not the 99th", append(slices.Repeat([]float64{1}, 99), 500)},
		{"two of a hundred are", append(slices.Repeat([]float64{1}, 98), 500, 500)},
		{"values of all sizes, out of order", lengths},
	} {
		var forward, backward stats.Sketch
		for i := range test.values {
			forward.Add(test.values[i])
			backward.Add(test.values[len(test.values)-1-i])
		}
		sorted := slices.Sorted(slices.Values(test.values))
		for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
			want := sorted[max(1, int(math.Ceil(q*float64(len(sorted)))))-1]
			got := forward.Quantile(q)
			if math.Abs(got/want-1) > 0.0051 {
				t.Errorf("%s: quantile %v is %v, want %v", test.why, q, got, want)
			}
			if other := backward.Quantile(q); got != other {
				t.Errorf("%s: quantile %v is %v, and %v of the same values in another order", test.why, q, got, other)
			}
		}
	}
}

// TestSketchOfStrangeValues: what lies outside the range counts as its end, so the buckets stay few.
func TestSketchOfStrangeValues(t *testing.T) {
	t.Parallel()
	var s stats.Sketch
	if got := s.Quantile(0.99); got != 0 {
		t.Errorf("the quantile of nothing is %v", got)
	}
	for _, v := range []float64{-1, 0, math.Inf(1), 1e300} {
		s.Add(v)
	}
	if got := fmt.Sprintf("%.2g %.2g", s.Quantile(0.5), s.Quantile(1)); got != "0.001 1e+09" {
		t.Errorf("quantiles %s, want the ends of the range", got)
	}
}
