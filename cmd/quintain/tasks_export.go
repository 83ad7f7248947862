package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

func newTasksExport(w *world) *cobra.Command {
	var d draft
	var format string
	var out exportOut
	c := &cobra.Command{
		Use:   "export",
		Short: "Print problems, a JSON object a line",
		Long: `Export prints problems of one task, a JSON object a line. A problem holds all that
grading needs, the solution included: do not show its instance to a model.

With --format reasoning-gym the lines are entries of the Python library of that
name: {"question", "answer", "metadata"}.

With --distinct, no problem comes twice: what an earlier line asked, in these or
other words, is left out and the next problem of the stream takes its place. Two
problems ask the same if their records are the same but for the wording, or as the
task itself defines it. How many were left out is told on standard error. Where the
task seems to have no further problem, what was found is printed, and the exit
status is 1.`,
		Example: `  quintain tasks export --task countdown --level 1 --count 1000 > countdown.jsonl
  quintain tasks export --task chain_sum --params '{"min_terms":3}' --format reasoning-gym`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			form, known := exporters[format]
			switch {
			case !known:
				return usagef("--format is %q, want quintain or reasoning-gym", format)
			case d.task == "":
				return usagef("--task is missing; quintain tasks list names them all")
			case out.count < 0:
				return usagef("--count is %d, want 0 or more", out.count)
			}
			t, err := d.open()
			if err != nil {
				return err
			}
			out.to, out.notes, out.form, out.interrupts = w.stdout, w.stderr, form, w.exportSignals()
			return out.export(t, d)
		},
	}
	c.Flags().StringVar(&d.task, "task", "", "name of the task")
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	c.Flags().IntVar(&out.count, "count", 1, "how many problems")
	c.Flags().BoolVar(&out.distinct, "distinct", false, "leave out problems that were there before in other words")
	d.flags(c)
	return c
}

// An exporter appends a problem to a line.
type exporter func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error)

// exporters are the forms of export.
var exporters = map[string]func() exporter{
	"quintain": func() exporter {
		return func(line []byte, _ quintain.Task, p quintain.Problem) ([]byte, error) {
			encoded, err := json.Marshal(p)
			return append(line, encoded...), err
		}
	},
	"reasoning-gym": func() exporter {
		var w reasoninggym.Writer
		return func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error) {
			solution, err := t.Solve(p)
			if err != nil {
				return nil, err
			}
			return w.Append(line, p, solution)
		}
	},
}

// An exportOut is what becomes of the problems.
type exportOut struct {
	to, notes  io.Writer
	form       func() exporter
	interrupts <-chan os.Signal
	count      int
	distinct   bool
}

// export prints problems of t from the first that d names on, one a line, until it is
// interrupted.
func (e exportOut) export(t quintain.Task, d draft) error {
	buffered := bufio.NewWriterSize(e.to, 1<<16)
	show := e.showAll
	if e.distinct {
		show = e.showDistinct
	}
	return cmp.Or(show(buffered, t, d), buffered.Flush())
}

// errExportCut ends an export before all is printed.
var errExportCut = errors.New("interrupted: not all problems were printed")

// interrupted reports whether somebody wants an end.
func (e exportOut) interrupted() bool {
	select {
	case <-e.interrupts:
		return true
	default:
		return false
	}
}

// showDistinct prints problems of which none was there before in other words.
func (e exportOut) showDistinct(to *bufio.Writer, t quintain.Task, d draft) error {
	problems := stream{task: t, draft: d, seen: map[quintain.Key]bool{}}
	add := e.form()
	var line []byte
	for range e.count {
		p, err := problems.next()
		if err != nil {
			return err
		}
		if line, err = add(line[:0], t, p); err != nil {
			return err
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return err
		}
		if e.interrupted() {
			return errExportCut
		}
	}
	fmt.Fprintf(e.notes, "quintain: %d problems left out that had been there before\n", problems.left)
	return nil
}

// showAll prints all problems. They are made on all cores, in rounds of a batch for
// each. The first rounds are short, and the later ones where a round takes long, so
// that who reads along does not wait.
func (e exportOut) showAll(to *bufio.Writer, t quintain.Task, d draft) error {
	const most, long = 512, 20 * time.Millisecond // problems of a batch; for a round
	batches := make([]exportBatch, runtime.GOMAXPROCS(0))
	for i := range batches {
		batches[i].add = e.form()
	}
	for done, size := 0, 1; done < e.count; {
		began := time.Now()
		var makers sync.WaitGroup
		for i := range batches {
			first := min(e.count, done+i*size)
			last := min(e.count, first+size)
			makers.Go(func() { batches[i].fill(t, d, first, last) })
		}
		makers.Wait()
		for _, b := range batches {
			if _, err := to.Write(b.lines); err != nil {
				return err
			}
			if b.err != nil {
				return b.err
			}
		}
		done += len(batches) * size
		if e.interrupted() {
			return errExportCut
		}
		if spent := time.Since(began); spent < long/2 {
			size = min(2*size, most)
		} else if spent > long {
			size = max(size/2, 1)
		}
	}
	return nil
}

// An exportBatch is the lines of some problems.
type exportBatch struct {
	add   exporter
	lines []byte
	err   error // of the problem behind the last line
}

// fill makes the problems from first to before last.
func (b *exportBatch) fill(t quintain.Task, d draft, first, last int) {
	b.lines, b.err = b.lines[:0], nil
	for n := first; n < last; n++ {
		p, err := t.Problem(d.draw(n))
		if err != nil {
			b.err = err
			return
		}
		lines, err := b.add(b.lines, t, p)
		if err != nil {
			b.err = err
			return
		}
		b.lines = lines
		b.lines = append(b.lines, '\n')
	}
}

// A stream hands out the problems of a task that are new, one after the other.
type stream struct {
	task  quintain.Task
	draft draft
	at    int                   // of the next problem
	seen  map[quintain.Key]bool // what was handed out
	left  int                   // problems that were left out
}

// next returns the next problem. It gives up where no new one is among so many that
// even a single one left of all would have been met, but for one time in 10⁸.
func (s *stream) next() (quintain.Problem, error) {
	patience := max(1000, 20*len(s.seen))
	for range patience {
		p, err := s.task.Problem(s.draft.draw(s.at))
		s.at++
		if err != nil {
			return p, err
		}
		key, err := quintain.KeyOf(s.task, p)
		if err != nil {
			return p, err
		}
		if !s.seen[key] {
			s.seen[key] = true
			return p, nil
		}
		s.left++
	}
	return quintain.Problem{}, fmt.Errorf("task %s: none of %d further problems is new: with these settings there seem to be %d different ones", s.draft.task, patience, len(s.seen))
}

// exportSignals returns the channel of the signals that end the program.
func (w *world) exportSignals() <-chan os.Signal {
	if w.interrupts == nil {
		return nil
	}
	signals, _ := w.interrupts()
	return signals
}
