package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A lineLog is a file of JSON objects, a line each, that only grows.
type lineLog[T any] struct{ file *os.File }

// openLineLog opens a log, or makes it, and returns its last line, nil where there is
// none. Half a line at its end, which a killed process left, is cut off.
func openLineLog[T any](path string) (*lineLog[T], *T, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	last, err := resumeLines[T](f)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &lineLog[T]{f}, last, nil
}

// resumeLines makes f ready for another line, and returns the last one that it has.
func resumeLines[T any](f *os.File) (last *T, err error) {
	line, whole, err := lastLine(f)
	if err != nil {
		return nil, err
	}
	if whole > 0 {
		if err := json.Unmarshal(line, &last); err != nil {
			return nil, fmt.Errorf("last line: %w", err)
		}
	}
	if err := f.Truncate(whole); err != nil {
		return nil, err
	}
	_, err = f.Seek(whole, io.SeekStart)
	return last, err
}

// lastLine returns the last whole line of f, and where it ends.
func lastLine(f *os.File) (line []byte, whole int64, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	for n := min(size, 64<<10); ; n = min(size, 4*n) {
		tail := make([]byte, n)
		if _, err := f.ReadAt(tail, size-n); err != nil {
			return nil, 0, err
		}
		end := bytes.LastIndexByte(tail, '\n')
		start := bytes.LastIndexByte(tail[:max(0, end)], '\n')
		switch {
		case n < size && start < 0: // it may begin before
		case end < 0:
			return nil, 0, nil
		default:
			return tail[start+1 : end], size - n + int64(end) + 1, nil
		}
	}
}

// add writes a line.
func (l *lineLog[T]) add(value T) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	return nil
}

// Close closes the file.
func (l *lineLog[T]) Close() error { return l.file.Close() }

// readLineLog reads the whole lines of a log.
func readLineLog[T any](path string) (lines []T, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			return lines, nil
		}
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, n, err)
		}
		lines, data = append(lines, value), rest
	}
}
