package problems

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A Command checks a file for a person to see.
type Command struct {
	Judge   Judge            // nil: by the sandbox
	Sandbox backend.Settings // of programs
	Write   string           // a file to write the usable problems to; empty: none
	Out     io.Writer

	settings Settings
	workers  int
	most     int // solutions of a row
	counts   counts
	file     *os.File // nil: nothing is written
}

// counts are what a check counts.
type counts struct {
	used, unusable, lost, unjudged int // rows
	solutions, failed              int // of the used rows
}

// New returns a command that prints to a writer.
func New(out io.Writer) *Command { return &Command{Out: out, workers: runtime.NumCPU()} }

// Flags returns flags that set the command.
func (c *Command) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("dataset check", flag.ContinueOnError)
	f.StringVar(&c.Write, "write", "", "`file` for the code problems that can be used, as JSON lines with the solutions that pass")
	f.IntVar(&c.workers, "workers", c.workers, "rows that are judged at the same time")
	f.IntVar(&c.most, "solutions", 0, "solutions of a row that are run, the first ones; 0: all")
	f.Float64Var(&c.settings.TimeFactor, "time-factor", 5, "factor of the time limits of rows, which are for compiled programs, for programs in other languages than C and C++")
	f.StringVar((*string)(&c.settings.Compare), "compare", "", "how outputs are compared: exact, trim, lines, tokens or lcb; empty: as the data set does")
	c.Sandbox.AddTo(f)
	return f
}

// Workers returns how many rows are judged at the same time.
func (c *Command) Workers() int { return c.workers }

// Run checks a file, and prints each row that cannot be used and then the counts. It fails if
// no row can be used, or if some could not be judged.
func (c *Command) Run(ctx context.Context, path string) error {
	file, err := dataset.OpenRows(path)
	if err != nil {
		return err
	}
	defer file.Close()
	is, err := IsCode(file)
	if err != nil {
		return err
	}
	if !is {
		return c.answers(file)
	}
	if err := c.programs(ctx, file); err != nil {
		return err
	}
	if c.counts.lost > 0 {
		return fmt.Errorf("%s could not be judged: mend the machine, and check the file again", stats.Count(c.counts.lost, "row"))
	}
	if c.counts.used == 0 {
		return errors.New("there is no problem in the file that can be used")
	}
	return nil
}

// answers checks a file of problems with gold answers.
func (c *Command) answers(file *dataset.File) error {
	set, err := dataset.Open(file, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		return err
	}
	for _, fault := range set.Faults() {
		fmt.Fprintln(c.Out, fault)
	}
	c.counts = counts{used: set.Size(0), unusable: len(set.Faults())}
	c.sum(file.Name)
	return nil
}

// programs checks a file of code problems.
func (c *Command) programs(ctx context.Context, file *dataset.File) (err error) {
	judge := c.Judge
	if judge == nil {
		c.Sandbox.Python = codegrade.Python()
		box, err := backend.New(c.Sandbox)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, box.Close()) }()
		judge = (&codegrade.Grader{Sandbox: box, Jobs: c.workers}).Grade
	}
	if c.Write != "" {
		if c.file, err = os.CreateTemp(filepath.Dir(c.Write), ".checked-*"); err != nil {
			return err
		}
		defer func() { err = c.keep(err) }()
	}
	if err := (Check{judge, c.settings, c.workers, c.most}).Run(ctx, file, c.row); err != nil {
		return err
	}
	c.sum(file.Name)
	return nil
}

// keep gives the written file its name, unless there is an error.
func (c *Command) keep(err error) error {
	err = errors.Join(err, c.file.Close())
	if err == nil {
		err = os.Rename(c.file.Name(), c.Write)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(c.file.Name()))
	}
	return err
}

// row counts a row, and prints why it cannot be used.
func (c *Command) row(r CheckRow) error {
	switch {
	case r.Lost != nil:
		c.counts.lost++
		fmt.Fprintf(c.Out, "row %d: could not be judged: %v\n", r.N, r.Lost)
	case r.Fault != nil:
		c.counts.unusable++
		fmt.Fprintln(c.Out, Fault{Row: r.N, Err: r.Fault})
	default:
		return c.use(r)
	}
	return nil
}

// use counts a row that can be used, and writes its problem.
func (c *Command) use(r CheckRow) error {
	c.counts.used++
	c.counts.failed += r.Failed
	c.counts.solutions += len(r.Problem.Solutions) + r.Failed
	if !r.Judged {
		c.counts.unjudged++
	}
	if c.file == nil {
		return nil
	}
	return strictjson.WriteLegible(c.file, r.Problem)
}

// sum prints the counts.
func (c *Command) sum(path string) {
	n := c.counts
	fmt.Fprintf(c.Out, "%s: %s can be used, and %s cannot\n", path, stats.Count(n.used, "problem"), stats.Count(n.unusable, "row"))
	if n.failed > 0 {
		fmt.Fprintf(c.Out, "%d of the %d solutions of these problems fail\n", n.failed, n.solutions)
	}
	if n.unjudged > 0 {
		fmt.Fprintf(c.Out, "%d of these problems have no solution and no public test, so nothing was run for them\n", n.unjudged)
	}
}
