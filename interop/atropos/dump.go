package atropos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// A Kind says which rollouts a dump has.
type Kind string

// The kinds of dumps.
const (
	Good   Kind = "rollouts"        // groups with a score above the threshold
	Failed Kind = "FAILED_rollouts" // groups with only zero scores
)

// lines returns the number of lines per file.
func (k Kind) lines() int {
	if k == Failed {
		return 50
	}
	return 100
}

// A Dump writes rollouts as JSON lines to files that belong to one run; see
// docs/formats/dump.md. Each line is in the file when Write returns. Many goroutines may
// use a Dump, but only one Dump may write to the files of a run and kind.
type Dump struct {
	prefix string // of the files' names, up to the number
	kind   Kind

	mu     sync.Mutex
	file   dumpFile // nil: the next Write opens one
	number int      // of the file
	lines  int      // in the file
	size   int64    // bytes of the file's complete lines
	torn   bool     // the file may have bytes after the complete lines
	ended  error    // errors of closed, full files
	closed bool
}

// A dumpFile is the part of *os.File that a Dump needs.
type dumpFile interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// NewDump returns a dump that writes to dir, which it creates if necessary. If the run has
// files already, the dump continues after their last line. It cuts off incomplete lines,
// which a killed process may leave at the end of a file.
func NewDump(dir, runID string, kind Kind) (*Dump, error) {
	if kind != Good && kind != Failed {
		return nil, fmt.Errorf("dump: unknown kind %q", kind)
	}
	if runID == "" || strings.ContainsAny(runID, `/\*?[]`) {
		return nil, fmt.Errorf("dump: %q cannot name a run's files", runID)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("dump: %w", err)
	}
	d := &Dump{prefix: filepath.Join(dir, "reasoning_gym_environment_"+string(kind)+"_"+runID+"_"), kind: kind}
	if err := d.resume(dir); err != nil {
		return nil, fmt.Errorf("dump: %w", err)
	}
	return d, nil
}

// resume mends the existing files of the run, and continues the last one.
func (d *Dump) resume(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	last := -1
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		digits, ours := strings.CutPrefix(strings.TrimSuffix(path, ".jsonl"), d.prefix)
		number, err := strconv.Atoi(digits)
		if !ours || err != nil || path != d.path(number) {
			continue
		}
		if err := mend(path); err != nil {
			return err
		}
		last = max(last, number)
	}
	if last < 0 {
		return nil
	}
	text, err := os.ReadFile(d.path(last))
	if err != nil {
		return err
	}
	d.number, d.lines, d.size = last, bytes.Count(text, []byte("\n")), int64(len(text))
	if d.lines >= d.kind.lines() {
		d.number, d.lines, d.size = last+1, 0, 0
	}
	return nil
}

func (d *Dump) path(number int) string { return fmt.Sprintf("%s%04d.jsonl", d.prefix, number) }

// mend cuts off everything after the last line break of a file.
func mend(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	_, end, err := jsonl.LastLine(file, size)
	if err != nil || end == size {
		return err
	}
	return file.Truncate(end)
}

// Write writes r as one line. After an error, such as a full disk, the file has no part of
// the line, and a later Write may succeed. Close reports an error of closing a full file:
// the line is in it.
func (d *Dump) Write(r Record) error {
	for _, one := range r.Rollouts {
		if math.IsNaN(one.Score) || math.IsInf(one.Score, 0) {
			return fmt.Errorf("dump: a score is %v, want a finite number", one.Score)
		}
	}
	line := r.line()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("dump: %w", os.ErrClosed)
	}
	if err := d.write(line); err != nil {
		return fmt.Errorf("dump: %s: %w", filepath.Base(d.path(d.number)), err)
	}
	return nil
}

// write adds line to the file, and ends the file if it is full.
func (d *Dump) write(line []byte) error {
	if d.file == nil {
		file, err := os.OpenFile(d.path(d.number), os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		d.file = file
	}
	if d.torn {
		if err := d.file.Truncate(d.size); err != nil {
			return err
		}
		d.torn = false
	}
	if _, err := d.file.WriteAt(line, d.size); err != nil {
		cut := d.file.Truncate(d.size)
		d.torn = cut != nil
		return errors.Join(err, cut)
	}
	d.size += int64(len(line))
	if d.lines++; d.lines < d.kind.lines() {
		return nil
	}
	d.ended = errors.Join(d.ended, d.end())
	d.number, d.lines, d.size = d.number+1, 0, 0
	return nil
}

// end closes the file, if one is open.
func (d *Dump) end() error {
	if d.file == nil {
		return nil
	}
	err := errors.Join(d.file.Sync(), d.file.Close())
	d.file = nil
	return err
}

// Progress returns the number of full files, and of the lines in the one after them.
func (d *Dump) Progress() (full, lines int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.number, d.lines
}

// Close ends the dump, and returns the errors of closing its files. Closing it again does
// nothing.
func (d *Dump) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	err := errors.Join(d.ended, d.end())
	if d.ended = nil; err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	return nil
}
