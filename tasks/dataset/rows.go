package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Lines calls each with the number, from 1, and the text of every line that is not blank,
// until each returns an error, which Lines returns. A line of more than most bytes, or one that is
// not UTF-8, has an error in place of a text. Each may keep the text. A byte order mark before the first line does not count.
func Lines(r io.Reader, most int, each func(n int, line []byte, err error) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(len(jsonl.ByteOrderMark)); string(mark) == jsonl.ByteOrderMark {
		_, _ = in.Discard(len(mark))
	}
	for n := 1; ; n++ {
		line, err := readLine(in, most)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLong) {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err != nil {
			err = fmt.Errorf("it has more than %d bytes", most)
		} else {
			err = jsonl.CheckUTF8(line)
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := each(n, line, err); err != nil {
			return err
		}
	}
}

var errLong = errors.New("a long line")

// readLine reads a line without keeping more than most bytes of it.
func readLine(in *bufio.Reader, most int) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (err != io.EOF || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLong
		}
		return line, nil
	}
}

// List calls each with the number, from 1, and the text of every element of a JSON list, as
// [Lines] does. It holds the whole list, which may have most bytes.
func List(r io.Reader, most int64, each func(n int, text []byte, err error) error) error {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	if int64(len(text)) > most {
		return fmt.Errorf("the JSON list has more than %d bytes: write its elements as JSON lines, an object each", most)
	}
	n, fault := 0, error(nil)
	valid := strictjson.Elements(text, func(value []byte) bool {
		n++
		fault = each(n, value, nil)
		return fault == nil
	})
	if fault == nil && !valid {
		var list []any
		if fault = strictjson.Unmarshal(text, &list); fault == nil {
			fault = errors.New("it is nested too deep")
		}
		return fmt.Errorf("after element %d of the JSON list: %w", n, fault)
	}
	return fault
}
