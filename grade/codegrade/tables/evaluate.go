package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A filling is the rows of the tables of a schema. A value is nil, an int64 or a string. One
// goroutine uses it, as it finds rows by indexes that are made when they are needed.
type filling struct {
	schema
	rows [][][]any
	byID []map[int64][]any // by table
	link []map[int]index   // by table and column
}

// An index holds the rows that link to a number.
type index = map[int64][][]any

func newFilling(s schema, rows [][][]any) *filling {
	return &filling{s, rows, make([]map[int64][]any, len(rows)), make([]map[int]index, len(rows))}
}

// replaced returns the filling with other rows of a table.
func (f *filling) replaced(t int, rows [][]any) *filling {
	g := filling{f.schema, slices.Clone(f.rows), slices.Clone(f.byID), slices.Clone(f.link)}
	g.rows[t], g.byID[t], g.link[t] = rows, nil, nil
	return &g
}

// row returns the row of a table with a number; nil: there is none.
func (f *filling) row(t int, id any) []any {
	if f.byID[t] == nil {
		f.byID[t] = map[int64][]any{}
		for _, row := range f.rows[t] {
			f.byID[t][row[0].(int64)] = row
		}
	}
	return f.byID[t][id.(int64)]
}

// linking returns the rows of a table that link to a number by a column.
func (f *filling) linking(t, col int, id any) [][]any {
	to := f.link[t][col]
	if to == nil {
		to = index{}
		for _, row := range f.rows[t] {
			to[row[col].(int64)] = append(to[row[col].(int64)], row)
		}
		if f.link[t] == nil {
			f.link[t] = map[int]index{}
		}
		f.link[t][col] = to
	}
	return to[id.(int64)]
}

// get returns a value of a row of a table.
func (f *filling) get(from int, row []any, v value) any {
	if d := v.Down; d != nil {
		n := int64(0)
		for _, r := range f.linking(d.Table, d.Link, row[0]) {
			if f.holds(d.Table, r, d.Where, false) {
				n++
			}
		}
		return n
	}
	for _, l := range v.Up {
		to := f.schema[from].columns[l].to
		row, from = f.row(to, row[l]), to
		if row == nil {
			return nil
		}
	}
	return row[v.Col]
}

// holds reports whether all conditions hold, or one of them does.
func (f *filling) holds(from int, row []any, conds []cond, one bool) bool {
	for _, c := range conds {
		if c.holds(f.get(from, row, c.Of)) == one {
			return one
		}
	}
	return !one || len(conds) == 0
}

// holds reports whether the condition holds for a value.
func (c cond) holds(v any) bool {
	switch {
	case c.Op == "null", v == nil && c.orNull:
		return v == nil
	case v == nil, c.Op == "not null":
		return v != nil
	}
	text, textual := v.(string)
	switch {
	case c.Op == "year":
		return text[:4] == fmt.Sprintf("%04d", c.Num)
	case c.Op == "month":
		return text[5:7] == fmt.Sprintf("%02d", c.Num)
	case textual:
		return compared(strings.Compare(text, c.Text), c.Op)
	}
	return compared(cmp.Compare(v.(int64), c.Num), c.Op)
}

// compared reports whether a comparison with an operator holds.
func compared(sign int, op string) bool {
	switch op {
	case "=":
		return sign == 0
	case "<>":
		return sign != 0
	case "<":
		return sign < 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	}
	return sign >= 0
}

// evaluate answers a query.
func (q *query) evaluate(f *filling) (out [][]any) {
	var rows [][]any
	for _, row := range f.rows[q.From] {
		if f.holds(q.From, row, q.Where, q.Any) {
			rows = append(rows, row)
		}
	}
	if q.Fold != nil {
		out = q.folded(f, rows)
	} else {
		for _, row := range rows {
			out = append(out, q.shown(f, row))
		}
	}
	if q.Distinct {
		out = distinct(out)
	}
	if q.Sort != nil {
		slices.SortStableFunc(out, func(a, b []any) int {
			if q.Sort.Down {
				a, b = b, a
			}
			return compareValues(a[len(a)-1], b[len(b)-1])
		})
		if q.Sort.Top > 0 {
			out = out[:min(len(out), q.Sort.Top)]
		}
	}
	return out
}

