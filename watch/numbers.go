package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/internal/curve"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/scalars"
)

// Bounds on what is read of the numbers of a run.
const (
	mostRead   = 16 << 20 // bytes at once
	mostLine   = 1 << 20  // bytes of a row; a longer one is passed over
	mostSeries = 2000     // names; others are passed over
)

// numbers are the numbers of a run, each with as many points as a picture needs. They
// follow the file as it grows.
type numbers struct {
	path string

	mu     sync.RWMutex
	offset int64 // of the file: what is before it was read
	size   int64 // of the file when it was read last
	within bool  // what comes next is the rest of a line that is too long
	rows   int
	series map[string]*series

	row    *jsonform.Picker
	fresh  []sample  // of the row that is read
	before []*series // of the row before: those of the next are mostly the same
}

// A series is a name with its points.
type series struct {
	name   string
	points curve.Series
}

// A sample is a number of a row.
type sample struct {
	of    *series
	value float64
}

func newNumbers(path string) *numbers {
	return &numbers{path: path, series: map[string]*series{}, row: jsonform.NewPicker("step", "time", "values")}
}

// refresh reads the complete lines that were added, about [mostRead] bytes of them, and
// reports whether there are more. A file that became shorter is another one, and read
// from its start.
func (n *numbers) refresh() (more bool, err error) {
	f, err := os.Open(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if info.Size() < n.offset {
		n.offset, n.rows, n.series, n.before, n.within = 0, 0, map[string]*series{}, nil, false
	}
	n.size = info.Size()
	from := n.offset
	lines := bufio.NewReaderSize(io.NewSectionReader(f, n.offset, n.size-n.offset), mostLine)
	for n.offset-from < mostRead {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF: // what is left is not complete
			return false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
		n.offset += int64(len(line))
		if err == nil && !n.within {
			n.add(bytes.TrimSpace(line))
		}
		n.within = err != nil
	}
	return true, nil
}

// add adds a line. One that is not a row is passed over.
func (n *numbers) add(line []byte) {
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
	n.rows++
}

// parse reads a row in the form in which it is written; it reports false for any other.
func (n *numbers) parse(line []byte) (step, time float64, is bool) {
	if !n.row.Pick(line) {
		return 0, 0, false
	}
	step, whole := parseNumber(n.row.Value(0))
	time, timed := parseNumber(n.row.Value(1))
	return step, time, whole && timed && jsonform.Members(n.row.Value(2), n.take)
}

// parseNumber reads a number of JSON.
func parseNumber(text []byte) (v float64, is bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// take takes a number of a row.
func (n *numbers) take(name, value []byte) bool {
	v, is := parseNumber(value)
	if is {
		n.note(name, v)
	}
	return is
}

// note adds a number to those of the row that is read.
func (n *numbers) note(name []byte, v float64) {
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

// decode reads any row.
func (n *numbers) decode(line []byte) (step, time float64, is bool) {
	var row scalars.Line
	if json.Unmarshal(line, &row) != nil {
		return 0, 0, false
	}
	n.fresh = n.fresh[:0]
	for _, name := range slices.Sorted(maps.Keys(row.Values)) {
		n.note([]byte(name), row.Values[name])
	}
	return float64(row.Step), row.Time, true
}

// len is the number of rows.
func (n *numbers) len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.rows
}

// left is how much of the file there is yet to read, in percent.
func (n *numbers) left() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.size-n.offset < mostLine { // it may be part of a row
		return 0
	}
	return int(100 * (n.size - n.offset) / n.size)
}

// names lists the names that have points, sorted.
func (n *numbers) names() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(n.series)), func(name string) bool { return len(n.series[name].points.Points()) == 0 })
}

// last is the last number of a name.
func (n *numbers) last(name string) (p curve.Point, there bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	s := n.series[name]
	if s == nil || len(s.points.Points()) == 0 {
		return p, false
	}
	all := s.points.Points()
	return all[len(all)-1], true
}

// A line is the points of a name that a picture needs.
type line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// line thins the points of a name to a number of columns, over time or over steps.
func (n *numbers) line(name string, overTime bool, columns int) line {
	n.mu.RLock()
	defer n.mu.RUnlock()
	l := line{Name: name, X: []float64{}, Y: []float64{}}
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

// Bounds on what a page may ask for at once.
const (
	mostColumns    = 2000
	defaultColumns = 300
	mostNames      = 200
)

// series answers with the lines of the names in a query.
func (s *Server) series(c *web.Call) error {
	q := c.R.URL.Query()
	columns := defaultColumns
	if text := q.Get("columns"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostColumns {
			return web.Errorf(http.StatusBadRequest, "columns: want a number from 1 to %d", mostColumns)
		}
		columns = n
	}
	names := q["name"]
	if len(names) > mostNames {
		return web.Errorf(http.StatusBadRequest, "name: want %d at most", mostNames)
	}
	lines := []line{}
	for _, name := range names {
		lines = append(lines, s.numbers.line(name, q.Get("x") == "time", columns))
	}
	return s.json(c, lines)
}

// json answers with a value as JSON.
func (s *Server) json(c *web.Call, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return web.Errorf(http.StatusInternalServerError, "%v", err)
	}
	guard(c)
	return c.JSON(http.StatusOK, text)
}
