// Package problems reads files of code problems with tests, in the forms of the field's data
// sets: JSON lines, a JSON list, CSV, or Parquet. It runs nothing.
package problems

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/codegrade"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/rows"
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

// What bounds a file.
const (
	maxLine = 256 << 20 // bytes of a row
	maxList = 1 << 30   // bytes of a file that is a JSON list
)

// Scan calls each with the number, from 1, and the problem of every row, in order, until each
// returns an error, which Scan returns. A row that cannot be used has an error in place of a
// problem, which names the column and the remedy. Numbers are those of lines, or of the rows
// of a CSV or Parquet file or the elements of a list.
func Scan(path string, s Settings, each func(n int, p Problem, err error) error) error {
	scan := scanner{settings: s, each: each, first: map[string]int{}}
	return read(path, scan.row)
}

// Read returns all problems of a file, and the faults of the other rows.
func Read(path string, s Settings) (all []Problem, faults []Fault, err error) {
	err = Scan(path, s, func(n int, p Problem, err error) error {
		if err != nil {
			faults = append(faults, Fault{n, err})
		} else {
			all = append(all, p)
		}
		return nil
	})
	return all, faults, err
}

// ReadRow reads the JSON of row n, as of a file. It may be without a statement.
func ReadRow(n int, text []byte, s Settings) (Problem, error) {
	r, err := object(text)
	if err != nil {
		return Problem{}, err
	}
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
func IsCode(path string) (is bool, err error) {
	found := errors.New("found")
	err = read(path, func(_ int, r row, err error) error {
		if err == nil {
			_, unknown := formOf(r)
			is = unknown == nil
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		err = nil
	}
	return is, err
}

// read calls each with the number and the columns of every row of a file.
func read(path string, each func(n int, r row, err error) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return rows.Parquet(io.NewSectionReader(f, 0, info.Size()), func(n int, fields map[string]any) error {
			plain, err := plainFields(fields)
			return each(n, plain, err)
		})
	}
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return rows.CSV(f, maxLine, func(n int, cells map[string]string, err error) error {
			if err != nil {
				return each(n, nil, err)
			}
			fields := make(map[string]any, len(cells))
			for name, cell := range cells {
				fields[name] = cell
			}
			plain, err := plainFields(fields)
			return each(n, plain, err)
		})
	}
	return readText(f, each)
}

// readText reads rows from JSON lines or a JSON list.
func readText(r io.Reader, each func(n int, r row, err error) error) error {
	in := bufio.NewReader(r)
	text := func(n int, text []byte, err error) error {
		var fields row
		if err == nil {
			fields, err = object(text)
		}
		return each(n, fields, err)
	}
	if err := packedAs(in); err != nil {
		return err
	}
	if beginsList(in) {
		return rows.List(in, maxList, text)
	}
	return rows.Lines(in, maxLine, text)
}

// packedAs returns an error for a file of another format.
func packedAs(in *bufio.Reader) error {
	for _, format := range []struct{ start, says string }{
		{"PAR1", "the file is Parquet: give it a name that ends with .parquet"},
		{"\x1f\x8b", "the file is packed by gzip: unpack it first"},
		{"\x28\xb5\x2f\xfd", "the file is packed by zstd: unpack it first"},
		{"PK\x03\x04", "the file is packed by zip: unpack it first"},
		{"version https://git-lfs", "the file is a pointer of Git LFS: fetch its content, with git lfs pull"},
	} {
		if start, err := in.Peek(len(format.start)); err == nil && string(start) == format.start {
			return errors.New(format.says)
		}
	}
	return nil
}

// beginsList reports whether the first character that is not white space is a bracket.
func beginsList(in *bufio.Reader) bool {
	for size := 1; size <= 1024; size++ {
		start, err := in.Peek(size)
		if err != nil {
			return false
		}
		if c := start[size-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c == '['
		}
	}
	return false
}

// deepest limits values within each other.
const deepest = 200

// object reads the columns of a row.
func object(text []byte) (row, error) {
	if fault := jsonform.Strict(bytes.TrimSpace(text), deepest); fault != nil {
		return nil, unreadable(fault)
	}
	fields, err := rows.Object(text)
	return fields, jsonform.Explain(err)
}

// unreadable says what to do about a text that is not strict JSON.
func unreadable(fault *jsonform.StrictError) error {
	switch {
	case strings.HasSuffix(fault.Why, "is not UTF-8"):
		return fmt.Errorf("%w: write the file anew as UTF-8", fault)
	case strings.HasSuffix(fault.Why, "half a surrogate pair"):
		return fmt.Errorf("%w, which is no character: leave the row out", fault)
	}
	return fault
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
