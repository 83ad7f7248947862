package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line of JSON that is read, in bytes.
const maxLine = 64 << 20

// eachLine calls do with each non-empty line of in, and writes what it returns as
// one line of JSON to out, in order. Where do fails, the line is {"error": …}, the
// others are still done, and the error at the end is errReported. Output is flushed
// whenever the input has run dry, so that a program may talk line by line.
func eachLine(in io.Reader, out io.Writer, do func(line []byte) (any, error)) error {
	r, w := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	failed := false
	for n := 1; ; n++ {
		line, err := readLine(r)
		if len(line) > 0 {
			if !writeResult(w, n, line, do) {
				failed = true
			}
		}
		if r.Buffered() == 0 || err != nil {
			if err := w.Flush(); err != nil {
				return fmt.Errorf("writing line %d: %w", n, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			if failed {
				return errReported
			}
			return nil
		case err != nil:
			return fmt.Errorf("reading line %d: %w", n, err)
		}
	}
}

// writeResult writes the line that answers one line, and reports whether it is a
// result and not an error.
func writeResult(w *bufio.Writer, n int, line []byte, do func([]byte) (any, error)) bool {
	result, err := do(line)
	if err != nil {
		result = map[string]string{"error": fmt.Sprintf("line %d: %v", n, err)}
	}
	encoded, jsonErr := json.Marshal(result)
	if jsonErr != nil {
		encoded, err = fmt.Appendf(nil, `{"error":"line %d: the result is no JSON"}`, n), jsonErr
	}
	w.Write(append(encoded, '\n')) // bufio keeps the error for Flush
	return err == nil
}

// readLine returns the next line without its end. A line over maxLine is an error.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("it is over %d MiB long", maxLine>>20)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
			line = line[:len(line)-1]
		}
		return line, err
	}
}
