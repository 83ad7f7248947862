package watch

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain/internal/web"
)

// Bounds on one request for series.
const (
	mostColumns    = 2000
	defaultColumns = 300
	mostNames      = 200
)

// series answers with the lines of the named series.
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
		lines = append(lines, s.numbers.Line(name, q.Get("x") == "time", columns))
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
