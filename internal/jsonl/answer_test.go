package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shout answers a line with the line in upper case, and fails if it has a question mark.
func shout() func(dst, line []byte) ([]byte, error) {
	return func(dst, line []byte) ([]byte, error) {
		dst = append(dst, "half an "...)
		if bytes.ContainsRune(line, '?') {
			return nil, fmt.Errorf("%q asks", line)
		}
		return append(dst[:len(dst)-len("half an ")], bytes.ToUpper(line)...), nil
	}
}

func TestAnswer(t *testing.T) {
	long := strings.Repeat("x", 40)
	for _, test := range []struct{ why, in, out, fault string }{
		{"nothing", "", "", ""},
		{"a line", "a\n", "A\n", ""},
		{"a last line without an end", "a\nb", "A\nB\n", ""},
		{"blank lines have no answer", "\n \na\n\r\n", "A\n", ""},
		{"space at the end of a line is removed", "a \r\n\tb\n", "A\n\tB\n", ""},
		{"a line that fails, by its number", "a\n\nb?\nc\n", "A\n{\"error\":\"line 3: \\\"b?\\\" asks\"}\nC\n", `line 3: "b?" asks`},
		{"several lines that fail", "?\na\n?", "{\"error\":\"line 1: \\\"?\\\" asks\"}\nA\n{\"error\":\"line 3: \\\"?\\\" asks\"}\n", `2 lines failed; the first failure: line 1: "?" asks`},
		{"a byte order mark", "\ufeffa\n\ufeff", "A\n\ufeff\n", ""},
		{"a line that is not UTF-8", "caf\xe9\nb", "{\"error\":\"line 1: byte 4, 0xe9, is not UTF-8: write the text anew as UTF-8\"}\nB\n", "line 1: byte 4, 0xe9, is not UTF-8: write the text anew as UTF-8"},
		{"the longest line", long + "\n" + long, strings.ToUpper(long + "\n" + long + "\n"), ""},
		{"a too long line", "a\nb?\n" + long + "x\nc\n", "A\n{\"error\":\"line 2: \\\"b?\\\" asks\"}\n", "reading line 3: it is longer than 40 bytes"},
		{"a too long line without an end", "a\n" + long + "x", "A\n", "reading line 2: it is longer than 40 bytes"},
	} {
		for _, in := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in)), iotest.DataErrReader(strings.NewReader(test.in))} {
			var out strings.Builder
			err := answer(t.Context(), &reader{in: in, maxLine: len(long)}, &out, shout)
			if out.String() != test.out {
				t.Errorf("%s: answered %q, want %q", test.why, out.String(), test.out)
			}
			if (err != nil || test.fault != "") && fmt.Sprint(err) != test.fault {
				t.Errorf("%s: error %v, want %s", test.why, err, test.fault)
			}
		}
	}
}

func TestAnswerReportsErrorsOfReadingAndWriting(t *testing.T) {
	broken := errors.New("broken")
	var out strings.Builder
	err := Answer(t.Context(), io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), &out, shout)
	if !errors.Is(err, broken) || err.Error() != "reading line 2: broken" || out.String() != "A\n" {
		t.Errorf("reading: answered %q, error %v", out.String(), err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Answer(t.Context(), strings.NewReader("a\n"), w, shout); !errors.Is(err, broken) {
		t.Errorf("writing: error %v", err)
	}
}

// All cores work, but the answers keep the order of the lines.
func TestAnswerKeepsTheOrder(t *testing.T) {
	var in, want strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&in, "line %d\n", i)
		fmt.Fprintf(&want, "LINE %d\n", i)
	}
	var out strings.Builder
	if err := Answer(t.Context(), strings.NewReader(in.String()), &out, shout); err != nil || out.String() != want.String() {
		t.Errorf("%d bytes, error %v; want %d others", out.Len(), err, want.Len())
	}
}

// The answer to a line comes before the next line is written.
func TestAnswerTalksLineByLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		questions, ask := io.Pipe()
		answers, tell := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- Answer(t.Context(), questions, tell, shout) }()
		for i := range 3 {
			fmt.Fprintf(ask, "line %d\nand ", i)
			got := make([]byte, 100)
			n, err := answers.Read(got)
			if err != nil || !strings.HasSuffix(string(got[:n]), fmt.Sprintf("LINE %d\n", i)) {
				t.Errorf("line %d: answered %q, error %v", i, got[:n], err)
			}
		}
		ask.CloseWithError(io.ErrUnexpectedEOF)
		if err := <-ended; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
	})
}

// It ends with its context, even while waiting for a line.
func TestAnswerEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		questions, ask := io.Pipe()
		defer ask.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		var out strings.Builder
		go func() { ended <- Answer(ctx, questions, &out, shout) }()
		io.WriteString(ask, "a\n")
		synctest.Wait()
		enough := errors.New("enough")
		cancel(enough)
		if err := <-ended; !errors.Is(err, enough) || out.String() != "A\n" {
			t.Errorf("answered %q, error %v", out.String(), err)
		}
	})
}

// An endless reader counts the bytes read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
		if (e.read+i)%10 < 9 {
			p[i] = 'x'
		}
	}
	e.read += len(p)
	return len(p), nil
}

// If nobody reads the answers, reading soon stops.
func TestAnswerIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := new(endless)
		r, w := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- Answer(t.Context(), in, w, shout) }()
		synctest.Wait()
		if in.read > 16<<20 {
			t.Errorf("%d bytes are read and not answered", in.read)
		}
		r.Close()
		if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	})
}

// sized is a reader of text; sizes are the lengths of its reads.
type sized struct{ text, sizes []byte }

func (s *sized) Read(p []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	n := len(p)
	if len(s.sizes) > 0 {
		n = min(n, int(s.sizes[0])+1)
		s.sizes = s.sizes[1:]
	}
	n = copy(p[:n], s.text)
	s.text = s.text[n:]
	return n, nil
}

// one answers lines one by one, like Answer on all cores.
func one(text string, maxLine int) (out string, fault bool) {
	work := shout()
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if len(strings.TrimSuffix(line, "\n")) > maxLine {
			return out, true
		}
		if line = strings.TrimRight(line, "\n\r "); line == "" {
			continue
		}
		answer, err := work(nil, []byte(line))
		if err != nil {
			b := batch{}
			b.fail(fmt.Errorf("line %d: %w", i+1, err))
			answer, fault = bytes.TrimSpace(b.out), true
		}
		out += string(answer) + "\n"
	}
	return out, fault
}

func FuzzAnswer(f *testing.F) {
	f.Add("a\nb?\n\n  \nc", []byte{0, 1, 2, 3})
	f.Add("a line that is longer than others are\nb\r\n", []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, text string, sizes []byte) {
		const maxLine = 32
		want, fault := one(text, maxLine)
		var out strings.Builder
		err := answer(t.Context(), &reader{in: &sized{[]byte(text), sizes}, maxLine: maxLine}, &out, shout)
		if out.String() != want || (err != nil) != fault {
			t.Errorf("%q is answered by %q, error %v; want %q, an error: %v", text, out.String(), err, want, fault)
		}
	})
}
