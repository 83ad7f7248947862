package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The line buffer of a stream, in bytes: at first, and at most when it is kept for the next one.
const (
	lineBuffer = 2 << 10
	longest    = 64 << 10
)

// An eventReader reads the events of streams, one after the other, in the same memory.
type eventReader struct {
	lines *bufio.Reader
	long  []byte // a line too long for lines
}

// newEventReader returns a reader for [eventReader.read].
func newEventReader() any { return &eventReader{lines: bufio.NewReaderSize(nil, lineBuffer)} }

// Done is the data of the event that ends a whole stream.
const Done = "[DONE]"

// read calls call with the data of each server-sent event of body, and returns nil at the
// event [Done], or io.EOF at the end of a body without it. call may change the data, which are valid only during the call. limit bounds
// the bytes of an event, and of all together. Comments, names and numbers of events are
// skipped: inference servers say nothing in them.
func (r *eventReader) read(body io.Reader, limit int64, call func([]byte) *Error) error {
	r.lines.Reset(io.LimitReader(body, limit+1))
	defer func() {
		r.lines.Reset(nil)
		if cap(r.long) > longest {
			r.long = nil
		}
	}()
	var read int64
	r.long = r.long[:0]
	for {
		line, err := r.lines.ReadSlice('\n')
		if read += int64(len(line)); read > limit {
			return &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d bytes", limit)}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			r.long = append(r.long, line...)
			continue
		}
		if err != nil {
			return err
		}
		if len(r.long) > 0 {
			r.long = append(r.long, line...)
			line, r.long = r.long, r.long[:0]
		}
		data, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
			continue
		}
		if string(data) == Done {
			return nil
		}
		if fault := call(data); fault != nil {
			return fault
		}
	}
}
