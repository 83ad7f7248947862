// Package tables has the errand of a database that is to be asked or changed in SQL. SQLite runs the
// statements, as Python has it in the sandbox of this machine.
package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task/rng"
)

// spec is the errand.
var spec = toolbox.Spec[tablesParams, database]{
	Name: "tables",
	Doc: "Answer questions about a database with SQL, or change its rows. The answer is a statement, which must give the right rows on this database and on two others with the same tables, " +
		"so no copied value passes. The SQLite of the sandbox's Python runs the statements: its version is in the ID of each problem, and with another one an episode may go another way.",
	Source:  "Our own.",
	Version: 2,
	Levels: []tablesParams{
		{Tables: 2, Rows: 12, Conds: 1},
		{Tables: 2, Rows: 24, Conds: 2, Nulls: true},
		{Tables: 3, Rows: 30, Conds: 2, Nulls: true, Links: 1},
		{Tables: 3, Rows: 45, Conds: 2, Nulls: true, Dates: true, Links: 1, Groups: true},
		{Tables: 4, Rows: 60, Conds: 2, Nulls: true, Dates: true, Links: 2},
		{Tables: 4, Rows: 60, Conds: 2, Nulls: true, Dates: true, Links: 2, Changes: 2},
		{Tables: 4, Rows: 80, Conds: 3, Nulls: true, Dates: true, Links: 2, Groups: true},
	},
	Make: makeDatabase,
}

// tablesParams are the parameters of a level.
type tablesParams struct {
	Tables  int  `json:"tables"`
	Rows    int  `json:"rows"`  // of a table that links to another, about
	Conds   int  `json:"conds"` // at most
	Nulls   bool `json:"nulls"` // some values are unknown
	Dates   bool `json:"dates"` // conditions may be on dates
	Links   int  `json:"links"` // 1: conditions may be on rows elsewhere that are linked to; 2: and on the number of those that link here
	Groups  bool `json:"groups"`
	Changes int  `json:"changes"` // to be made, at most; 0: a question is asked
}

// Check refuses what no tag does.
func (p tablesParams) Check() error {
	switch {
	case p.Tables < 2 || p.Tables > 4:
		return fmt.Errorf("tables is %d, want 2 to 4", p.Tables)
	case p.Rows < 10 || p.Rows > 150:
		return fmt.Errorf("rows is %d, want 10 to 150", p.Rows)
	case p.Conds < 1 || p.Conds > 4:
		return fmt.Errorf("conds is %d, want 1 to 4", p.Conds)
	case p.Links < 0 || p.Links > 2:
		return fmt.Errorf("links is %d, want 0 to 2", p.Links)
	case p.Changes < 0 || p.Changes > 3:
		return fmt.Errorf("changes is %d, want 0 to 3", p.Changes)
	}
	return nil
}

// A database is the tables, and what is asked or to be changed.
type database struct {
	Subject int      `json:"subject"`
	Tables  int      `json:"tables"`
	Rows    int      `json:"rows"`
	Nulls   bool     `json:"nulls"`
	Seed    uint64   `json:"seed"` // of names and rows
	Query   *query   `json:"query,omitempty"`
	Changes []change `json:"changes,omitempty"` // one after another

	on *Tables // runs the statements; nil: nothing does
}

// Hosted says that the worlds are [toolbox.Hosted].
func (d database) Hosted() bool { return true }

// fillings is the number of fillings of the tables: the first is seen, the others are not.
const fillings = 3

// Check refuses a record that is no question and no change.
func (d database) Check() error {
	p := tablesParams{Tables: d.Tables, Rows: d.Rows, Conds: 1}
	switch err := p.Check(); {
	case err != nil:
		return err
	case d.Subject < 0 || d.Subject >= len(outlines):
		return fmt.Errorf("subject is %d, want 0 to %d", d.Subject, len(outlines)-1)
	case (d.Query == nil) == (len(d.Changes) == 0):
		return errors.New("there must be a query or changes")
	case len(d.Changes) > 3:
		return fmt.Errorf("there are %d changes, at most 3 are allowed", len(d.Changes))
	case d.Query != nil:
		return d.Query.check(d.schema())
	}
	for _, c := range d.Changes {
		if err := c.check(d.schema()); err != nil {
			return err
		}
	}
	return nil
}

