package watch

import (
	"cmp"
	"errors"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
)

// runNumbers are the numbers of a run, thinned for charts: those of one file, or of the files of
// several processes of the run, joined by time. They follow the files as they grow. Many
// goroutines may use them at once.
type runNumbers struct {
	files []*fileNumbers
}

// newRunNumbers returns the numbers in the files at paths, which need not exist yet.
func newRunNumbers(paths ...string) *runNumbers {
	n := &runNumbers{}
	for _, path := range paths {
		n.files = append(n.files, newFileNumbers(path))
	}
	return n
}

// Refresh reads new lines, and reports whether there are more.
func (n *runNumbers) Refresh() (more bool, err error) {
	for _, f := range n.files {
		rest, failed := f.refresh()
		more, err = more || rest, errors.Join(err, failed)
	}
	return more, err
}

// Len is the number of rows.
func (n *runNumbers) Len() (rows int) {
	for _, f := range n.files {
		rows += f.len()
	}
	return rows
}

// Left is the unread part of the file that is furthest behind, in percent.
func (n *runNumbers) Left() (left int) {
	for _, f := range n.files {
		left = max(left, f.left())
	}
	return left
}

// Span is the time of the first row and of the last, in seconds since 1970; 0: there is none.
func (n *runNumbers) Span() (first, last float64) {
	for _, f := range n.files {
		began, ended := f.span()
		if first == 0 || began > 0 && began < first {
			first = began
		}
		last = max(last, ended)
	}
	return first, last
}

// Names lists the series with points, sorted.
func (n *runNumbers) Names() (all []string) {
	for _, f := range n.files {
		all = append(all, f.names()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// points returns the points of a series, by time.
func (n *runNumbers) points(name string) []stats.Point {
	if len(n.files) == 1 {
		return n.files[0].points(name)
	}
	var all []stats.Point
	for _, f := range n.files {
		all = append(all, f.points(name)...)
	}
	slices.SortStableFunc(all, func(a, b stats.Point) int { return cmp.Compare(a.Time, b.Time) })
	return all
}

// Last is the last point of a series.
func (n *runNumbers) Last(name string) (p stats.Point, there bool) {
	for _, f := range n.files {
		if last, has := f.last(name); has && (!there || last.Time >= p.Time) {
			p, there = last, true
		}
	}
	return p, there
}

// Lasted is the time between the last two values of a series, in seconds; 0: there is one at most.
func (n *runNumbers) Lasted(name string) float64 {
	points := n.points(name)
	if len(points) < 2 {
		return 0
	}
	return points[len(points)-1].Time - points[len(points)-2].Time
}

// A line is the thinned points of a series.
type line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// Line thins a series to a number of columns, over time or steps.
func (n *runNumbers) Line(name string, overTime bool, columns int) line {
	l := line{Name: name, X: []float64{}, Y: []float64{}}
	points := n.points(name)
	if !overTime && len(n.files) > 1 { // two processes may have begun at one step
		slices.SortStableFunc(points, func(a, b stats.Point) int { return cmp.Compare(a.Step, b.Step) })
	}
	var x, y []float64
	for _, p := range points {
		at := p.Step
		if overTime {
			at = p.Time
		}
		x, y = append(x, at), append(y, p.Value)
	}
	for _, i := range stats.Thin(x, y, columns) {
		l.X, l.Y = append(l.X, x[i]), append(l.Y, y[i])
	}
	return l
}
