package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// longest is how many bytes are kept for the lines of the next stream, at most.
const longest = 64 << 10

// An eventReader reads the events of one stream after the other, in the same memory.
type eventReader struct {
	lines *bufio.Reader
	long  []byte // a line that lines has no room for
}

// newEventReader returns a reader for [eventReader.read].
func newEventReader() any { return &eventReader{lines: bufio.NewReaderSize(nil, bufferSize)} }

// read calls call for the data of each server-sent event of body, up to the event "[DONE]" or
// the end. The data are valid during the call, which may change them. An event has at most
// limit bytes, and all together have at most limit too. Comments, names and numbers of events
// are skipped: no inference server says anything in them.
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
		data, is := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if data = bytes.TrimSpace(data); !is || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			return io.EOF
		}
		if fault := call(data); fault != nil {
			return fault
		}
	}
}
