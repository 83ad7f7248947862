package dataset

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Unread is the value of a Parquet file that has no text of its own, such as a time, or a
// number that is not finite. It stands for its whole column.
type Unread struct {
	Column string // with the names within it: answers.list.element
	Type   string // the logical type, or another name of the value
}

// Error names the column, the type and the remedy.
func (u Unread) Error() string {
	return fmt.Sprintf("column %s holds %s, which is not read: write it as text in UTF-8", u.Column, u.Type)
}

// Parquet calls each with the number, from 1, and the fields of every row of a Parquet file,
// until each returns an error, which Parquet returns. Values have the types of JSON: integers
// and decimals are json.Number with all their digits, float32 and float64 stay what they are,
// dates are ISO texts. What has no value, and NaN outside lists, is nil. A column with
// a value of another logical type is [Unread].
func Parquet(r *io.SectionReader, each func(n int, fields map[string]any) error) (err error) {
	defer func() {
		if recover() != nil { // the library panics on some damaged files
			err = errors.New("damaged Parquet file: its columns do not fit together")
		}
	}()
	f, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return errors.New("not a Parquet file, or only a part of one: write it anew")
	}
	if f.NumRows() == 0 {
		return nil
	}
	rows := parquet.NewReader(f)
	defer rows.Close()
	root, leaves := schemaOf(f)
	one := make([]parquet.Row, 1)
	for n := 1; ; n++ {
		read, err := rows.ReadRows(one)
		if read == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if read == 0 && err != nil {
			return fmt.Errorf("row %d: damaged Parquet file: its values cannot be read", n)
		}
		columns, err := columnsOf(leaves, one[0])
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		if err := each(n, root.fields(columns)); err != nil {
			return err
		}
	}
}

// columnsOf returns the values of a row by column. It reports a row with a missing value, or one
// of the wrong type. From a damaged file the library makes such rows, and fills the gaps with
// values of earlier files.
func columnsOf(leaves []*node, row parquet.Row) ([][]parquet.Value, error) {
	columns := make([][]parquet.Value, len(leaves))
	next := 0
	for at, v := range row {
		if v.Column() == next {
			next++
		}
		if v.Column() != next-1 || v.Column() >= len(leaves) {
			return nil, fmt.Errorf("damaged Parquet file: a value of column %d comes after column %d of %d", v.Column()+1, next, len(leaves))
		}
		of := leaves[v.Column()]
		if !v.IsNull() && of.kind != v.Kind() {
			return nil, fmt.Errorf("damaged Parquet file: column %s has a value of type %s", of.path, v.Kind())
		}
		begin := at - len(columns[next-1])
		columns[next-1] = row[begin : at+1]
	}
	if next < len(leaves) {
		return nil, fmt.Errorf("damaged Parquet file: column %s has no value", leaves[next].path)
	}
	return columns, nil
}

// fields returns the columns of a row.
func (n *node) fields(columns [][]parquet.Value) map[string]any {
	fields := n.object(columns)
	for name, v := range fields {
		if u, ok := unreadIn(v); ok {
			fields[name] = u
		}
	}
	return fields
}

// unreadIn returns the first value without a text within v.
func unreadIn(v any) (Unread, bool) {
	switch v := v.(type) {
	case Unread:
		return v, true
	case []any:
		for _, one := range v {
			if u, ok := unreadIn(one); ok {
				return u, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if u, ok := unreadIn(v[name]); ok {
				return u, true
			}
		}
	}
	return Unread{}, false
}

// value returns what the values of the node's columns stand for.
func (n *node) value(columns [][]parquet.Value) any {
	switch {
	case len(columns) == 0:
		return n.object(nil)
	case columns[0][0].DefinitionLevel() < n.definition && n.repeated:
		return []any{}
	case columns[0][0].DefinitionLevel() < n.definition:
		return nil
	case !n.repeated:
		return n.single(columns)
	}
	list := []any{}
	for len(columns[0]) > 0 {
		element := slices.Clone(columns)
		for i, column := range columns {
			end := 1
			for end < len(column) && column[end].RepetitionLevel() > n.repetition {
				end++
			}
			element[i], columns[i] = column[:end], column[end:]
		}
		list = append(list, n.single(element))
	}
	return list
}

// single returns the value of a node, or of an element of a repeated one.
func (n *node) single(columns [][]parquet.Value) any {
	switch n.shape {
	case leafShape:
		return n.read(columns[0][0])
	case wrapShape:
		return n.children[0].value(columns)
	case mapShape:
		return n.mapping(n.children[0].value(columns))
	}
	return n.object(columns)
}

// object returns the values of the node's children, by name.
func (n *node) object(columns [][]parquet.Value) map[string]any {
	fields := make(map[string]any, len(n.children))
	for _, child := range n.children {
		v := child.value(slices.Clone(columns[:child.leaves]))
		if u, ok := v.(Unread); ok && u.Type == notANumber { // as pandas writes for what is missing
			v = nil
		}
		fields[child.name], columns = v, columns[child.leaves:]
	}
	return fields
}

// mapping returns the object of a list of keys and values.
func (n *node) mapping(pairs any) any {
	key, value := n.children[0].children[0], n.children[0].children[1]
	object := map[string]any{}
	for _, pair := range pairs.([]any) {
		of := pair.(map[string]any)
		name, err := keyText(of[key.name])
		if err != nil {
			return Unread{key.path, "a key of a MAP that is no text, number or truth value"}
		}
		object[name] = of[value.name]
	}
	return object
}
