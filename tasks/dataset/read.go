package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/rng"
)

// maxLine limits a line of a file, in bytes.
const maxLine = 4 << 20

// Open reads a file. The task is named after it. An unusable row becomes one of the set's
// faults. An unreadable file, or one without a usable row, is an error.
func Open(file *File, columns Columns, verify Verify) (*Set, error) {
	b := &builder{Set: Set{verify: verify}, columns: columns, first: map[string]int{}}
	if err := file.Each(maxLine, b.add); err != nil {
		return nil, err
	}
	base := filepath.Base(file.Name)
	return b.set(strings.TrimSuffix(base, filepath.Ext(base)))
}

// A builder makes a set from rows.
type builder struct {
	Set
	columns Columns
	first   map[string]int // row of each ID
}

// add adds row n, or a fault if it is unusable, as one that cannot be read is.
func (b *builder) add(n int, fields map[string]any, unusable error) error {
	var r row
	if unusable == nil {
		r, unusable = b.columns.row(fields, n)
	}
	if unusable == nil {
		unusable = b.check(r)
	}
	if unusable != nil {
		b.faults = append(b.faults, Fault{n, unusable})
		return nil //nolint:nilerr // the other rows are usable
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
	if err := json.NewEncoder(sum).Encode(b.rows); err != nil {
		return nil, err
	}
	b.params = fmt.Appendf(nil, `{"sha256":"%x"}`, sum.Sum(nil))
	b.epochs = &rng.Epochs{Rows: len(b.rows), Path: []string{"dataset", hex.EncodeToString(b.params)}}
	return &b.Set, nil
}
