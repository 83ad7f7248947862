package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// maxLine is the longest allowed line of a file, in bytes.
const maxLine = 4 << 20

// Open reads a file: Parquet if its name ends with .parquet, else JSON lines. The name of the
// task is that of the file. A row that cannot be used is one of the set's faults; if that is
// true of all, it is an error, as is a file that cannot be read.
func Open(path string, columns Columns, verify Verify) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if strings.EqualFold(filepath.Ext(base), ".parquet") {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		return ReadParquet(io.NewSectionReader(f, 0, info.Size()), name, columns, verify)
	}
	return ReadLines(f, name, columns, verify)
}

// ReadLines reads JSON lines, an object each, as [Open] does. Blank lines do not count as
// rows, but have numbers.
func ReadLines(r io.Reader, name string, columns Columns, verify Verify) (*Set, error) {
	b := newBuilder(columns, verify)
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return b.set(name)
		}
		var fields map[string]any
		switch {
		case errors.Is(err, errLong):
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		default:
			dec := jsonform.NewDecoder(line)
			dec.UseNumber()
			if err = dec.Decode(&fields); err == nil && dec.More() {
				err = errors.New("there is more than one value")
			}
		}
		b.add(n, fields, err)
	}
}

var errLong = fmt.Errorf("it has more than %d bytes", maxLine)

// readLine reads a line without its end. Of one that is too long nothing is kept.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (err != io.EOF || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLong
		}
		return line, nil
	}
}

// ReadParquet reads a Parquet file, as [Open] does.
func ReadParquet(r *io.SectionReader, name string, columns Columns, verify Verify) (s *Set, err error) {
	defer func() {
		if fault := recover(); fault != nil { // the library's, on a damaged file
			s, err = nil, fmt.Errorf("damaged Parquet file: %v", fault)
		}
	}()
	f, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return nil, fmt.Errorf("no Parquet file: %w", err)
	}
	b := newBuilder(columns, verify)
	rows := parquet.NewReader(f)
	defer rows.Close()
	leaves := leavesOf(f.Schema())
	one := make([]parquet.Row, 1)
	for n := 1; ; n++ {
		read, err := rows.ReadRows(one)
		if read == 0 && errors.Is(err, io.EOF) {
			return b.set(name)
		}
		if read == 0 && err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		fields := map[string]any{}
		if err := checkValues(leaves, one[0]); err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		if err := f.Schema().Reconstruct(&fields, one[0]); err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		b.add(n, fields, nil)
	}
}

// A leaf is a column of a Parquet file that has values.
type leaf struct {
	path []string
	kind parquet.Kind
}

func leavesOf(schema *parquet.Schema) (leaves []leaf) {
	for _, path := range schema.Columns() {
		column, _ := schema.Lookup(path...)
		leaves = append(leaves, leaf{path, column.Node.Type().Kind()})
	}
	return leaves
}

// checkValues reports a row that lacks a value of a column, or has one of another kind. Of a
// damaged file the library makes such rows, and fills the gaps with values of earlier files.
func checkValues(leaves []leaf, row parquet.Row) error {
	next := 0
	for _, v := range row {
		if v.Column() == next {
			next++
		}
		if v.Column() != next-1 || v.Column() >= len(leaves) {
			return fmt.Errorf("damaged Parquet file: a value of column %d comes after column %d of %d", v.Column()+1, next, len(leaves))
		}
		if of := leaves[v.Column()]; !v.IsNull() && of.kind != v.Kind() {
			return fmt.Errorf("damaged Parquet file: column %q has a value of type %s", of.path, v.Kind())
		}
	}
	if next < len(leaves) {
		return fmt.Errorf("damaged Parquet file: column %q has no value", leaves[next].path)
	}
	return nil
}

// A builder makes a set of rows.
type builder struct {
	Set
	columns Columns
	first   map[string]int // row of each ID
}

func newBuilder(columns Columns, verify Verify) *builder {
	return &builder{Set: Set{verify: verify}, columns: columns, first: map[string]int{}}
}

// add adds the n-th row, or a fault. Err is that of reading it.
func (b *builder) add(n int, fields map[string]any, err error) {
	var r row
	if err == nil {
		r, err = b.columns.row(fields, n)
	}
	if err == nil {
		err = b.check(r)
	}
	if err != nil {
		b.faults = append(b.faults, Fault{n, err})
		return
	}
	b.first[r.ID] = n
	b.rows = append(b.rows, r)
}

// check reports why a row cannot be used.
func (b *builder) check(r row) error {
	if at, twice := b.first[r.ID]; twice {
		return fmt.Errorf("id: %.80q is that of row %d", r.ID, at)
	}
	for _, gold := range r.Answers {
		v, err := b.verify(gold, gold)
		if err == nil && v.Score != 1 {
			err = fmt.Errorf("%.80q is not found equal to itself: %s", gold, v.Reason)
		}
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return nil
}

// nameOf is a name without the characters that a task's name does not have: _ stands for each run of them.
func nameOf(name string) string {
	var b strings.Builder
	within := false // a run
	for _, r := range name {
		good := r == '_' || r == '-' || unicode15.IsLetter(r) || unicode15.IsNumber(r)
		if good {
			b.WriteRune(r)
		} else if !within {
			b.WriteByte('_')
		}
		within = !good
	}
	return b.String()
}

// set returns the set, with the name and the hash of its content.
func (b *builder) set(name string) (*Set, error) {
	if len(b.rows) == 0 {
		if len(b.faults) == 0 {
			return nil, errors.New("there are no problems in the file")
		}
		return nil, fmt.Errorf("none of the %d problems can be used; %w", len(b.faults), b.faults[0])
	}
	if b.name = nameOf(name); b.name == "" {
		b.name = "file"
	}
	sum := sha256.New()
	if err := jsonform.WriteLine(sum, b.rows); err != nil {
		return nil, err
	}
	b.params = fmt.Appendf(nil, `{"sha256":"%x"}`, sum.Sum(nil))
	return &b.Set, nil
}
