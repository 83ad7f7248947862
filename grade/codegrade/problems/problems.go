// Package problems reads files of code problems with tests, in the forms of the field's data
// sets: JSON lines, a JSON list, CSV, or Parquet, with texts that Python pickled. Reading runs nothing;
// a [Check] runs the reference solutions in the sandbox, to find which rows can be used.
package problems

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A Problem is a row of a file. Its JSON is a form of row, too.
type Problem struct {
	ID         string          `json:"id"`
	Statement  string          `json:"statement"`
	Starter    string          `json:"starter,omitempty"` // code that a program begins with
	Difficulty string          `json:"difficulty,omitempty"`
	Tests      codegrade.Tests `json:"tests"`
	Solutions  []string        `json:"solutions,omitempty"` // programs of the data set, which may be wrong

	Form string            `json:"-"` // the name of the form of its row
	Also []codegrade.Tests `json:"-"` // if the row is ambiguous: what the tests may be instead, the likely ones first
}

// Settings say how rows are read.
type Settings struct {
	TimeFactor float64           // of the time limits of the rows, which are for compiled programs, unless the programs are; 0: 5
	Compare    codegrade.Compare // how outputs are compared; empty: as the data set does
}

// maxLine limits the bytes of a row.
const maxLine = 256 << 20

// Scan calls each with the number, from 1, and the problem of every row, in order, until each
// returns an error, which Scan returns. A row that cannot be used has an error in place of a
// problem, which names the column and the remedy. Numbers are those of lines, or of the rows
// of a CSV or Parquet file or the elements of a list.
func Scan(file *dataset.File, s Settings, each func(n int, p Problem, err error) error) error {
	scan := scanner{settings: s, each: each, first: map[string]int{}}
	return file.Each(maxLine, func(n int, fields map[string]any, err error) error {
		var plain row
		if err == nil {
			plain, err = plainFields(fields)
		}
		return scan.row(n, plain, err)
	})
}

// ReadRow reads the JSON of row n, as of a file. It may be without a statement.
func ReadRow(n int, text []byte, s Settings) (Problem, error) {
	fields, err := dataset.Object(text)
	if err != nil {
		return Problem{}, err
	}
	r := row(fields)
	if _, err := formOf(r); err != nil && r.has("test") && !r.has("content") {
		r["content"] = ""
	}
	return s.problem(n, r)
}

// A Fault is an unusable row.
type Fault struct {
	Row int
	Err error
}

// Error names the row and its fault.
func (f Fault) Error() string { return fmt.Sprintf("row %d: %v", f.Row, f.Err) }

// Unwrap returns the fault of the row.
func (f Fault) Unwrap() error { return f.Err }

// IsCode reports whether the first readable row of a file has the columns of a code problem.
func IsCode(file *dataset.File) (ok bool, err error) {
	found := errors.New("found")
	err = file.Each(maxLine, func(_ int, fields map[string]any, err error) error {
		if err == nil {
			_, unknown := formOf(fields)
			ok = unknown == nil
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		err = nil
	}
	return ok, err
}

// A scanner makes problems of rows.
type scanner struct {
	settings Settings
	each     func(n int, p Problem, err error) error
	first    map[string]int // row of each ID
}

// row hands on the problem or the fault of row n.
func (s *scanner) row(n int, r row, err error) error {
	if err != nil {
		return s.each(n, Problem{}, err)
	}
	p, err := s.settings.problem(n, r)
	if err == nil && strings.TrimSpace(p.Statement) == "" {
		err = errors.New("the statement is empty: leave the row out")
	}
	if err != nil {
		return s.each(n, Problem{}, err)
	}
	if at, twice := s.first[p.ID]; twice {
		return s.each(n, Problem{}, fmt.Errorf("id: %.80q is already the ID of row %d", p.ID, at))
	}
	s.first[p.ID] = n
	return s.each(n, p, nil)
}

// problem reads row n.
func (s Settings) problem(n int, r row) (p Problem, err error) {
	of, err := formOf(r)
	if err != nil {
		return p, err
	}
	p.Form = of.name
	if p.ID, err = r.id(n); err != nil {
		return p, err
	}
	readings, err := of.read(r, &p)
	if err != nil {
		return p, err
	}
	for i := range readings {
		if err := s.finish(of, r, &readings[i]); err != nil {
			return p, err
		}
	}
	p.Tests, p.Also = readings[0], readings[1:]
	return p, nil
}

// finish sets what the tests of all forms have.
func (s Settings) finish(of form, r row, t *codegrade.Tests) error {
	if t.Language == "" {
		t.Language = "python"
	}
	if t.Kind == codegrade.Stdin && t.Compare == "" {
		t.Compare = of.compare
	}
	if t.Kind == codegrade.Stdin && t.Compare != codegrade.Checker && s.Compare != "" {
		t.Compare = s.Compare
	}
	if err := s.limit(r, t); err != nil {
		return err
	}
	longest := 0
	for _, c := range t.Cases {
		longest = max(longest, len(c.Output))
	}
	if most := t.Limits.Filled().Output; int64(longest) > most/2 { // a program may print more than is right, and is then wrong
		t.Limits.Output = most + 2*int64(longest)
	}
	if err := t.Check(); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	return nil
}
