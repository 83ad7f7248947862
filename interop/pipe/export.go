package pipe

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/stats"
)

// An Export writes problems of one task, one per line.
type Export struct {
	Task   quintain.Task
	First  quintain.Draw // names the first problem; the others follow it in its stream
	Count  int           // number of lines
	Format Format

	// Distinct leaves out a problem that asks the same question as an earlier one, by
	// [quintain.KeyOf]. The next problem of the stream takes its place.
	Distinct bool

	// Only leaves out the problems of other keys, such as those of the other side of a split.
	// The next problem of the stream takes the place of one. nil: none is left out.
	Only func(quintain.Key) bool
}

// Write writes the lines to out, and returns how many problems Distinct left out. It makes
// lines on all cores, but chosen ones on one core. After an error of a problem, the lines
// before it are written; when ctx ends, only some are.
func (e Export) Write(ctx context.Context, out io.Writer) (left int, err error) {
	if e.Distinct || e.Only != nil {
		return e.writeChosen(ctx, out)
	}
	return 0, jsonl.Make(ctx, out, e.Count, func() func([]byte, int) ([]byte, error) {
		write := e.Format.writer()
		return func(line []byte, n int) ([]byte, error) {
			p, err := e.Task.Problem(e.draw(n))
			if err != nil {
				return line, err
			}
			return write(line, e.Task, p)
		}
	})
}

// draw names the n-th problem.
func (e Export) draw(n int) quintain.Draw {
	d := e.First
	d.Index += n
	return d
}

// writeChosen is Write for some of the problems.
func (e Export) writeChosen(ctx context.Context, out io.Writer) (left int, err error) {
	buffered := bufio.NewWriterSize(out, 64<<10)
	s := stream{export: e, seen: map[quintain.Key]bool{}}
	err = s.write(ctx, buffered)
	flushErr := buffered.Flush()
	if err != nil {
		return s.left, err
	}
	if flushErr != nil {
		return s.left, fmt.Errorf("writing: %w", flushErr)
	}
	return s.left, nil
}

// A stream returns the chosen problems of an export, one after the other.
type stream struct {
	export Export
	at     int                   // number of the next problem
	seen   map[quintain.Key]bool // keys of the problems so far
	left   int                   // known problems left out
}

// write writes the lines.
func (s *stream) write(ctx context.Context, out *bufio.Writer) error {
	write := s.export.Format.writer()
	var line []byte
	for range s.export.Count {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p, err := s.next()
		if err != nil {
			return err
		}
		if line, err = write(line[:0], s.export.Task, p); err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return nil
}

// rare is the share of draws that Only takes at least, one in so many, for the patience of a
// stream: a split holds out a tenth.
const rare = 10

// next returns the next problem. It gives up after patience others in a row: if one new
// problem existed, it would miss it once in 10⁸ times.
func (s *stream) next() (quintain.Problem, error) {
	t, only := s.export.Task, s.export.Only
	patience, others := max(1000, 20*len(s.seen)), "not new"
	if only != nil {
		patience, others = patience*rare, "not new, or left out"
	}
	for range patience {
		p, err := t.Problem(s.export.draw(s.at))
		s.at++
		if err != nil {
			return p, err
		}
		key, err := quintain.KeyOf(t, p)
		if err != nil {
			return p, err
		}
		switch {
		case only != nil && !only(key):
		case s.export.Distinct && s.seen[key]:
			s.left++
		default:
			s.seen[key] = true
			return p, nil
		}
	}
	return quintain.Problem{}, fmt.Errorf("task %s: the last %d problems were %s: with these settings there seem to be only %s", t.Info().Name, patience, others, stats.Count(len(s.seen), "different problem"))
}
