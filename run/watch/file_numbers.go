package watch

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/scalars"
)

// mostSeries bounds the names; others are skipped.
const mostSeries = 2000

// A fileNumbers is the numbers in one file, thinned for charts. It follows the file as it grows. Many
// goroutines may use it at once.
type fileNumbers struct {
	mu     sync.RWMutex
	file   tail
	rows   int
	began  float64 // time of the first row, in seconds since 1970
	ended  float64 // and of the last one
	series map[string]*series

	row    *strictjson.Picker
	fresh  []sample  // of the current row
	before []*series // of the last row: the next one mostly has the same
}

// A series is a name with its points.
type series struct {
	name   string
	points stats.Series
}

// A sample is a number in a row.
type sample struct {
	of    *series
	value float64
}

// newFileNumbers returns the numbers in the file at path, which need not exist yet.
func newFileNumbers(path string) *fileNumbers {
	return &fileNumbers{file: tail{Path: path}, series: map[string]*series{}, row: strictjson.NewPicker("step", "time", "values")}
}

// refresh reads new lines, and reports whether there are more.
func (n *fileNumbers) refresh() (more bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.file.Read(func() { n.rows, n.series, n.before = 0, map[string]*series{}, nil }, n.add)
}

// add adds a line, and skips one that is not a row.
func (n *fileNumbers) add(line []byte) {
	n.fresh = n.fresh[:0]
	step, time, ok := n.parse(line)
	if !ok {
		if step, time, ok = n.decode(line); !ok {
			return
		}
	}
	n.before = n.before[:0]
	for _, one := range n.fresh {
		n.before = append(n.before, one.of)
		one.of.points.Add(stats.Point{Step: step, Time: time, Value: one.value})
	}
	if n.ended = time; n.rows == 0 {
		n.began = time
	}
	n.rows++
}

// parse parses a row in the form of our writer; it reports false for any other.
func (n *fileNumbers) parse(line []byte) (step, time float64, ok bool) {
	if !n.row.Pick(line) {
		return 0, 0, false
	}
	step, whole := parseNumber(n.row.Value(0))
	time, timed := parseNumber(n.row.Value(1))
	return step, time, whole && timed && strictjson.Members(n.row.Value(2), n.take)
}

// parseNumber parses a JSON number.
func parseNumber(text []byte) (v float64, ok bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// take adds a number to the current row.
func (n *fileNumbers) take(name, value []byte) bool {
	v, ok := parseNumber(value)
	if ok {
		n.note(name, v)
	}
	return ok
}

// note adds a value to the current row.
func (n *fileNumbers) note(name []byte, v float64) {
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
func (n *fileNumbers) decode(line []byte) (step, time float64, ok bool) {
	var row scalars.Line
	if strictjson.Unmarshal(line, &row) != nil {
		return 0, 0, false
	}
	n.fresh = n.fresh[:0]
	for _, name := range slices.Sorted(maps.Keys(row.Values)) {
		n.note([]byte(name), row.Values[name])
	}
	return float64(row.Step), row.Time, true
}

// len is the number of rows.
func (n *fileNumbers) len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.rows
}

// left is the unread part of the file, in percent.
func (n *fileNumbers) left() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.file.Left()
}

// span is the time of the first row and of the last, in seconds since 1970; 0: there is none.
func (n *fileNumbers) span() (first, last float64) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.began, n.ended
}

// points returns a copy of the points of a series.
func (n *fileNumbers) points(name string) []stats.Point {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if s := n.series[name]; s != nil {
		return slices.Clone(s.points.Points())
	}
	return nil
}

// last is the last point of a series.
func (n *fileNumbers) last(name string) (p stats.Point, there bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	s := n.series[name]
	if s == nil || len(s.points.Points()) == 0 {
		return p, false
	}
	all := s.points.Points()
	return all[len(all)-1], true
}

// names lists the series with points.
func (n *fileNumbers) names() (all []string) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for name, s := range n.series {
		if len(s.points.Points()) > 0 {
			all = append(all, name)
		}
	}
	return all
}
