package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A Log is an append-only file of values of one type, one per line. It is not safe for
// concurrent use.
type Log[T any] struct{ file *os.File }

// OpenLog opens or creates the log at path, and returns its last value, or nil if it is
// empty. It truncates an incomplete line at the end, left by a killed process. If the
// last line is not a T, it returns an error and does not change the file.
func OpenLog[T any](path string) (*Log[T], *T, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	last, err := resume[T](f)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &Log[T]{f}, last, nil
}

// resume prepares f for another line, and returns its last value.
func resume[T any](f *os.File) (last *T, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	line, end, err := LastLine(f, size)
	if err != nil {
		return nil, err
	}
	if end > 0 {
		if err := jsonform.Unmarshal(line, &last); err != nil {
			return nil, fmt.Errorf("last line: %w", err)
		}
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return last, err
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

// Add appends a value as a line.
func (l *Log[T]) Add(value T) error {
	line, err := jsonform.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	return nil
}

// Close closes the file.
func (l *Log[T]) Close() error { return l.file.Close() }

// ReadLog reads the values of the log at path. It ignores an incomplete line at the end.
func ReadLog[T any](path string) (values []T, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return values, nil
		}
		var value T
		if err := jsonform.Unmarshal(line, &value); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, n, err)
		}
		values, text = append(values, value), rest
	}
}