// shown is what a row shows.
func (q *query) shown(f *filling, row []any) (out []any) {
	for _, v := range q.Show {
		out = append(out, f.get(q.From, row, v))
	}
	return out
}

// folded makes a row of each group.
func (q *query) folded(f *filling, rows [][]any) (out [][]any) {
	groups := map[string][][]any{}
	var order []string
	by := map[string][]any{}
	for _, row := range rows {
		shown := q.shown(f, row)
		if q.Known && slices.Contains(shown, nil) {
			continue
		}
		name := rowText(shown)
		if groups[name] == nil {
			order = append(order, name)
			by[name] = shown
		}
		groups[name] = append(groups[name], row)
	}
	if len(q.Show) == 0 && len(order) == 0 {
		order = []string{""}
	}
	for _, name := range order {
		v := q.Fold.of(f, q.From, groups[name])
		if q.Fold.Op == "" || v != nil && compared(compareValues(v, q.Fold.Than), q.Fold.Op) {
			out = append(out, append(slices.Clone(by[name]), v))
		}
	}
	return out
}

// of is the value of a group.
func (f *fold) of(db *filling, from int, rows [][]any) any {
	if f.all() {
		return int64(len(rows))
	}
	var known []any
	for _, row := range rows {
		if v := db.get(from, row, f.Of); v != nil {
			known = append(known, v)
		}
	}
	switch {
	case f.Do == "count":
		return int64(len(known))
	case f.Do == "different":
		slices.SortFunc(known, compareValues)
		return int64(len(slices.CompactFunc(known, func(a, b any) bool { return a == b })))
	case len(known) == 0:
		return nil
	case f.Do == "min":
		return slices.MinFunc(known, compareValues)
	case f.Do == "max":
		return slices.MaxFunc(known, compareValues)
	}
	sum := int64(0)
	for _, v := range known {
		sum += v.(int64)
	}
	if f.Do == "avg" {
		return float64(sum) / float64(len(known))
	}
	return sum
}

// distinct drops equal rows.
func distinct(rows [][]any) (out [][]any) {
	seen := map[string]bool{}
	for _, row := range rows {
		if name := rowText(row); !seen[name] {
			seen[name] = true
			out = append(out, row)
		}
	}
	return out
}

// compareValues orders values as SQLite does: NULL, numbers, texts.
func compareValues(a, b any) int {
	x, xText := a.(string)
	y, yText := b.(string)
	switch {
	case a == nil || b == nil:
		return cmp.Compare(rank(a), rank(b))
	case xText && yText:
		return strings.Compare(x, y)
	case xText != yText:
		return cmp.Compare(rank(a), rank(b))
	}
	return cmp.Compare(asFloat(a), asFloat(b))
}

func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case string:
		return 2
	}
	return 1
}

func asFloat(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// rowText writes a row so that rows are equal exactly if their texts are. Numbers are compared by
// their first twelve digits.
func rowText(row []any) string {
	var b []byte
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, "NULL"...)
		case string:
			b = strconv.AppendQuote(b, v)
		default:
			b = strconv.AppendFloat(b, asFloat(v), 'g', 12, 64)
		}
		b = append(b, '|')
	}
	return string(b)
}

// sameRows compares results as multisets, and if they are sorted, also the order of the last column.
// It says how got differs; empty: it does not.
func sameRows(got, want [][]any, sorted bool) string {
	if len(got) != len(want) {
		return fmt.Sprintf("it gives %d rows, not %d", len(got), len(want))
	}
	texts := func(rows [][]any) (all []string) {
		for _, row := range rows {
			all = append(all, rowText(row))
		}
		slices.Sort(all)
		return all
	}
	a, b := texts(got), texts(want)
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("it gives the row %.80s, where %.80s is right", min(a[i], b[i]), max(a[i], b[i]))
		}
	}
	for i := range got {
		if sorted && compareValues(got[i][len(got[i])-1], want[i][len(want[i])-1]) != 0 {
			return fmt.Sprintf("row %d is out of order", i+1)
		}
	}
	return ""
}