func (d database) schema() schema {
	return newSchema(d.Subject, d.Tables, d.Nulls, rng.New(d.Seed, "tables", "names"))
}

// filling makes a filling, 0 to 2. The last one is smaller.
func (d database) filling(s schema, number int) *filling {
	h := hints{}
	if d.Query != nil {
		h.addQuery(s, d.Query)
	}
	for _, c := range d.Changes {
		h.addQuery(s, &c.Of)
	}
	return s.fill(d.Rows-number*d.Rows/8, h, rng.New(d.Seed, "tables", "rows", fmt.Sprint(number)))
}

// makeDatabase draws a question or changes that cannot be misread without effect.
func makeDatabase(p tablesParams, r *rng.Rand) (d database, err error) {
	const patience = 2000
	for range patience {
		d = database{Subject: r.Between(0, len(outlines)-1), Tables: p.Tables, Rows: p.Rows, Nulls: p.Nulls, Seed: r.Uint64() >> 11} // JSON numbers of 53 bits
		s := d.schema()
		draw := drawer{s, p, r}
		if p.Changes > 0 {
			linked := false
			for range r.Between(1, p.Changes) {
				c := draw.change()
				d.Changes = append(d.Changes, c)
				linked = linked || draw.linked(&c.Of)
			}
			if linked && d.changesTell(s) {
				return d, nil
			}
			continue
		}
		if d.Query = draw.query(); !draw.linked(d.Query) {
			continue
		}
		if all, fits := d.fits(s, r); fits && d.Query.tells(s, all) {
			return d, nil
		}
	}
	return database{}, errors.New("no question of these parameters can be told from all others")
}

// threshold draws the constant that decides which groups are kept, between their values.
func (q *query) threshold(f *filling, r *rng.Rand) bool {
	free := q.clone()
	free.Fold.Op, free.Sort = "", nil
	groups := free.evaluate(f)
	if len(groups) < 2 {
		return false
	}
	group := rng.Pick(r, groups)
	n, ok := group[len(group)-1].(int64)
	q.Fold.Than = n
	return ok
}

// fits makes the fillings, and reports whether the results are of a good size, and differ from
// filling to filling.
func (d database) fits(s schema, r *rng.Rand) (all []*filling, fits bool) {
	q := d.Query
	var results [][][]any
	for number := range fillings {
		f := d.filling(s, number)
		if number == 0 && q.Fold != nil && q.Fold.Op != "" && !q.threshold(f, r) {
			return nil, false
		}
		rows := q.evaluate(f)
		unclear := q.Fold != nil && slices.ContainsFunc(rows, func(row []any) bool { return row[len(row)-1] == nil })
		if len(rows) == 0 || len(rows) > 40 || unclear || q.tied(f) {
			return nil, false
		}
		if slices.ContainsFunc(results, func(other [][]any) bool { return sameRows(rows, other, false) == "" }) {
			return nil, false
		}
		all, results = append(all, f), append(results, rows)
	}
	return all, true
}

// tied reports whether the first rows are not clear, since the next one has the same last value.
func (q *query) tied(f *filling) bool {
	if q.Sort == nil || q.Sort.Top == 0 {
		return false
	}
	whole := q.clone()
	whole.Sort.Top = 0
	rows := whole.evaluate(f)
	n := q.Sort.Top
	return len(rows) > n && compareValues(rows[n-1][len(rows[n-1])-1], rows[n][len(rows[n])-1]) == 0
}

// enough is the number of misreadings that must have another result: all, if there are fewer.
const enough = 30

// tells reports whether enough misreadings have another result on some filling.
func (q *query) tells(s schema, all []*filling) bool {
	var want [][][]any
	for _, f := range all {
		want = append(want, q.evaluate(f))
	}
	mutants := q.mutants(s)
	alike := 0
	for _, m := range mutants {
		same := true
		for i := 0; i < len(all) && same; i++ {
			same = sameRows(m.evaluate(all[i]), want[i], q.Sort != nil) == ""
		}
		if same {
			alike++
		}
		if alike > max(0, len(mutants)-enough) {
			return false
		}
	}
	return true
}

