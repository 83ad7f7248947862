package rows

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Parquet calls each with the number, from 1, and the fields of every row of a Parquet file,
// until each returns an error, which Parquet returns. Columns without a value are nil.
func Parquet(r *io.SectionReader, each func(n int, fields map[string]any) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil { // the library panics on some damaged files
			err = fmt.Errorf("damaged Parquet file: %v", fault)
		}
	}()
	f, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return fmt.Errorf("not a Parquet file: %w", err)
	}
	rows := parquet.NewReader(f)
	defer rows.Close()
	leaves := leavesOf(f.Schema())
	one := make([]parquet.Row, 1)
	for n := 1; ; n++ {
		read, err := rows.ReadRows(one)
		if read == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if read == 0 && err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		fields := map[string]any{}
		if err := checkValues(leaves, one[0]); err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		if err := f.Schema().Reconstruct(&fields, one[0]); err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		if err := each(n, fields); err != nil {
			return err
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
