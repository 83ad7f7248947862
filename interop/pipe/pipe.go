// Package pipe answers JSON lines, as pipes do: an [Export] writes the problems of a
// task, a [Grader] grades answers to them, both in one of [Formats]; [VerifyMath] compares
// mathematical answers, [Encode] and [Decode] turn text into tokens and back, and [Render]
// renders chat templates.
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
}

// A writer appends a problem of t to a line. It is for one goroutine.
type writer func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error)

// A reader returns the problem and the answer of a line; nil: there is no answer. It is
// for one goroutine. The problem is valid until the next call.
type reader func(line []byte) (p quintain.Problem, answer *string, err error)

// Formats lists the formats. In Quintain's own, a problem is a [quintain.Problem], and a
// line to grade is {"problem": …, "answer": …}. In that of reasoning-gym, a problem is a
// [reasoninggym.Entry], and a line to grade is {"entry": …, "answer": …}. A null answer
// means that there is no answer.
var Formats = []Format{
	{"quintain", newProblemWriter, newProblemReader},
	{"reasoning-gym", newEntryWriter, newEntryReader},
}

// FormatOf returns the format of a name.
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
