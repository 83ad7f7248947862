package jsonl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
)

// numbers makes lines of their own numbers.
func numbers() func(dst []byte, n int) ([]byte, error) {
	return func(dst []byte, n int) ([]byte, error) { return fmt.Appendf(dst, "line %d", n), nil }
}

func TestMakeKeepsTheOrder(t *testing.T) {
	var want strings.Builder
	for _, count := range []int{0, 1, 3, 50_000} {
		want.Reset()
		for n := range count {
			fmt.Fprintf(&want, "line %d\n", n)
		}
		var out strings.Builder
		if err := Make(t.Context(), &out, count, numbers); err != nil || out.String() != want.String() {
			t.Errorf("%d lines: %d bytes, error %v; want %d others", count, out.Len(), err, want.Len())
		}
	}
}

func TestMakeEndsWithTheFirstLineThatCannotBeMade(t *testing.T) {
	broken := errors.New("broken")
	var out strings.Builder
	err := Make(t.Context(), &out, math.MaxInt, func() func([]byte, int) ([]byte, error) {
		return func(dst []byte, n int) ([]byte, error) {
			if n >= 100 {
				return nil, fmt.Errorf("line %d: %w", n, broken)
			}
			return append(dst, 'x'), nil
		}
	})
	if !errors.Is(err, broken) || err.Error() != "line 100: broken" || out.String() != strings.Repeat("x\n", 100) {
		t.Errorf("%d bytes, error %v", out.Len(), err)
	}
}

func TestMakeEndsWithItsContextAndItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			end  func(*io.PipeReader, context.CancelFunc)
			want error
		}{
			{func(r *io.PipeReader, _ context.CancelFunc) { r.Close() }, io.ErrClosedPipe},
			{func(r *io.PipeReader, cancel context.CancelFunc) { cancel(); go io.Copy(io.Discard, r) }, context.Canceled},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			r, w := io.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- Make(ctx, w, math.MaxInt, numbers) }()
			if line, err := bufio.NewReader(r).ReadString('\n'); line != "line 0\n" {
				t.Errorf("read %q, error %v", line, err)
			}
			test.end(r, cancel)
			if err := <-ended; !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			w.Close()
			cancel()
		}
	})
}

// Make writes a line while the next is still in work.
func TestMakeDoesNotHoldLinesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		open := make(chan bool)
		ended := make(chan error, 1)
		go func() {
			ended <- Make(t.Context(), w, 2, func() func([]byte, int) ([]byte, error) {
				return func(dst []byte, n int) ([]byte, error) {
					if n == 1 {
						<-open
					}
					return fmt.Append(dst, n), nil
				}
			})
			w.Close()
		}()
		lines := bufio.NewScanner(r)
		for n := range 2 {
			if !lines.Scan() || lines.Text() != fmt.Sprint(n) {
				t.Errorf("read %q, error %v; want %d", lines.Text(), lines.Err(), n)
			}
			if n == 0 {
				close(open)
			}
		}
		if err := <-ended; err != nil || lines.Scan() {
			t.Errorf("error %v, and then %q", err, lines.Text())
		}
	})
}
