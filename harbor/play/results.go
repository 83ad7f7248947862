package play

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// mostRow is the most bytes of a kept row.
const mostRow = 1 << 20

// results are the rows of a file, by their keys. The last one of a key counts; a line that a crash cut off is none.
type results struct {
	rows map[string]Row
	file *os.File // nil: nothing is kept
}

// openResults opens the results in a file; empty: nowhere.
func openResults(path string) (*results, error) {
	k := &results{rows: map[string]Row{}}
	if path == "" {
		return k, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644) //nolint:gosec // results are no secret
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %w: name another file with --results", err)
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	k.file = f
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostRow)
	for lines.Scan() {
		var r Row
		if strictjson.Unmarshal(lines.Bytes(), &r) == nil && r.Key != "" {
			k.rows[r.Key] = r
		}
	}
	if err := lines.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("results: %s: %w", path, err), f.Close())
	}
	return k, nil
}

// add keeps a row that another check may use: one of a trial.
func (k *results) add(r Row) error {
	if k.file == nil || r.Kept || r.Key == "" || r.Verdict == Failed {
		return nil
	}
	text, err := strictjson.Legible(r)
	if err != nil {
		return err
	}
	// A line feed before it ends one that a crash cut off.
	if _, err = k.file.Write(append(append([]byte{'\n'}, text...), '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// close closes the file.
func (k *results) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
