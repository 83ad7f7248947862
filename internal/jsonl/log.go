package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Log is an append-only file of values of one type, one per line. It is not safe for
// concurrent use.
type Log[T any] struct{ file *os.File }

// BadEnd ends the name of the file that gets the lines of a log that are not as written.
const BadEnd = ".bad"

// OpenLog opens or creates the log at path, and returns its last value, or nil if it is
// empty. It truncates an incomplete line at the end, left by a killed process. Last lines that
// are no T are moved to a file beside it, which log hears of; nil: nobody does.
func OpenLog[T any](path string, log *slog.Logger) (*Log[T], *T, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	last, err := resume[T](f, log)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &Log[T]{f}, last, nil
}

// resume prepares f for another line, and returns its last value.
func resume[T any](f *os.File, log *slog.Logger) (last *T, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	last, good, err := Last[T](f, size)
	if err != nil {
		return nil, err
	}
	if _, end, err := LastLine(f, size); err != nil || end > good {
		if err = errors.Join(err, setAside(f, good, end)); err != nil {
			return nil, err
		}
		if log != nil {
			log.Error("the last lines of a file are damaged and were set aside; it goes on without them",
				"file", f.Name(), "at", good, "bytes", end-good, "kept", f.Name()+BadEnd)
		}
	}
	if err := f.Truncate(good); err != nil {
		return nil, err
	}
	_, err = f.Seek(good, io.SeekStart)
	return last, err
}

// setAside appends a part of f to the file of bad lines.
func setAside(f *os.File, from, to int64) error {
	bad, err := os.OpenFile(f.Name()+BadEnd, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(bad, io.NewSectionReader(f, from, to-from))
	return errors.Join(err, bad.Close())
}

// Last returns the last value of a log of size bytes, passing over lines that are no T, and the
// offset after it: nil and 0 if there is none.
func Last[T any](text io.ReaderAt, size int64) (*T, int64, error) {
	for {
		line, end, err := LastLine(text, size)
		if err != nil || end == 0 {
			return nil, 0, err
		}
		var last *T
		if strictjson.Unmarshal(line, &last) == nil && last != nil {
			return last, end, nil
		}
		size = end - int64(len(line)) - 1
	}
}

// LastLine returns the last complete line of a text of size bytes, without its line end,
// and the offset after it: 0 if no line is complete. It reads backwards from the end, at
// most about four times as much as necessary.
func LastLine(text io.ReaderAt, size int64) (line []byte, end int64, err error) {
	for n := min(size, 64<<10); ; n = min(size, 4*n) {
		tail := make([]byte, n)
		if read, err := text.ReadAt(tail, size-n); read < len(tail) {
			return nil, 0, err
		}
		at := bytes.LastIndexByte(tail, '\n')
		start := bytes.LastIndexByte(tail[:max(0, at)], '\n')
		if n < size && start < 0 { // the line may begin earlier
			continue
		}
		if at < 0 {
			return nil, 0, nil
		}
		return tail[start+1 : at], size - n + int64(at) + 1, nil
	}
}

// Add appends a value as a line, whole or not at all.
func (l *Log[T]) Add(value T) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	n, err := l.file.Write(append(line, '\n'))
	if err == nil {
		return nil
	}
	if at, failed := l.file.Seek(-int64(n), io.SeekCurrent); failed == nil { // a part of it would spoil the next line
		_ = l.file.Truncate(at)
	}
	return fmt.Errorf("%s: %w", l.file.Name(), err)
}

// Close closes the file.
func (l *Log[T]) Close() error { return l.file.Close() }

// ReadLog reads the values of the log at path. It ignores an incomplete line at the end. If other
// lines are no T, the values are those of the rest, and the error is a [*DamagedError].
func ReadLog[T any](path string) (values []T, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	bad, first := 0, 0
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		text = rest
		var value T
		if strictjson.Unmarshal(line, &value) == nil {
			values = append(values, value)
			continue
		}
		if bad++; first == 0 {
			first = n
		}
	}
	if bad > 0 {
		return values, &DamagedError{path, first, bad - 1}
	}
	return values, nil
}

// A DamagedError says that lines of a log are not as written.
type DamagedError struct {
	Path       string
	Line, More int // the number of the first, and how many others are
}

// Error implements error.
func (e *DamagedError) Error() string {
	more := ""
	if e.More > 0 {
		more = fmt.Sprintf(", and of the lines after it %d", e.More)
	}
	return fmt.Sprintf("%s line %d: it is damaged%s: put back a copy of the file, or go on without", e.Path, e.Line, more)
}
