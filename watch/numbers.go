package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/curve"
	"github.com/quintain-rl/quintain/scalars"
	"github.com/quintain-rl/quintain/web"
)

// numbers are the rows of the numbers of a run, by column. They follow the file as it
// grows.
type numbers struct {
	path string

	mu     sync.RWMutex
	offset int64                // of the file: what is before it was read
	steps  []float64            // of each row
	times  []float64            // of each row, seconds since 1970
	values map[string][]float64 // by name; NaN, or the end of the list: the row has no such number
}

func newNumbers(path string) *numbers {
	return &numbers{path: path, values: make(map[string][]float64)}
}

// refresh reads the complete lines that were added. A file that became shorter is another
// one, and read from its start.
func (n *numbers) refresh() error {
	f, err := os.Open(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if info.Size() < n.offset {
		n.offset, n.steps, n.times, n.values = 0, nil, nil, make(map[string][]float64)
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(f, n.offset, info.Size()-n.offset), 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF { // what is left is not complete
			return nil
		}
		if err != nil {
			return err
		}
		n.offset += int64(len(line))
		n.add(bytes.TrimSpace(line))
	}
}

// add adds a line. One that is not a row is passed over.
func (n *numbers) add(line []byte) {
	var row scalars.Line
	if json.Unmarshal(line, &row) != nil {
		return
	}
	n.steps, n.times = append(n.steps, float64(row.Step)), append(n.times, row.Time)
	for name, v := range row.Values {
		list := n.values[name]
		for len(list) < len(n.steps)-1 {
			list = append(list, math.NaN())
		}
		n.values[name] = append(list, v)
	}
}

// len is the number of rows.
func (n *numbers) len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.steps)
}

// names lists the names, sorted.
func (n *numbers) names() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Sorted(maps.Keys(n.values))
}

// last is the last number of a name.
func (n *numbers) last(name string) (v float64, step int, there bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for i, v := range slices.Backward(n.values[name]) {
		if !math.IsNaN(v) {
			return v, int(n.steps[i]), true
		}
	}
	return 0, 0, false
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
	y := n.values[name]
	x := n.steps[:len(y)]
	if overTime {
		x = n.times[:len(y)]
	}
	l := line{Name: name, X: []float64{}, Y: []float64{}}
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
func (s *Server) series(c *web.Call) {
	q := c.R.URL.Query()
	columns := defaultColumns
	if text := q.Get("columns"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostColumns {
			c.Detail(http.StatusBadRequest, "columns: want a number from 1 to "+strconv.Itoa(mostColumns))
			return
		}
		columns = n
	}
	names := q["name"]
	if len(names) > mostNames {
		c.Detail(http.StatusBadRequest, "name: want "+strconv.Itoa(mostNames)+" at most")
		return
	}
	lines := []line{}
	for _, name := range names {
		lines = append(lines, s.numbers.line(name, q.Get("x") == "time", columns))
	}
	s.json(c, lines)
}

// json answers with a value as JSON.
func (s *Server) json(c *web.Call, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		c.Detail(http.StatusInternalServerError, err.Error())
		return
	}
	guard(c)
	c.JSON(http.StatusOK, text)
}
