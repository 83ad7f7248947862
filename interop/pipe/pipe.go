// Package pipe serves JSON lines over pipes: an [Export] writes the problems of a task, a
// [Grader] grades answers to them, both in one of [Formats]; [VerifyMath] compares
// mathematical answers, [Encode] and [Decode] convert text and tokens, and [Render] renders
// chat templates. A [Server] answers requests of all kinds.
package pipe

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

// A Format is a form of the lines.
type Format struct {
	Name string

	writer func() writer
	reader func() reader

	// entry reads the entry and the answer of a line, for the scores of reasoning-gym; nil:
	// lines have problems.
	entry func(line []byte) (reasoninggym.Entry, *string, error)
}

// A writer appends a problem of t to a line. It is for one goroutine.
type writer func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error)

// A reader returns the problem and the answer of a line; nil: no answer. It is for one
// goroutine. The problem is valid until the next call.
type reader func(line []byte) (p quintain.Problem, answer *string, err error)

// Formats lists the formats. In Quintain's own, a problem is a [quintain.Problem], and a
// line to grade is {"problem": …, "answer": …}. In reasoning-gym's, a problem is a
// [reasoninggym.Entry], and a line to grade is {"entry": …, "answer": …}. A null answer
// means none.
var Formats = []Format{
	{"quintain", newProblemWriter, newProblemReader, nil},
	{"reasoning-gym", newEntryWriter, newEntryReader, readEntry},
}

// FormatOf returns the named format.
func FormatOf(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("format is %q, want quintain or reasoning-gym", name)
}

// newProblemWriter returns the writer of Quintain's own format.
func newProblemWriter() writer {
	var w problemWriter
	return func(line []byte, _ quintain.Task, p quintain.Problem) ([]byte, error) { return w.append(line, p) }
}

// newEntryWriter returns the writer of reasoning-gym's entries, with the answers.
func newEntryWriter() writer {
	var w reasoninggym.Writer
	return func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error) {
		solution, err := t.Solve(p)
		if err != nil {
			return nil, err
		}
		return w.Append(line, p, solution)
	}
}