// changesTell reports whether each change has an effect, and enough misreadings have another one.
func (d database) changesTell(s schema) bool {
	before := d.filling(s, 0)
	want := d.changed(before)
	mutants, same := 0, 0
	for i := range d.Changes {
		rest := d
		rest.Changes = slices.Delete(slices.Clone(d.Changes), i, i+1)
		if alike(rest.changed(before), want) {
			return false
		}
		for _, m := range d.Changes[i].mutants(s) {
			other := d
			other.Changes = slices.Clone(d.Changes)
			other.Changes[i] = *m
			mutants++
			if alike(other.changed(before), want) {
				same++
			}
		}
	}
	return same <= max(0, mutants-enough)
}

// changed applies the changes.
func (d database) changed(f *filling) *filling {
	for _, c := range d.Changes {
		f = c.apply(f)
	}
	return f
}

// alike reports whether two fillings have the same rows.
func alike(a, b *filling) bool {
	return slices.EqualFunc(a.rows, b.rows, func(x, y [][]any) bool {
		return slices.EqualFunc(x, y, slices.Equal)
	})
}

// Goal implements [toolbox.Start].
func (d database) Goal(wording int) string {
	s := d.schema()
	var names []string
	for _, t := range s {
		names = append(names, t.many)
	}
	text := fmt.Sprintf([]string{"There is a database of %s.", "A database holds %s.", "You have a database with %s."}[wording], list(names))
	if d.Nulls {
		text += " NULL means that a value is unknown."
	}
	if d.Query != nil {
		return text + "\n\n" + d.Query.words(s, wording) + "\n\n" + []string{
			"Finish with a SELECT statement of SQLite that gives this result, with its columns in the order in which they are named here. It is run on this database and on two others that have the same tables with " +
				"other rows, and must give the right rows on all three.",
			"Your answer is one SELECT statement in the SQL of SQLite, whose columns come in the order named above. Besides this database there are two more with the same tables and other rows; the statement must be right on each of them.",
			"Answer by a statement, not by values: a SELECT for SQLite, with the columns in the order of the question. It must give the right rows here and in two other databases, which have the same tables but other rows.",
		}[wording]
	}
	if len(d.Changes) == 1 {
		return text + "\n\n" + d.Changes[0].words(s, wording)
	}
	text += "\n\n" + []string{"Make these changes, one after another:", "Change it in these steps, in this order:", "Do the following, step by step:"}[wording]
	for i, c := range d.Changes {
		text += fmt.Sprintf("\n%d. %s", i+1, c.words(s, wording))
	}
	return text
}

// Answer implements [toolbox.Start].
func (d database) Answer() scenario.Param {
	if d.Query == nil {
		return scenario.Param{}
	}
	return scenario.Param{Name: "sql", Doc: "the SELECT statement", Type: scenario.Text()}
}

// Canonical implements [toolbox.Start]: what is asked, whatever the tables are called and hold.
func (d database) Canonical() string {
	text, err := json.Marshal(struct {
		Query   *query
		Changes []change
	}{d.Query, d.Changes})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(d.Subject, " ", string(text))
}

// Plan implements [toolbox.Start].
func (d database) Plan() []quintain.ToolCall {
	s := d.schema()
	plan := []quintain.ToolCall{toolbox.Call("tables", struct{}{})}
	for t := range s {
		if d.needs(s, t) {
			plan = append(plan, toolbox.Call("describe", map[string]string{"table": s[t].name}))
		}
	}
	if d.Query != nil {
		sql := map[string]string{"sql": d.Query.sql(s)}
		return append(plan, toolbox.Call("query", sql), toolbox.Call("finish", sql))
	}
	for _, c := range d.Changes {
		plan = append(plan, toolbox.Call("execute", map[string]string{"sql": c.sql(s)}))
	}
	return append(plan, toolbox.Call("finish", struct{}{}))
}
