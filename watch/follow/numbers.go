// Package follow reads the growing files of a run: its numbers, and whether a process still
// writes them.
package follow

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/internal/curve"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/run/scalars"
)

// mostSeries bounds the names; others are skipped.
const mostSeries = 2000

// Numbers are the numbers of a run, thinned for charts. They follow the file as it grows. Many
// goroutines may use them at once.
type Numbers struct {
	mu     sync.RWMutex
	file   Tail
	rows   int
	began  float64 // time of the first row, in seconds since 1970
	ended  float64 // and of the last one
	series map[string]*series

	row    *jsonform.Picker
	fresh  []sample  // of the current row
	before []*series // of the last row: the next one mostly has the same
}

// A series is a name with its points.
type series struct {
	name   string
	points curve.Series
}

// A sample is a number in a row.
type sample struct {
	of    *series
	value float64
}

// NewNumbers returns the numbers in the file at path, which need not exist yet.
func NewNumbers(path string) *Numbers {
	return &Numbers{file: Tail{Path: path}, series: map[string]*series{}, row: jsonform.NewPicker("step", "time", "values")}
}

// Refresh reads new lines, and reports whether there are more.
func (n *Numbers) Refresh() (more bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.file.Read(func() { n.rows, n.series, n.before = 0, map[string]*series{}, nil }, n.add)
}

// add adds a line, and skips one that is not a row.
func (n *Numbers) add(line []byte) {
	n.fresh = n.fresh[:0]
	step, time, is := n.parse(line)
	if !is {
		if step, time, is = n.decode(line); !is {
			return
		}
	}
	n.before = n.before[:0]
	for _, one := range n.fresh {
		n.before = append(n.before, one.of)
		one.of.points.Add(curve.Point{Step: step, Time: time, Value: one.value})
	}
	if n.ended = time; n.rows == 0 {
		n.began = time
	}
	n.rows++
}

// parse parses a row in the form of our writer; it reports false for any other.
func (n *Numbers) parse(line []byte) (step, time float64, is bool) {
	if !n.row.Pick(line) {
		return 0, 0, false
	}
	step, whole := parseNumber(n.row.Value(0))
	time, timed := parseNumber(n.row.Value(1))
	return step, time, whole && timed && jsonform.Members(n.row.Value(2), n.take)
}

// parseNumber parses a JSON number.
func parseNumber(text []byte) (v float64, is bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// take adds a number to the current row.
func (n *Numbers) take(name, value []byte) bool {
	v, is := parseNumber(value)
	if is {
		n.note(name, v)
	}
	return is
}

// note adds a value to the current row.
func (n *Numbers) note(name []byte, v float64) {
	var of *series
	if i := len(n.fresh); i < len(n.before) && n.before[i].name == string(name) {
		of = n.before[i]
	} else if of = n.series[string(name)]; of == nil {
		if len(n.series) == mostSeries {
			return
		}
		of = &series{name: string(name)}
		n.series[of.name] = of
	}
	n.fresh = append(n.fresh, sample{of, v})
}

// decode decodes a row in any form.
func (n *Numbers) decode(line []byte) (step, time float64, is bool) {
	var row scalars.Line
	if jsonform.Unmarshal(line, &row) != nil {
		return 0, 0, false
	}
	n.fresh = n.fresh[:0]
	for _, name := range slices.Sorted(maps.Keys(row.Values)) {
		n.note([]byte(name), row.Values[name])
	}
	return float64(row.Step), row.Time, true
}

// Len is the number of rows.
func (n *Numbers) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.rows
}

// Left is the unread part of the file, in percent.
func (n *Numbers) Left() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.file.Left()
}

// Span is the time of the first row and of the last, in seconds since 1970; 0: there is none.
func (n *Numbers) Span() (first, last float64) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.began, n.ended
}

// Names lists the series with points, sorted.
func (n *Numbers) Names() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(n.series)), func(name string) bool { return len(n.series[name].points.Points()) == 0 })
}

// Last is the last point of a series.
func (n *Numbers) Last(name string) (p curve.Point, there bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	s := n.series[name]
	if s == nil || len(s.points.Points()) == 0 {
		return p, false
	}
	all := s.points.Points()
	return all[len(all)-1], true
}

// A Line is the thinned points of a series.
type Line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// Line thins a series to a number of columns, over time or steps.
func (n *Numbers) Line(name string, overTime bool, columns int) Line {
	n.mu.RLock()
	defer n.mu.RUnlock()
	l := Line{Name: name, X: []float64{}, Y: []float64{}}
	s := n.series[name]
	if s == nil {
		return l
	}
	var x, y []float64
	for _, p := range s.points.Points() {
		at := p.Step
		if overTime {
			at = p.Time
		}
		x, y = append(x, at), append(y, p.Value)
	}
	for _, i := range curve.Thin(x, y, columns) {
		l.X, l.Y = append(l.X, x[i]), append(l.Y, y[i])
	}
	return l
}
