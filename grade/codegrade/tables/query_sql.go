package tables

import (
	"fmt"
	"slices"
	"strings"
)

// literal writes a value in SQL: nil, an int64 or a string.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprint(v)
}

// A sqlWriter writes SQL about the rows of a table, and of those that they link to.
type sqlWriter struct {
	schema
	from  int
	joins []string // of the tables that values come from
}

// end returns the table that links lead to, and joins those on the way.
func (w *sqlWriter) end(up []int) int {
	at := w.from
	for _, l := range up {
		c := w.schema[at].columns[l]
		to := w.schema[c.to].name
		join := fmt.Sprintf(" JOIN %s ON %s.id = %s.%s", to, to, w.schema[at].name, c.name)
		if !slices.Contains(w.joins, join) {
			w.joins = append(w.joins, join)
		}
		at = c.to
	}
	return at
}

// value writes a value.
func (w *sqlWriter) value(v value) string {
	if d := v.Down; d != nil {
		child := w.schema[d.Table]
		sub := sqlWriter{schema: w.schema, from: d.Table}
		where := fmt.Sprintf("%s.%s = %s.id", child.name, child.columns[d.Link].name, w.schema[w.from].name)
		if conds := sub.conds(d.Where, " AND "); conds != "" {
			where += " AND " + conds
		}
		return fmt.Sprintf("(SELECT COUNT(*) FROM %s%s WHERE %s)", child.name, strings.Join(sub.joins, ""), where)
	}
	t := w.schema[w.end(v.Up)]
	return t.name + "." + t.columns[v.Col].name
}

// conds writes conditions; empty: there are none.
func (w *sqlWriter) conds(conds []cond, between string) string {
	var all []string
	for _, c := range conds {
		all = append(all, w.cond(c))
	}
	return strings.Join(all, between)
}

func (w *sqlWriter) cond(c cond) string {
	v := w.value(c.Of)
	if c.orNull {
		c.orNull = false
		return "(" + w.cond(c) + " OR " + v + " IS NULL)"
	}
	switch c.Op {
	case "null":
		return v + " IS NULL"
	case "not null":
		return v + " IS NOT NULL"
	case "year":
		return fmt.Sprintf("strftime('%%Y', %s) = '%04d'", v, c.Num)
	case "month":
		return fmt.Sprintf("strftime('%%m', %s) = '%02d'", v, c.Num)
	}
	if k := c.Of.of(w.schema, w.from); k.kind == word || k.kind == title || k.kind == date {
		return v + " " + c.Op + " " + literal(c.Text)
	}
	return v + " " + c.Op + " " + literal(c.Num)
}

// between returns what stands between conditions.
func (q *query) between() string {
	if q.Any {
		return " OR "
	}
	return " AND "
}

// sql writes the query.
func (q *query) sql(s schema) string {
	w := sqlWriter{schema: s, from: q.From}
	var shown []string
	for _, v := range q.Show {
		shown = append(shown, w.value(v))
	}
	grouped := slices.Clone(shown)
	if q.Fold != nil {
		shown = append(shown, w.fold(q.Fold))
	}
	where := w.conds(q.Where, q.between())
	if q.Known && q.Fold != nil {
		where = w.known(q, where)
	}
	var b strings.Builder
	b.WriteString("SELECT ")
	if q.Distinct {
		b.WriteString("DISTINCT ")
	}
	fmt.Fprintf(&b, "%s FROM %s%s", strings.Join(shown, ", "), s[q.From].name, strings.Join(w.joins, ""))
	if where != "" {
		b.WriteString(" WHERE " + where)
	}
	if q.Fold != nil && len(grouped) > 0 {
		b.WriteString(" GROUP BY " + strings.Join(grouped, ", "))
	}
	if q.Fold != nil && q.Fold.Op != "" {
		fmt.Fprintf(&b, " HAVING %s %s %d", w.fold(q.Fold), q.Fold.Op, q.Fold.Than)
	}
	if q.Sort != nil {
		fmt.Fprintf(&b, " ORDER BY %d", len(shown))
		if q.Sort.Down {
			b.WriteString(" DESC")
		}
		if q.Sort.Top > 0 {
			fmt.Fprintf(&b, " LIMIT %d", q.Sort.Top)
		}
	}
	return b.String()
}

// known adds conditions that the groups are known.
func (w *sqlWriter) known(q *query, where string) string {
	if q.Any && len(q.Where) > 1 {
		where = "(" + where + ")"
	}
	for _, v := range q.Show {
		if !v.of(w.schema, w.from).null {
			continue
		}
		if where != "" {
			where += " AND "
		}
		where += w.value(v) + " IS NOT NULL"
	}
	return where
}

// fold writes an aggregate.
func (w *sqlWriter) fold(f *fold) string {
	switch {
	case f.all():
		return "COUNT(*)"
	case f.Do == "different":
		return "COUNT(DISTINCT " + w.value(f.Of) + ")"
	}
	return strings.ToUpper(f.Do) + "(" + w.value(f.Of) + ")"
}

// all reports whether a fold counts rows.
func (f *fold) all() bool {
	return f.Do == "count" && f.Of.Col == 0 && f.Of.Down == nil && len(f.Of.Up) == 0
}
