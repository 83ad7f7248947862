package scalars

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonform"
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

// LastLine reads the last line of the file at path. It ignores an incomplete one at the end.
// The line is empty if there is none.
func LastLine(path string) (last Line, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return last, err
	}
	text, end, err := jsonl.LastLine(f, info.Size())
	if err != nil || end == 0 {
		return last, err
	}
	if err := jsonform.Unmarshal(text, &last); err != nil {
		return last, fmt.Errorf("%s: last line: %w", path, err)
	}
	return last, nil
}

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
