package curve

import "math"

// A Point is a value at a step and at a time.
type Point struct{ Step, Time, Value float64 }

// Bounds on a series.
const (
	mostKept = 8192 // points
	parts    = 1024 // that keep their extremes when the points become too many
)

// A Series is a line that grows, in a bounded number of points: up to 8,192 it has all of
// them; of more, the first, the last, the lowest and the highest of each of at least 1,024
// equally long parts, and so always those of the whole. The zero value is empty. It is for
// one goroutine.
type Series struct {
	points []Point
	order  []float64 // how many points came before each
	added  int
}

// Add takes the next point. One whose value is not a number is left out.
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

// thin leaves half of the points at most.
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

// Points are those that are kept, in the order in which they came. They change with the
// next Add; the caller must not change them.
func (s *Series) Points() []Point { return s.points }
