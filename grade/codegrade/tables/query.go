package tables

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A query is a question about the rows of a table, as a tree. SQL, the words and the result follow
// from it.
type query struct {
	From     int     `json:"from"` // the table
	Where    []cond  `json:"where,omitempty"`
	Any      bool    `json:"any,omitempty"`  // one of the conditions is enough
	Show     []value `json:"show,omitempty"` // of each row, or of each group
	Distinct bool    `json:"distinct,omitempty"`
	Fold     *fold   `json:"fold,omitempty"`  // what is shown of a group, last; nil: rows are shown, not groups
	Known    bool    `json:"known,omitempty"` // groups of an unknown value are left out
	Sort     *order  `json:"sort,omitempty"`
}

// A value is a value of a row.
type value struct {
	Up   []int `json:"up,omitempty"`   // the links to follow, columns all
	Col  int   `json:"col,omitempty"`  // of the row that they lead to
	Down *down `json:"down,omitempty"` // instead: the number of rows that link to this one
}

// A down is the rows of another table that link to a row.
type down struct {
	Table int    `json:"table"`
	Link  int    `json:"link"` // its column
	Where []cond `json:"where,omitempty"`
}

// A cond is a condition on a value.
type cond struct {
	Of   value  `json:"of"`
	Op   string `json:"op"`
	Num  int64  `json:"num,omitempty"`
	Text string `json:"text,omitempty"` // of a word or a date

	orNull bool // it also holds for unknown values; in misreadings alone
}

// compares are the operators that compare with a constant. The others are "null", "not null", "year"
// and "month".
var compares = []string{"=", "<>", "<", "<=", ">", ">="}

// A fold makes one value of the rows of a group.
type fold struct {
	Do   string `json:"do"`             // count, different, sum, avg, min or max
	Of   value  `json:"of"`             // unless rows are counted
	Op   string `json:"op,omitempty"`   // which groups are kept, by the value; empty: all
	Than int64  `json:"than,omitempty"` // the constant of Op
}

// An order sorts the result by its last column.
type order struct {
	Down bool `json:"down,omitempty"`
	Top  int  `json:"top,omitempty"` // so many rows are kept; 0: all
}

// Limits of a query from elsewhere.
const (
	mostConds = 6
	mostShow  = 6
	mostUp    = 3
)

var errNoQuery = errors.New("the query is none of these tables")

// check refuses a query that does not fit the tables.
func (q *query) check(s schema) error {
	if q.From < 0 || q.From >= len(s) || len(q.Show) > mostShow || len(q.Show) == 0 && q.Fold == nil {
		return errNoQuery
	}
	if err := checkConds(s, q.From, q.Where, true); err != nil {
		return err
	}
	for _, v := range q.Show {
		if _, err := v.column(s, q.From, true); err != nil {
			return err
		}
	}
	if q.Sort != nil && (q.Sort.Top < 0 || q.Sort.Top > 100) {
		return errNoQuery
	}
	return q.Fold.check(s, q.From)
}

func (f *fold) check(s schema, from int) error {
	if f == nil {
		return nil
	}
	c, err := f.Of.column(s, from, true)
	switch {
	case err != nil:
		return err
	case f.Op != "" && !slices.Contains(compares, f.Op):
		return fmt.Errorf("a group is compared by %.20q", f.Op)
	case !slices.Contains([]string{"count", "different", "sum", "avg", "min", "max"}, f.Do):
		return fmt.Errorf("there is no aggregate %.20q", f.Do)
	case (f.Do == "sum" || f.Do == "avg") && c.kind != number:
		return fmt.Errorf("%s of a column without numbers", f.Do)
	}
	return nil
}

func checkConds(s schema, from int, conds []cond, deep bool) error {
	if len(conds) > mostConds {
		return errNoQuery
	}
	for _, c := range conds {
		col, err := c.Of.column(s, from, deep)
		if err != nil {
			return err
		}
		if err := c.check(col); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a condition that does not fit its column.
func (c cond) check(col column) error {
	text, dated := c.Text, col.kind == date
	_, err := time.Parse(time.DateOnly, text)
	switch {
	case c.Op == "null" || c.Op == "not null":
		return nil
	case c.Op == "year" || c.Op == "month":
		if dated {
			return nil
		}
	case !slices.Contains(compares, c.Op):
	case dated:
		return err
	case col.kind == word || col.kind == title:
		if slices.Contains(col.words, text) {
			return nil
		}
	default:
		if c.Num > -1e9 && c.Num < 1e9 {
			return nil
		}
	}
	return fmt.Errorf("the condition %.20q does not fit the column %s", c.Op, col.name)
}

// column returns the column of a value of a row; of a Down, one that holds its numbers.
func (v value) column(s schema, from int, deep bool) (column, error) {
	if d := v.Down; d != nil {
		if !deep || d.Table < 0 || d.Table >= len(s) || d.Link < 0 || d.Link >= len(s[d.Table].columns) || len(v.Up) > 0 {
			return column{}, errNoQuery
		}
		if l := s[d.Table].columns[d.Link]; l.kind != link || l.to != from {
			return column{}, errNoQuery
		}
		return column{label: "number of its " + s[d.Table].many}, checkConds(s, d.Table, d.Where, false)
	}
	at := from
	if len(v.Up) > mostUp {
		return column{}, errNoQuery
	}
	for _, l := range v.Up {
		if l < 0 || l >= len(s[at].columns) || s[at].columns[l].kind != link {
			return column{}, errNoQuery
		}
		at = s[at].columns[l].to
	}
	if v.Col < 0 || v.Col >= len(s[at].columns) {
		return column{}, errNoQuery
	}
	return s[at].columns[v.Col], nil
}

// of is column for a query that was checked.
func (v value) of(s schema, from int) column {
	c, _ := v.column(s, from, true)
	return c
}
