package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// CSV calls each with the number, from 1, and the cells of every row below the first, which names
// the columns, until each returns an error, which CSV returns. A row with another number of cells, or
// with a quote out of place, has an error. A row of much more than most bytes ends the file.
func CSV(r io.Reader, most int, each func(n int, cells map[string]string, err error) error) error {
	bounded := &bounded{r: r, left: most, most: most}
	in := csv.NewReader(bufio.NewReader(bounded))
	in.ReuseRecord = true
	names, err := in.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the names of the columns: %w", err)
	}
	if names = slices.Clone(names); len(names) > 0 {
		names[0] = strings.TrimPrefix(names[0], jsonl.ByteOrderMark)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the column %.40q stands there twice", name)
		}
	}
	for n := 1; ; n++ {
		bounded.left = most
		values, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			err = inWords(wrong, len(values), len(names))
		} else if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		var cells map[string]string
		if err == nil {
			cells = make(map[string]string, len(names))
			for i, value := range values {
				cells[names[i]] = value
			}
		}
		if err := each(n, cells, err); err != nil {
			return err
		}
	}
}

// inWords returns a fault of a row that has a number of cells, below columns, for people.
func inWords(wrong *csv.ParseError, cells, columns int) error {
	if errors.Is(wrong, csv.ErrFieldCount) {
		return fmt.Errorf("line %d: there are %d cells, want %d, one for each column", wrong.StartLine, cells, columns)
	}
	return fmt.Errorf("line %d, byte %d: a quote is out of place: put quotes around the cell, and write the one within it twice", wrong.Line, wrong.Column)
}

// A bounded reader fails after left bytes, which whoever reads sets anew.
type bounded struct {
	r          io.Reader
	left, most int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has more than %d bytes", b.most)
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}
