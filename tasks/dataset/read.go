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

// maxLine limits a line of a file, in bytes.
const maxLine = 4 << 20

// Open reads a file: Parquet if its name ends with .parquet, else JSON lines. The task is
// named after the file. An unusable row becomes one of the set's faults. An unreadable
// file, or one without a usable row, is an error.
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

// ReadLines reads JSON lines, one object each, as [Open] does. Blank lines are skipped but
// numbered.
func ReadLines(r io.Reader, name string, columns Columns, verify Verify) (*Set, error) {
	b := newBuilder(columns, verify)
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return b.set(name)
		}
		if errors.Is(err, errLong) {
			b.fault(n, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := b.addLine(n, line); err != nil {
			b.fault(n, err)
		}
	}
}

// addLine adds the row in line n.
func (b *builder) addLine(n int, line []byte) error {
	var fields map[string]any
	dec := jsonform.NewDecoder(line)
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("there is more than one value")
	}
	return b.add(n, fields)
}

var errLong = fmt.Errorf("it has more than %d bytes", maxLine)

// readLine reads a line without its end. It keeps nothing of an overlong line.
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
		if fault := recover(); fault != nil { // the library panics on some damaged files
			s, err = nil, fmt.Errorf("damaged Parquet file: %v", fault)
		}
	}()
	f, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
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
		if err := b.add(n, fields); err != nil {
			b.fault(n, err)
		}
	}
}

// A leaf is a column of a Parquet file with values of its own.
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

// checkValues reports a row with a missing value, or one of the wrong type. From a damaged
// file the library makes such rows, and fills the gaps with values of earlier files.
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

// A builder makes a set from rows.
type builder struct {
	Set
	columns Columns
	first   map[string]int // row of each ID
}

func newBuilder(columns Columns, verify Verify) *builder {
	return &builder{Set: Set{verify: verify}, columns: columns, first: map[string]int{}}
}

// fault records that row n is unusable.
func (b *builder) fault(n int, err error) { b.faults = append(b.faults, Fault{n, err}) }

// add adds row n. The error says why it is unusable.
func (b *builder) add(n int, fields map[string]any) error {
	r, err := b.columns.row(fields, n)
	if err != nil {
		return err
	}
	if err := b.check(r); err != nil {
		return err
	}
	b.first[r.ID] = n
	b.rows = append(b.rows, r)
	return nil
}

// check returns the reason why a row is unusable.
func (b *builder) check(r row) error {
	if at, twice := b.first[r.ID]; twice {
		return fmt.Errorf("id: %.80q is already the ID of row %d", r.ID, at)
	}
	for _, gold := range r.Answers {
		v, err := b.verify(gold, gold)
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if v.Score != 1 {
			return fmt.Errorf("answer: %.80q does not equal itself: %s", gold, v.Reason)
		}
	}
	return nil
}

// nameOf returns a name with _ for each run of characters that names of tasks do not allow.
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

// set returns the set, named, with the hash of its content.
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
