package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A lineLog is a file of JSON objects, a line each, that only grows.
type lineLog[T any] struct{ file *os.File }

// openLineLog opens a log, or makes it, and returns what it holds. Half a line at
// its end, which a killed process left, is cut off.
func openLineLog[T any](path string) (*lineLog[T], []T, error) {
	lines, whole, err := readLineLog[T](path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, err
	}
	if err = f.Truncate(whole); err == nil {
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &lineLog[T]{f}, lines, nil
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

// readLineLog reads the whole lines of a log, and returns how many bytes they are.
func readLineLog[T any](path string) (lines []T, whole int64, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	for n := 1; ; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			return lines, whole, nil
		}
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", path, n, err)
		}
		lines, data, whole = append(lines, value), rest, whole+int64(len(line))+1
	}
}
