package problems

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A Judge runs a program under tests. Its error is a fault of the machine, and says nothing of
// the program; or it wraps [codegrade.ErrTests]. Several goroutines call it.
type Judge func(ctx context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error)

// A Check runs the programs of a file of code problems.
type Check struct {
	Judge    Judge
	Settings Settings
	Workers  int // rows that are judged at the same time; 0: 1
	Most     int // solutions of a row that are run, the first ones; 0: all
}

// A CheckRow is what a check found out about a row.
type CheckRow struct {
	N       int
	Problem Problem // with the reading and the solutions that hold
	Fault   error   // why the row cannot be used
	Lost    error   // why it could not be judged: a fault of the machine
	Failed  int     // solutions that fail, of a row that can be used
	Judged  bool    // a solution passes, or a program that knows the public tests
}

// Run calls each with every row of a file, in order.
func (c Check) Run(ctx context.Context, file *dataset.File, each func(CheckRow) error) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan CheckRow, max(1, c.Workers)-1)
	var work sync.WaitGroup
	var scanned error
	work.Go(func() {
		defer close(queue)
		scanned = Scan(file, c.Settings, func(n int, p Problem, fault error) error {
			if err := within.Err(); err != nil {
				return err
			}
			done := make(chan CheckRow, 1)
			select {
			case queue <- done:
			case <-within.Done():
				return within.Err()
			}
			if fault != nil {
				done <- CheckRow{N: n, Fault: fault}
			} else {
				work.Go(func() { done <- c.row(within, n, p) })
			}
			return nil
		})
	})
	err := inOrder(ctx, queue, each, cancel)
	work.Wait()
	if err != nil {
		return err
	}
	return scanned
}

// mostLost limits rows in a row that cannot be judged.
const mostLost = 5

// inOrder calls each with all rows. After an error it calls stop, and waits for the rows under
// way.
func inOrder(ctx context.Context, queue <-chan chan CheckRow, each func(CheckRow) error, stop func()) (failed error) {
	lost := 0
	for done := range queue {
		row := <-done
		if failed != nil {
			continue
		}
		if failed = ctx.Err(); failed != nil {
			continue
		}
		if lost++; row.Lost == nil {
			lost = 0
		}
		if failed = each(row); failed == nil && lost == mostLost {
			failed = fmt.Errorf("row %d: %w; nor could the %d rows before it be judged", row.N, row.Lost, lost-1)
		}
		if failed != nil {
			stop()
		}
	}
	return failed
}

// row judges a problem by its solutions, or, if it has none, by its public tests.
func (c Check) row(ctx context.Context, n int, p Problem) CheckRow {
	if c.Most > 0 {
		p.Solutions = p.Solutions[:min(c.Most, len(p.Solutions))]
	}
	row := CheckRow{N: n, Problem: p}
	if len(p.Solutions) == 0 {
		return c.known(ctx, row)
	}
	var first string // why the first solution fails
	for _, tests := range append([]codegrade.Tests{p.Tests}, p.Also...) {
		passing, why, err := c.passing(ctx, tests, p.Solutions)
		if err != nil {
			return blamed(row, err)
		}
		if len(passing) > 0 {
			row.Failed, row.Judged = len(p.Solutions)-len(passing), true
			row.Problem.Tests, row.Problem.Solutions = tests, passing
			return row
		}
		if first == "" {
			first = why
		}
	}
	row.Fault = fmt.Errorf("solutions: none of the %d passes its tests; the first has %s: leave the row out, or correct it", len(p.Solutions), first)
	return row
}

// passing returns the solutions that pass, and why the first one that fails does.
func (c Check) passing(ctx context.Context, tests codegrade.Tests, solutions []string) (passing []string, why string, err error) {
	for _, solution := range solutions {
		v, err := c.Judge(ctx, tests, solution)
		if err != nil {
			return nil, "", err
		}
		if v.Reason == "" && v.Score == 1 {
			passing = append(passing, solution)
		} else if why == "" {
			why = reason(v)
		}
	}
	return passing, why, nil
}

// reason says why a program fails.
func reason(v codegrade.Verdict) string {
	for _, o := range v.Outcomes {
		if o.Reason == "" {
			continue
		}
		text := fmt.Sprintf("%s at test %d of %d", o.Reason, o.Case+1, v.Total)
		if said := strings.TrimSpace(o.Error); said != "" {
			text += fmt.Sprintf(" (%.120q)", said[strings.LastIndex(said, "\n")+1:])
		}
		return text
	}
	return string(v.Reason)
}

// blamed says whose fault an error of a judge is.
func blamed(row CheckRow, err error) CheckRow {
	if errors.Is(err, codegrade.ErrTests) {
		row.Fault = err
	} else {
		row.Lost = err
	}
	return row
}

// known judges a program that knows the public tests: each expected output must equal itself.
func (c Check) known(ctx context.Context, row CheckRow) CheckRow {
	tests, program := knowing(row.Problem.Tests)
	if program == "" {
		return row
	}
	v, err := c.Judge(ctx, tests, program)
	if err != nil {
		return blamed(row, err)
	}
	if row.Judged = v.Reason == "" && v.Score == 1; !row.Judged {
		row.Fault = fmt.Errorf("tests: a program that prints the expected outputs of the %d public tests fails with %s: correct the tests, or leave the row out", len(tests.Cases), reason(v))
	}
	return row
}
