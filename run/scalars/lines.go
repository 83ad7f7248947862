package scalars

import (
	"time"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// A Line is a row as a line of JSON.
type Line struct {
	Step   int                `json:"step"`
	Time   float64            `json:"time"` // seconds since 1970
	Values map[string]float64 `json:"values"`
}

// ReadLines reads the lines of the file at path. It ignores an incomplete one at the end.
func ReadLines(path string) ([]Line, error) { return jsonl.ReadLog[Line](path) }

// Lines is a [Log] in a file that only grows.
type Lines struct{ log *jsonl.Log[Line] }

// OpenLines opens or creates the file at path. It cuts off an incomplete line at the end,
// which a killed process may leave.
func OpenLines(path string) (*Lines, error) {
	log, _, err := jsonl.OpenLog[Line](path)
	return &Lines{log}, err
}

// Add implements [Log].
func (l *Lines) Add(row Row) error {
	line := Line{Step: row.Step, Time: float64(row.Time.UnixMicro()) / float64(time.Second/time.Microsecond), Values: map[string]float64{}}
	for _, name := range row.names() {
		line.Values[name] = row.Values[name]
	}
	return l.log.Add(line)
}

// Close implements [Log].
func (l *Lines) Close() error { return l.log.Close() }
