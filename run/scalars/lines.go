package scalars

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// A Line is a row as a line of JSON.
type Line struct {
	Step   int                `json:"step"`
	Time   float64            `json:"time"` // seconds since 1970
	Values map[string]float64 `json:"values"`
}

// LastLine reads the last line of the file at path. It passes over an incomplete one at the end, and
// over damaged ones. The line is empty if there is none.
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
	found, _, err := jsonl.Last[Line](f, info.Size())
	if found != nil {
		last = *found
	}
	return last, err
}

// Lines is a [Log] in a file that only grows.
type Lines struct{ log *jsonl.Log[Line] }

// OpenLines opens or creates the file at path. It cuts off an incomplete line at the end,
// which a killed process may leave, and sets damaged ones aside, which log hears of.
func OpenLines(path string, log *slog.Logger) (*Lines, error) {
	file, _, err := jsonl.OpenLog[Line](path, log)
	return &Lines{file}, err
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
