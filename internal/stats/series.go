package stats

import "math"

// A Point is a value at a step and at a time.
type Point struct{ Step, Time, Value float64 }

// The bounds of a series.
const (
	mostKept = 8192 // points
	parts    = 1024 // that keep their extremes once the points are too many
)

// A Series is a growing line in a bounded number of points. Up to 8,192 it keeps all;
// beyond, it keeps the first, the last, the lowest and the highest of each of at least
// 1,024 equally long parts, and so always those of the whole. The zero value is empty. It
// is not safe for concurrent use.
type Series struct {
	points []Point
	order  []float64 // the number of points before each
	added  int
}

// Add adds the next point. It skips one with a NaN value.
func (s *Series) Add(p Point) {
	if math.IsNaN(p.Value) {
		return
	}
	if len(s.points) == mostKept {
		s.thin()
	}
	s.points, s.order = append(s.points, p), append(s.order, float64(s.added))
	s.added++
}

// thin keeps at most half of the points.
func (s *Series) thin() {
	y := make([]float64, len(s.points))
	for i, p := range s.points {
		y[i] = p.Value
	}
	kept := Thin(s.order, y, parts)
	for to, from := range kept {
		s.points[to], s.order[to] = s.points[from], s.order[from]
	}
	s.points, s.order = s.points[:len(kept)], s.order[:len(kept)]
}

// Points returns the kept points in order. They change with the next Add; the caller must
// not change them.
func (s *Series) Points() []Point { return s.points }
