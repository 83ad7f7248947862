package stats

import (
	"maps"
	"math"
	"slices"
)

// A Sketch tells quantiles of many positive values without keeping them, each within half a percent of
// a true one: it counts values in buckets whose bounds grow by one percent (Masson, Rim and Lee,
// "DDSketch", 2019). Smaller values than a thousandth count as that, larger ones than a billion
// as a billion, so it has 2,800 buckets at most. It does not depend on the order of the values. The zero
// value is empty.
type Sketch struct {
	counts map[int]int // by bucket: see bucketOf
	values int
}

// growth is the ratio of a bucket's bounds.
const growth = 1.01

// bucketOf is the bucket of a value: bucket n has the values above growth^(n-1), up to growth^n.
func bucketOf(value float64) int {
	return int(math.Ceil(math.Log(min(max(value, 1e-3), 1e9)) / math.Log(growth)))
}

// Add adds a value.
func (s *Sketch) Add(value float64) {
	if s.counts == nil {
		s.counts = map[int]int{}
	}
	s.counts[bucketOf(value)]++
	s.values++
}

// Quantile returns the smallest value that at least a share q of the values do not exceed; 0 if there are
// no values.
func (s *Sketch) Quantile(q float64) float64 {
	want := max(1, int(math.Ceil(q*float64(s.values))))
	for _, bucket := range slices.Sorted(maps.Keys(s.counts)) {
		if want -= s.counts[bucket]; want <= 0 {
			return math.Pow(growth, float64(bucket)) * 2 / (1 + growth)
		}
	}
	return 0
}
