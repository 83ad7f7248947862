package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// MaxLine is the greatest length of a line, in bytes.
const MaxLine = 64 << 20

// A FailedError says that some lines have no answer.
type FailedError struct {
	Lines int   // number of failed lines
	First error // error of the first, with its line number
}

// Error names the first failure.
func (e *FailedError) Error() string {
	if e.Lines == 1 {
		return e.First.Error()
	}
	return fmt.Sprintf("%d lines failed; the first failure: %v", e.Lines, e.First)
}

// Unwrap returns the first failure.
func (e *FailedError) Unwrap() error { return e.First }

// Answer writes one line to out for each line of in, in order. It calls work once per
// core, and calls the returned function from one goroutine only. That function appends the
// answer to line to dst, without a line end, and must not retain either. If it returns an
// error, Answer drops its bytes. Blank lines have no answer. A byte order mark before the first line
// does not count; a line that is not UTF-8 fails.
//
// The answer to a failing line is {"error": "line 3: …"}. Answer goes on with the other
// lines, and at the end returns a [*FailedError]. It stops with an error at a line longer
// than [MaxLine], at an error of in or out, and when ctx ends. It may then return during a
// Read of in.
func Answer(ctx context.Context, in io.Reader, out io.Writer, work func() func(dst, line []byte) ([]byte, error)) error {
	return answer(ctx, &reader{in: in, maxLine: MaxLine}, out, work)
}

// answer is Answer for a reader with its own limit.
func answer(ctx context.Context, in *reader, out io.Writer, work func() func(dst, line []byte) ([]byte, error)) error {
	var failed FailedError
	p := pipeline{out: out, source: in.read, reads: true}
	p.worker = func() func(*batch) {
		do := work()
		return func(b *batch) { b.answer(do) }
	}
	p.after = func(b *batch) error {
		if failed.Lines += b.failed; failed.First == nil {
			failed.First = b.err
		}
		return nil
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	if failed.Lines > 0 {
		return &failed
	}
	return nil
}

func (b *batch) answer(work func(dst, line []byte) ([]byte, error)) {
	n := b.first
	for line := range bytes.Lines(b.in) {
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		if line = bytes.TrimRight(line, "\n\r "); len(line) > 0 {
			out, err := b.out, CheckUTF8(line)
			if err == nil {
				out, err = work(b.out, line)
			}
			if err != nil {
				b.fail(fmt.Errorf("line %d: %w", n, err))
			} else {
				b.out = out
				b.out = append(b.out, '\n')
			}
		}
		n++
	}
}

// fail answers a line with its error.
func (b *batch) fail(err error) {
	if b.failed++; b.failed == 1 {
		b.err = err
	}
	text, _ := json.Marshal(map[string]string{"error": err.Error()}) // encoding/json takes any text
	b.out = append(append(b.out, text...), '\n')
}

// A reader splits its input into batches of lines.
type reader struct {
	in      io.Reader
	maxLine int // greatest length of a line, in bytes
	lines   int // sent so far
}

// read sends all complete lines before it reads again. At the end of the input, it also
// sends the text after the last line end.
func (r *reader) read(send func(fill func(*batch)) bool) error {
	buffer := make([]byte, 0, minBuffer)
	for {
		n, err := r.in.Read(buffer[len(buffer):cap(buffer)])
		read := buffer[:len(buffer)+n]
		whole := bytes.LastIndexByte(read[len(buffer):], '\n') + 1
		if whole > 0 {
			whole += len(buffer)
		}
		if errors.Is(err, io.EOF) {
			whole = len(read)
		}
		if more, err := r.cut(read[:whole], send); !more {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading line %d: %w", r.lines+1, err)
		case len(read)-whole > r.maxLine:
			return r.tooLong()
		}
		buffer = withRoom(buffer, read[whole:])
	}
}

// minBuffer is the smallest buffer of a read, in bytes.
const minBuffer = 64 << 10

// withRoom returns a buffer that begins with rest and has room after it. rest may be a
// part of buffer.
func withRoom(buffer, rest []byte) []byte {
	size := cap(buffer)
	switch {
	case len(rest) == size:
		size *= 2
	case size > maxKept && len(rest) < minBuffer:
		size = minBuffer
	default:
		return append(buffer[:0], rest...)
	}
	return append(make([]byte, 0, size), rest...)
}

// tooLong returns the error for the next line.
func (r *reader) tooLong() error {
	return fmt.Errorf("reading line %d: it is longer than %d bytes", r.lines+1, r.maxLine)
}

// cut sends lines in batches small enough to occupy all cores. more is false if the
// receiver wants no more.
func (r *reader) cut(text []byte, send func(fill func(*batch)) bool) (more bool, err error) {
	const most = 16 << 10 // bytes of a batch, unless one line is longer
	size := min(most, r.maxLine, len(text)/runtime.GOMAXPROCS(0)+1)
	for len(text) > 0 {
		n := len(text)
		if size < n {
			if at := bytes.IndexByte(text[size-1:], '\n'); at >= 0 {
				n = size + at
			}
		}
		last := text[bytes.LastIndexByte(text[:n-1], '\n')+1 : n]
		if len(bytes.TrimSuffix(last, []byte("\n"))) > r.maxLine {
			r.send(text[:n-len(last)], send)
			return false, r.tooLong()
		}
		if !r.send(text[:n], send) {
			return false, nil
		}
		text = text[n:]
	}
	return true, nil
}

// send sends the lines of text as a batch.
func (r *reader) send(text []byte, send func(fill func(*batch)) bool) bool {
	first := r.lines + 1
	r.lines += bytes.Count(text, []byte("\n"))
	return send(func(b *batch) { b.first, b.in = first, append(b.in, text...) })
}
