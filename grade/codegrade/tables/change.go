package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A change changes or deletes the rows of a table that meet conditions.
type change struct {
	Of     query  `json:"of"` // From, Where and Any alone
	Delete bool   `json:"delete,omitempty"`
	Col    int    `json:"col,omitempty"` // else: the column that is set
	Add    bool   `json:"add,omitempty"` // Num is added to it
	Null   bool   `json:"null,omitempty"`
	Num    int64  `json:"num,omitempty"`
	Text   string `json:"text,omitempty"`
}

var errNoChange = errors.New("the change is none of these tables")

// check refuses a change that does not fit the tables.
func (c *change) check(s schema) error {
	if c.Of.From < 0 || c.Of.From >= len(s) || c.Of.Show != nil || c.Of.Fold != nil || c.Of.Sort != nil || c.Of.Distinct {
		return errNoChange
	}
	if err := checkConds(s, c.Of.From, c.Of.Where, true); err != nil || c.Delete {
		return err
	}
	if c.Col < 1 || c.Col >= len(s[c.Of.From].columns) {
		return errNoChange
	}
	switch col := s[c.Of.From].columns[c.Col]; {
	case c.Null && col.null:
		return nil
	case c.Null || col.kind == link || c.Num <= -1e9 || c.Num >= 1e9:
		return errNoChange
	case col.kind == number:
		return nil
	case c.Add:
		return errNoChange
	}
	return cond{Op: "=", Text: c.Text}.check(s[c.Of.From].columns[c.Col])
}

// set is the new value of a value.
func (c *change) set(col column, v any) any {
	switch {
	case c.Null, c.Add && v == nil:
		return nil
	case c.Add:
		return v.(int64) + c.Num
	case col.kind == number:
		return c.Num
	}
	return c.Text
}

// apply returns the rows after the change.
func (c *change) apply(f *filling) *filling {
	var rows [][]any
	for _, row := range f.rows[c.Of.From] {
		if f.holds(c.Of.From, row, c.Of.Where, c.Of.Any) {
			if c.Delete {
				continue
			}
			row = slices.Clone(row)
			row[c.Col] = c.set(f.schema[c.Of.From].columns[c.Col], row[c.Col])
		}
		rows = append(rows, row)
	}
	return f.replaced(c.Of.From, rows)
}

// sql writes the statement.
func (c *change) sql(s schema) string {
	t := s[c.Of.From]
	w := sqlWriter{schema: s, from: c.Of.From}
	where := w.conds(c.Of.Where, c.Of.between())
	if len(w.joins) > 0 {
		where = fmt.Sprintf("id IN (SELECT %s.id FROM %s%s WHERE %s)", t.name, t.name, strings.Join(w.joins, ""), where)
	}
	if where != "" {
		where = " WHERE " + where
	}
	if c.Delete {
		return fmt.Sprintf("DELETE FROM %s%s", t.name, where)
	}
	col := t.columns[c.Col]
	to := literal(c.set(col, int64(0)))
	if c.Add {
		to = fmt.Sprintf("%s + %d", col.name, c.Num)
		if c.Num < 0 {
			to = fmt.Sprintf("%s - %d", col.name, -c.Num)
		}
	}
	return fmt.Sprintf("UPDATE %s SET %s = %s%s", t.name, col.name, to, where)
}

// words asks for the change.
func (c *change) words(s schema, wording int) string {
	t := s[c.Of.From]
	rows := t.many + s.clauses(c.Of.From, c.Of.Where, c.Of.Any, true)
	if c.Delete {
		return fmt.Sprintf([]string{"Delete all %s.", "Remove all %s from the database.", "The %s are to be deleted."}[wording], rows)
	}
	col := t.columns[c.Col]
	if c.Add {
		verb, n := "Raise", c.Num
		if n < 0 {
			verb, n = "Lower", -n
		}
		text := fmt.Sprintf([]string{"For all %[3]s, %[5]s the %[2]s by %[4]d.", "%s the %s by %[4]d for all %[3]s.", "There is a change for all %[3]s: %[5]s the %[2]s by %[4]d."}[wording],
			verb, col.label, rows, n, strings.ToLower(verb))
		if col.null {
			text += " What is unknown stays unknown."
		}
		return text
	}
	to := fmt.Sprint(c.set(col, nil))
	switch {
	case c.Null:
		to = "unknown (NULL)"
	case col.kind == word || col.kind == title:
		to = "'" + c.Text + "'"
	}
	return fmt.Sprintf([]string{"For all %[2]s, set the %[1]s to %[3]s.", "Change the %[1]s to %[3]s for all %[2]s.", "All %[2]s get a new %[1]s: %[3]s."}[wording], col.label, rows, to)
}

// mutants are the changes that a reader may take a change for.
func (c *change) mutants(s schema) (all []*change) {
	with := func(to func(*change)) {
		m := *c
		to(&m)
		all = append(all, &m)
	}
	for _, of := range c.Of.condMutations(s) {
		with(func(m *change) {
			q := m.Of.clone()
			of(q)
			m.Of = *q
		})
	}
	if c.Delete {
		return all
	}
	for i, col := range s[c.Of.From].columns {
		if i != c.Col && col.kind == s[c.Of.From].columns[c.Col].kind && (col.null || !c.Null) {
			with(func(m *change) { m.Col = i })
		}
	}
	if c.Add {
		with(func(m *change) { m.Num = -m.Num })
	}
	if c.Add || s[c.Of.From].columns[c.Col].kind == number && !c.Null {
		with(func(m *change) { m.Add = !m.Add })
	}
	return all
}
