package tables

import (
	"time"

	"github.com/quintain-rl/quintain/task/rng"
)

// Dates are drawn from this time on.
var (
	firstDay = time.Date(2021, time.January, 1, 0, 0, 0, 0, time.UTC)
	manyDays = 3 * 365
)

// nextDay returns the date so many days later.
func nextDay(day string, by int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, by).Format(time.DateOnly)
}

// A spot is a column of a table.
type spot struct{ table, col int }

// hints are the constants that conditions compare a column with. Values near them tell readings
// apart.
type hints map[spot][]cond

// add notes the conditions.
func (h hints) add(s schema, from int, conds []cond) {
	for _, c := range conds {
		if d := c.Of.Down; d != nil {
			h.add(s, d.Table, d.Where)
			continue
		}
		at := from
		for _, l := range c.Of.Up {
			at = s[at].columns[l].to
		}
		h[spot{at, c.Of.Col}] = append(h[spot{at, c.Of.Col}], c)
	}
}

// addQuery notes the conditions of a query.
func (h hints) addQuery(s schema, q *query) {
	h.add(s, q.From, q.Where)
	for _, v := range q.Show {
		h.add(s, q.From, []cond{{Of: v}})
	}
}

// fill draws the rows of all tables, about n of each that links to another.
func (s schema) fill(n int, h hints, r *rng.Rand) *filling {
	rows := make([][][]any, len(s))
	for t := range s {
		count := n + r.Between(-n/6, n/6)
		if s[t].columns[1].kind != link {
			count = count * 2 / 3
		}
		id := int64(r.Between(1, 400))
		for range count {
			id += int64(r.Between(1, 3))
			row := []any{id}
			for c, col := range s[t].columns[1:] {
				row = append(row, draw(col, rows, h[spot{t, c + 1}], r))
			}
			rows[t] = append(rows[t], row)
		}
	}
	return newFilling(s, rows)
}

// draw draws a value of a column.
func draw(c column, rows [][][]any, near []cond, r *rng.Rand) any {
	if c.null && r.Chance(0.2) {
		return nil
	}
	switch c.kind {
	case link:
		to := rows[c.to]
		return rng.Pick(r, to[:max(len(to)*4/5, 1)])[0] // some rows have no links to them
	case word, title:
		for _, n := range near {
			if n.Text != "" && r.Chance(0.15) {
				return n.Text
			}
		}
		return rng.Pick(r, c.words)
	case date:
		return drawDate(near, r)
	}
	for _, n := range near {
		if r.Chance(0.45) {
			return n.Num + int64(r.Between(-1, 1))
		}
	}
	return int64(r.Between(c.low, c.high))
}

// drawDate draws a date.
func drawDate(near []cond, r *rng.Rand) string {
	for _, n := range near {
		if n.Text != "" && r.Chance(0.4) {
			return nextDay(n.Text, r.Between(-1, 1))
		}
		if n.Op == "month" && r.Chance(0.3) {
			month := (int(n.Num)+10+r.Between(0, 2))%12 + 1
			return time.Date(2021+r.Between(0, 2), time.Month(month), r.Between(1, 28), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		}
	}
	return firstDay.AddDate(0, 0, r.Between(0, manyDays-1)).Format(time.DateOnly)
}
