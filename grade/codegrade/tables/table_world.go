package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// needs reports whether the question or a change uses a table.
func (d database) needs(s schema, t int) bool {
	var used []int
	var ofConds func(from int, conds []cond)
	ofValue := func(from int, v value) {
		used = append(used, from)
		if v.Down != nil {
			ofConds(v.Down.Table, v.Down.Where)
			used = append(used, v.Down.Table)
		}
		for _, l := range v.Up {
			from = s[from].columns[l].to
			used = append(used, from)
		}
	}
	ofConds = func(from int, conds []cond) {
		for _, c := range conds {
			ofValue(from, c.Of)
		}
	}
	if q := d.Query; q != nil {
		used = append(used, q.From)
		ofConds(q.From, q.Where)
		for _, v := range q.Show {
			ofValue(q.From, v)
		}
		if q.Fold != nil {
			ofValue(q.From, q.Fold.Of)
		}
	}
	for _, c := range d.Changes {
		used = append(used, c.Of.From)
		ofConds(c.Of.From, c.Of.Where)
	}
	return slices.Contains(used, t)
}

// A tableWorld is an episode. The rows are kept here; the sandbox may lose its own.
type tableWorld struct {
	database
	schema schema
	held   *filling // the rows; nil: as in the beginning
	python *python  // nil: no statement was run
	fault  string   // of the answer, once it is settled
}

// World implements [toolbox.Start].
func (d database) World() toolbox.World { return &tableWorld{database: d, schema: d.schema()} }

// now returns the rows as they are.
func (w *tableWorld) now() *filling {
	if w.held == nil {
		w.held = w.filling(w.schema, 0)
	}
	return w.held
}

// run runs a statement on rows. One that fails is refused.
func (w *tableWorld) run(ctx context.Context, sql statement) (reply, error) {
	if why := sql.forbidden(); why != "" {
		return reply{}, scenario.Refusef("%s", why)
	}
	if w.on == nil {
		return reply{}, errNowhere
	}
	if w.python == nil {
		if err := w.on.Start(); err != nil {
			return reply{}, fmt.Errorf("%w: %w", quintain.ErrLost, err)
		}
		w.python = &python{host: &w.on.Host}
	}
	r, err := w.python.run(ctx, sql)
	if err == nil && r.why != "" {
		err = scenario.Refusef("%.300s", r.why)
	}
	return r, err
}

// Tools implements [toolbox.World].
func (w *tableWorld) Tools() scenario.Kit {
	params := []scenario.Param{{Name: "sql", Doc: "one statement", Type: scenario.Text()}}
	kit := scenario.Kit{
		toolbox.Tool("tables", "List the tables with their numbers of rows.", nil, func(struct{}) (string, error) { return w.list(), nil }),
		toolbox.Tool("describe", "Show the columns and the first rows of a table.", []scenario.Param{{Name: "table", Type: scenario.Text()}}, func(in struct{ Table string }) (string, error) {
			return w.describe(in.Table)
		}),
		scenario.Of("query", "Run a SELECT statement and see its rows, 50 at most. The SQL is that of SQLite: FROM, JOIN, WHERE with AND, OR, NOT and IS NULL, GROUP BY, HAVING, ORDER BY with DESC, "+
			"LIMIT, DISTINCT, COUNT, SUM, AVG, MIN, MAX, strftime.", params, func(ctx context.Context, in struct{ SQL string }) (string, error) { return w.query(ctx, in.SQL) }),
	}
	if w.Query != nil {
		return kit
	}
	return append(kit, scenario.Of("execute", "Change rows by a statement of SQLite: UPDATE with SET, DELETE, or INSERT. It takes effect at once.", params,
		func(ctx context.Context, in struct{ SQL string }) (string, error) { return w.execute(ctx, in.SQL) }))
}

func (w *tableWorld) list() string {
	var b strings.Builder
	for i, t := range w.schema {
		fmt.Fprintf(&b, "%s: %d rows\n", t.name, len(w.now().rows[i]))
	}
	return strings.TrimSpace(b.String())
}

func (w *tableWorld) describe(name string) (string, error) {
	i := slices.IndexFunc(w.schema, func(t table) bool { return strings.EqualFold(t.name, name) })
	if i < 0 {
		return "", scenario.Refusef("argument table: there is no table %.40q; call tables to see their names", name)
	}
	t, rows := w.schema[i], w.now().rows[i]
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return w.schema.create(t) + "\n\n" + shown(names, rows[:min(3, len(rows))], len(rows)), nil
}

func (w *tableWorld) query(ctx context.Context, sql string) (string, error) {
	r, err := w.run(ctx, statement{sql: sql, on: w.now()})
	if err != nil {
		return "", err
	}
	return shown(r.columns, r.rows, len(r.rows)), nil
}

