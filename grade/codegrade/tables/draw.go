package tables

import (
	"reflect"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// A drawer draws queries about tables.
type drawer struct {
	schema
	tablesParams
	*rng.Rand
}

// values lists the columns of a table that tell something, and with links, those of the rows that
// its rows link to.
func (d *drawer) values(from int, up []int, deep bool) (all []value) {
	for i, c := range d.schema[from].columns {
		switch {
		case c.kind == key:
		case c.kind != link:
			all = append(all, value{Up: up, Col: i})
		case deep && d.Links > 0 && len(up) < 2:
			all = append(all, d.values(c.to, append(slices.Clone(up), i), deep)...)
		}
	}
	return all
}

// pick draws a value of a row. Of those from elsewhere, half are.
func (d *drawer) pick(from int, fits func(column) bool) (v value, has bool) {
	var own, other []value
	for _, v := range d.values(from, nil, true) {
		switch {
		case !fits(v.of(d.schema, from)):
		case v.Up == nil:
			own = append(own, v)
		default:
			other = append(other, v)
		}
	}
	switch {
	case len(own)+len(other) == 0:
		return v, false
	case len(own) == 0 || len(other) > 0 && d.Chance(0.5):
		return rng.Pick(d.Rand, other), true
	}
	return rng.Pick(d.Rand, own), true
}

// down draws a number of rows that link to a row; has: there are some.
func (d *drawer) down(from int) (v value, has bool) {
	var all []value
	for t, table := range d.schema {
		for i, c := range table.columns {
			if c.kind == link && c.to == from {
				all = append(all, value{Down: &down{Table: t, Link: i}})
			}
		}
	}
	if len(all) == 0 {
		return v, false
	}
	v = rng.Pick(d.Rand, all)
	if d.Chance(0.6) {
		v.Down.Where = []cond{d.cond(rng.Pick(d.Rand, d.values(v.Down.Table, nil, false)), v.Down.Table)}
	}
	return v, true
}

// cond draws a condition on a value.
func (d *drawer) cond(of value, from int) cond {
	c := cond{Of: of}
	col := of.of(d.schema, from)
	switch {
	case of.Down != nil:
		c.Op, c.Num = rng.Pick(d.Rand, []string{"=", ">=", ">=", "<"}), int64(d.Between(1, 3))
		if c.Op == "=" {
			c.Num = int64(d.Between(0, 2))
		}
		if c.Op == "<" {
			c.Num++
		}
	case col.null && d.Chance(0.35):
		c.Op = rng.Pick(d.Rand, []string{"null", "not null"})
	case col.kind == word || col.kind == title:
		c.Op, c.Text = rng.Pick(d.Rand, []string{"=", "=", "<>"}), rng.Pick(d.Rand, col.words)
	case col.kind == number:
		c.Op, c.Num = rng.Pick(d.Rand, compares[1:]), int64(d.Between(col.low+1, col.high-1))
	default:
		d.day(&c)
	}
	return c
}

// day draws what a condition on a day says.
func (d *drawer) day(c *cond) {
	if d.Chance(0.3) {
		c.Op, c.Num = "year", int64(d.Between(2021, 2023))
		return
	}
	if d.Chance(0.3) {
		c.Op, c.Num = "month", int64(d.Between(1, 12))
		return
	}
	c.Op = rng.Pick(d.Rand, compares[2:])
	c.Text = firstDay.AddDate(0, 0, d.Between(manyDays/4, manyDays*3/4)).Format("2006-01-02")
}

// scope draws a table and conditions.
func (d *drawer) scope(leaf bool) (q query) {
	var tables []int
	for t := range d.schema {
		linked := slices.ContainsFunc(d.schema[t].columns, func(c column) bool { return c.kind == link })
		_, below := d.down(t)
		if (d.Links == 0 || linked || d.Links > 1 && below) && !(leaf && below) {
			tables = append(tables, t)
		}
	}
	q.From = rng.Pick(d.Rand, tables)
	for range d.Between((d.Conds+1)/2, d.Conds) {
		v, has := d.pick(q.From, func(c column) bool { return d.Dates || c.kind != date })
		if has && !slices.ContainsFunc(q.Where, func(c cond) bool { return reflect.DeepEqual(c.Of, v) }) {
			q.Where = append(q.Where, d.cond(v, q.From))
		}
	}
	q.Any = len(q.Where) == 2 && d.Chance(0.3)
	if v, has := d.down(q.From); has && d.Links > 1 && !q.Any && d.Chance(0.5) {
		q.Where = append(q.Where[:len(q.Where)/2], d.cond(v, q.From))
	}
	return q
}

// query draws a question.
func (d *drawer) query() *query {
	q := d.scope(false)
	switch x := d.Float(); {
	case d.Groups && x < 0.6:
		d.groups(&q)
	case x < 0.3 || x > 0.9:
		d.fold(&q)
	default:
		d.rows(&q)
	}
	return &q
}

// linked reports whether conditions or values need the links of the level.
func (d *drawer) linked(q *query) bool {
	up, down := false, false
	look := func(v value) {
		up, down = up || v.Up != nil, down || v.Down != nil
	}
	for _, c := range q.Where {
		look(c.Of)
	}
	for _, v := range q.Show {
		look(v)
	}
	return d.Links == 0 || d.Links == 1 && up || down
}

// rows makes a query show values of each row.
func (d *drawer) rows(q *query) {
	for range d.Between(1, 3) {
		v, has := d.pick(q.From, func(column) bool { return true })
		if has && !slices.ContainsFunc(q.Show, func(w value) bool { return reflect.DeepEqual(v, w) }) {
			q.Show = append(q.Show, v)
		}
	}
	if v, has := d.down(q.From); has && d.Links > 1 && d.Chance(0.4) {
		q.Show = append(q.Show, v)
	} else {
		q.Distinct = d.Chance(0.3)
	}
	last := q.Show[len(q.Show)-1].of(d.schema, q.From)
	if (last.kind == number || last.kind == date) && !last.null && d.Conds > 1 && d.Chance(0.6) {
		d.sort(q)
	}
}

// sort makes a query sort its result.
func (d *drawer) sort(q *query) {
	q.Sort = &order{Down: d.Chance(0.5)}
	if d.Chance(0.5) {
		q.Sort.Top = d.Between(1, 5)
	}
}

// fold makes a query fold its rows, or each group of them.
func (d *drawer) fold(q *query) {
	q.Fold = &fold{Do: "count"}
	if d.Chance(0.4) {
		return
	}
	of := rng.Pick(d.Rand, d.values(q.From, nil, false))
	switch c := of.of(d.schema, q.From); {
	case c.null && d.Chance(0.3): // the known ones are counted
	case c.kind == number:
		q.Fold.Do = rng.Pick(d.Rand, []string{"sum", "avg", "min", "max", "sum", "avg"})
	case c.kind == date:
		q.Fold.Do = rng.Pick(d.Rand, []string{"min", "max"})
	default:
		q.Fold.Do = "different"
	}
	q.Fold.Of = of
}

// groups makes a query show a value of each group.
func (d *drawer) groups(q *query) {
	named := func(c column) bool { return c.kind == word }
	for range d.Between(1, 1+d.Links) {
		if v, has := d.pick(q.From, named); has && len(q.Show) < 2 && !slices.ContainsFunc(q.Show, func(w value) bool { return reflect.DeepEqual(v, w) }) {
			q.Show = append(q.Show, v)
		}
	}
	d.fold(q)
	if len(q.Show) == 0 {
		return
	}
	q.Known = slices.ContainsFunc(q.Show, func(v value) bool { return v.of(d.schema, q.From).null }) && d.Chance(0.6)
	if q.Fold.Of.of(d.schema, q.From).kind == date {
		return
	}
	if q.Fold.Do != "avg" && d.Chance(0.5) {
		q.Fold.Op = rng.Pick(d.Rand, []string{"<", "<=", ">", ">="})
	}
	if d.Chance(0.4) {
		d.sort(q)
	}
}

// change draws a change.
func (d *drawer) change() change {
	c := change{Delete: d.Chance(0.25)}
	c.Of = d.scope(c.Delete)
	if c.Delete {
		return c
	}
	var cols []int
	for i, col := range d.schema[c.Of.From].columns {
		if col.kind == number || col.kind == word {
			cols = append(cols, i)
		}
	}
	c.Col = rng.Pick(d.Rand, cols)
	col := d.schema[c.Of.From].columns[c.Col]
	switch {
	case col.null && d.Chance(0.3):
		c.Null = true
	case col.kind == word:
		c.Text = rng.Pick(d.Rand, col.words)
	case d.Chance(0.6):
		c.Add, c.Num = true, rng.Pick(d.Rand, []int64{-3, -2, -1, 1, 2, 3, 5, 10})
	default:
		c.Num = int64(d.Between(col.low, col.high))
	}
	return c
}
