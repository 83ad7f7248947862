package tables

import "slices"

// clone copies a query.
func (q *query) clone() *query {
	c := *q
	c.Where, c.Show = slices.Clone(q.Where), slices.Clone(q.Show)
	for i, w := range c.Where {
		c.Where[i].Of = w.Of.clone()
	}
	for i, v := range c.Show {
		c.Show[i] = v.clone()
	}
	if q.Fold != nil {
		f := *q.Fold
		c.Fold = &f
	}
	if q.Sort != nil {
		o := *q.Sort
		c.Sort = &o
	}
	return &c
}

// clone copies a value. Its links are never changed.
func (v value) clone() value {
	if v.Down != nil {
		d := *v.Down
		d.Where = slices.Clone(d.Where)
		v.Down = &d
	}
	return v
}

// A mutation changes a query.
type mutation func(*query)

// mutants are the queries that a reader may take a query for: each differs from it in one point.
func (q *query) mutants(s schema) (all []*query) {
	steps := append(q.condMutations(s), q.showMutations(s)...)
	steps = append(append(steps, q.foldMutations(s)...), q.sortMutations()...)
	for _, change := range steps {
		m := q.clone()
		change(m)
		all = append(all, m)
	}
	return all
}

// condMutations change the conditions.
func (q *query) condMutations(s schema) (all []mutation) {
	for i, c := range q.Where {
		for _, changed := range c.mutants(c.Of.of(s, q.From)) {
			all = append(all, func(m *query) { m.Where[i] = changed })
		}
		all = append(all, func(m *query) { m.Where = slices.Delete(m.Where, i, i+1) })
		for _, v := range c.Of.downMutants(s) {
			all = append(all, func(m *query) { m.Where[i].Of = v })
		}
	}
	if len(q.Where) > 1 {
		all = append(all, func(m *query) { m.Any = !m.Any })
	}
	return all
}

// downMutants count other rows.
func (v value) downMutants(s schema) (all []value) {
	if v.Down == nil {
		return nil
	}
	for i, c := range v.Down.Where {
		for _, changed := range c.mutants(c.Of.of(s, v.Down.Table)) {
			m := v.clone()
			m.Down.Where[i] = changed
			all = append(all, m)
		}
		m := v.clone()
		m.Down.Where = slices.Delete(m.Down.Where, i, i+1)
		all = append(all, m)
	}
	return all
}

// mutants compare otherwise.
func (c cond) mutants(col column) (all []cond) {
	with := func(change func(*cond)) {
		m := c
		change(&m)
		all = append(all, m)
	}
	switch c.Op {
	case "null", "not null":
		with(func(m *cond) { m.Op = map[string]string{"null": "not null", "not null": "null"}[c.Op] })
		return all
	}
	if col.null {
		with(func(m *cond) { m.orNull = true })
	}
	switch c.Op {
	case "year", "month":
		with(func(m *cond) { m.Num++ })
		with(func(m *cond) { m.Num-- })
		return all
	}
	textual := col.kind == word || col.kind == title
	for _, op := range compares {
		if op == c.Op || textual && op != "=" && op != "<>" || c.Of.Down != nil && same(op, c.Op, c.Num) {
			continue
		}
		with(func(m *cond) { m.Op = op })
	}
	switch {
	case textual:
		for _, w := range col.words {
			if w != c.Text {
				with(func(m *cond) { m.Text = w })
			}
		}
	case col.kind == date:
		with(func(m *cond) { m.Text = nextDay(c.Text, 1) })
		with(func(m *cond) { m.Text = nextDay(c.Text, -1) })
	default:
		with(func(m *cond) { m.Num++ })
		if c.Of.Down == nil || c.Num > 1 || c.Op == "=" && c.Num > 0 {
			with(func(m *cond) { m.Num-- })
		}
	}
	return all
}

// same reports whether two comparisons of a count with a number are the same.
func same(a, b string, n int64) bool {
	zero := func(op string) bool { return op == "=" || op == "<=" }
	some := func(op string) bool { return op == "<>" || op == ">" }
	return n == 0 && (zero(a) && zero(b) || some(a) && some(b))
}

// showMutations show something else.
func (q *query) showMutations(s schema) (all []mutation) {
	for i, v := range q.Show {
		if len(q.Show) > 1 && q.Fold == nil {
			all = append(all, func(m *query) { m.Show = slices.Delete(m.Show, i, i+1) })
		}
		for _, changed := range append(v.otherColumns(s, q.From), v.downMutants(s)...) {
			all = append(all, func(m *query) { m.Show[i] = changed })
		}
	}
	if q.Fold == nil {
		all = append(all, func(m *query) { m.Distinct = !m.Distinct })
	} else if slices.ContainsFunc(q.Show, func(v value) bool { return v.of(s, q.From).null }) {
		all = append(all, func(m *query) { m.Known = !m.Known })
	}
	return all
}

// otherColumns are those of the same kind in the same table.
func (v value) otherColumns(s schema, from int) (all []value) {
	if v.Down != nil {
		return nil
	}
	at := from
	for _, l := range v.Up {
		at = s[at].columns[l].to
	}
	for i, c := range s[at].columns {
		if k := s[at].columns[v.Col].kind; i != v.Col && (c.kind == k || k == title && c.kind == word || k == word && c.kind == title) {
			m := v
			m.Col = i
			all = append(all, m)
		}
	}
	return all
}

// foldMutations fold otherwise.
func (q *query) foldMutations(s schema) (all []mutation) {
	f := q.Fold
	if f == nil {
		return nil
	}
	c := f.Of.of(s, q.From)
	for _, do := range []string{"count", "different", "sum", "avg", "min", "max"} {
		if do != f.Do && !f.all() && (c.kind == number || do != "sum" && do != "avg") {
			all = append(all, func(m *query) { m.Fold.Do = do })
		}
	}
	if !f.all() {
		for _, v := range f.Of.otherColumns(s, q.From) {
			all = append(all, func(m *query) { m.Fold.Of = v })
		}
		if f.Do == "count" || f.Do == "different" {
			all = append(all, func(m *query) { m.Fold.Do, m.Fold.Of = "count", value{} })
		}
	}
	if f.Op == "" {
		return all
	}
	for _, op := range append([]string{""}, compares...) {
		if op != f.Op {
			all = append(all, func(m *query) { m.Fold.Op = op })
		}
	}
	return append(all, func(m *query) { m.Fold.Than++ }, func(m *query) { m.Fold.Than-- })
}

// sortMutations sort otherwise.
func (q *query) sortMutations() (all []mutation) {
	if q.Sort == nil {
		return nil
	}
	all = append(all, func(m *query) { m.Sort.Down = !m.Sort.Down })
	if q.Sort.Top > 0 {
		all = append(all, func(m *query) { m.Sort.Top++ }, func(m *query) { m.Sort.Top-- }, func(m *query) { m.Sort.Top = 0 })
	}
	return all
}
