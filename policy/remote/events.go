package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// events calls call for the data of each server-sent event of body, up to the event
// "[DONE]" or the end. An event has at most limit bytes, and all together have at most
// limit too. Comments, names and numbers of events are skipped: no inference server says
// anything in them.
func events(body io.Reader, limit int64, call func([]byte) *Error) error {
	lines := bufio.NewReaderSize(io.LimitReader(body, limit+1), bufferSize)
	var read int64
	var long []byte
	for {
		line, err := lines.ReadSlice('\n')
		if read += int64(len(line)); read > limit {
			return &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d bytes", limit)}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if err != nil {
			return err
		}
		if len(long) > 0 {
			long = append(long, line...)
			line, long = long, long[:0]
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
