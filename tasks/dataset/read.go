package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/rows"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/rng"
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
	err := rows.Lines(r, maxLine, func(n int, line []byte, err error) error {
		var fields map[string]any
		if err == nil {
			fields, err = rows.Object(line)
		}
		b.add(n, fields, err)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.set(name)
}

// ReadParquet reads a Parquet file, as [Open] does.
func ReadParquet(r *io.SectionReader, name string, columns Columns, verify Verify) (*Set, error) {
	b := newBuilder(columns, verify)
	err := rows.Parquet(r, func(n int, fields map[string]any) error {
		b.add(n, fields, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.set(name)
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

// add adds row n, or a fault if it is unusable. Err is the fault of a row that cannot be read.
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
	b.epochs = &rng.Epochs{Rows: len(b.rows), Path: []string{"dataset", hex.EncodeToString(b.params)}}
	return &b.Set, nil
}
