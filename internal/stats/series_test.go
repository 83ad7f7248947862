package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestSeriesKeepsTheExtremes adds more points than a series keeps, and looks for the
// extremes of the whole, the newest point, and some of every part.
func TestSeriesKeepsTheExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40_000).Draw(t, "n")
		seed := rapid.Uint32().Draw(t, "seed")
		var s Series
		values := make([]float64, n)
		low, high := 0, 0
		for i := range values {
			seed = seed*1664525 + 1013904223
			values[i] = float64(seed >> 8)
			s.Add(Point{Step: float64(i), Time: float64(2 * i), Value: values[i]})
			s.Add(Point{Step: float64(i), Value: math.NaN()})
			if values[i] < values[low] {
				low = i
			}
			if values[i] > values[high] {
				high = i
			}
		}
		points := s.Points()
		if n <= 8192 && len(points) != n || len(points) > 8192 {
			t.Fatalf("%d of %d points are kept", len(points), n)
		}
		kept, before := map[int]bool{}, -1.0
		for _, p := range points {
			i := int(p.Step)
			if p != (Point{Step: float64(i), Time: float64(2 * i), Value: values[i]}) || p.Step <= before {
				t.Fatalf("the point %v was not added, or not after %g", p, before)
			}
			if p.Step-before > float64(n)/512 && n > 8192 {
				t.Fatalf("nothing between %g and %g of %d points", before, p.Step, n)
			}
			kept[i], before = true, p.Step
		}
		for _, want := range []int{0, low, high, n - 1} {
			if !kept[want] {
				t.Fatalf("point %d of %d is gone", want, n)
			}
		}
	})
}