func (w *tableWorld) execute(ctx context.Context, sql string) (string, error) {
	r, err := w.run(ctx, statement{sql: sql, on: w.now(), writes: true})
	if err != nil {
		return "", err
	}
	w.held = r.after
	if len(r.columns) > 0 {
		return shown(r.columns, r.rows, len(r.rows)), nil
	}
	return fmt.Sprintf("%d rows have changed.", r.changed), nil
}

// Limits of a result that is shown.
const (
	mostRows  = 50
	mostBytes = 1100
	mostCell  = 40 // characters
)

// shown writes the first rows of a result of n rows.
func shown(columns []string, rows [][]any, n int) string {
	var b strings.Builder
	var names []any
	for _, c := range columns {
		names = append(names, c)
	}
	b.WriteString(rowShown(names))
	some := 0
	for _, row := range rows[:min(len(rows), mostRows)] {
		line := "\n" + rowShown(row)
		if b.Len()+len(line) > mostBytes {
			break
		}
		b.WriteString(line)
		some++
	}
	if some < n {
		return fmt.Sprintf("%s\n(%d rows, of which %d are shown)", b.String(), n, some)
	}
	return fmt.Sprintf("%s\n(%d rows)", b.String(), n)
}

// rowShown writes a row, cut to a length that lets another one follow.
func rowShown(row []any) string {
	var cells []string
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			cells = append(cells, "NULL")
		case string:
			cells = append(cells, strings.ToValidUTF8(fmt.Sprintf("%.*s", mostCell, v), "\uFFFD"))
		case float64:
			cells = append(cells, strconv.FormatFloat(v, 'g', 12, 64))
		default:
			cells = append(cells, fmt.Sprint(v))
		}
	}
	line := strings.Join(cells, " | ")
	if len(line) > mostBytes/2 {
		line = strings.ToValidUTF8(line[:mostBytes/2], "") + "…"
	}
	return line
}

// State implements [toolbox.World]: the rows of each table.
func (w *tableWorld) State() toolbox.State {
	if w.Query != nil {
		return nil
	}
	return w.stateOf(w.now().rows)
}

// Untouched implements [toolbox.World].
func (w *tableWorld) Untouched() toolbox.State {
	if w.Query != nil {
		return nil
	}
	return w.stateOf(w.filling(w.schema, 0).rows)
}

func (w *tableWorld) stateOf(rows [][][]any) toolbox.State {
	state := toolbox.State{}
	for i, t := range w.schema {
		var all []string
		for _, row := range rows[i] {
			all = append(all, rowText(row))
		}
		slices.Sort(all)
		state[t.name] = strings.Join(all, "\n")
	}
	return state
}

// Mine implements [toolbox.World].
func (w *tableWorld) Mine(entry string) bool {
	return slices.ContainsFunc(w.Changes, func(c change) bool { return w.schema[c.Of.From].name == entry })
}

// Judge implements [toolbox.World].
func (w *tableWorld) Judge(string) (j toolbox.Judgement) {
	if w.Query != nil {
		j.Answer = w.fault
		return j
	}
	right := w.changed(w.filling(w.schema, 0))
	for i, t := range w.schema {
		if why := sameRows(w.now().rows[i], right.rows[i], false); why != "" && w.Mine(t.name) {
			j.State = fmt.Sprintf("table %s: %s", t.name, strings.Replace(why, "it gives", "there are", 1))
		}
	}
	return j
}

// Settle implements [toolbox.Hosted]: it runs the answer on all fillings, and finds what is wrong with it.
func (w *tableWorld) Settle(ctx context.Context, answer string) error {
	if w.Query == nil {
		return nil
	}
	w.fault = "there is no statement"
	if strings.TrimSpace(answer) == "" {
		return nil
	}
	for number := range fillings {
		f := w.filling(w.schema, number)
		got, err := w.run(ctx, statement{sql: answer, on: f})
		if refusal, ok := errors.AsType[*scenario.Refusal](err); ok {
			w.fault = refusal.Why
			return nil
		}
		if err != nil {
			return err
		}
		if why := sameRows(got.rows, w.Query.evaluate(f), w.Query.Sort != nil); why != "" {
			w.fault = []string{"on the database that was seen, ", "on other rows, ", "on other rows, "}[number] + why
			return nil
		}
	}
	w.fault = ""
	return nil
}

// Close implements [toolbox.Hosted].
func (w *tableWorld) Close() error {
	if w.python == nil {
		return nil
	}
	return w.python.close()
}

var _ toolbox.Hosted = (*tableWorld)(nil)
