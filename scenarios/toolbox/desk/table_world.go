package desk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/memdb"
	"github.com/quintain-rl/quintain/scenario/tools"
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

// A tableWorld is an episode. The rows are kept here; each call fills a database with them, which
// lives no longer than the call.
type tableWorld struct {
	database
	schema schema
	held   [][][]any // the rows; nil: as in the beginning
}

// World implements [toolbox.Start].
func (d database) World() toolbox.World { return &tableWorld{database: d, schema: d.schema()} }

// now returns the rows as they are.
func (w *tableWorld) now() [][][]any {
	if w.held == nil {
		w.held = w.filling(w.schema, 0).rows
	}
	return w.held
}

// open fills a database with rows.
func (s schema) open(rows [][][]any) (db *memdb.DB, err error) {
	if db, err = memdb.Open(); err != nil {
		return nil, err
	}
	for i, t := range s {
		if err = db.Exec(s.create(t)); err == nil {
			err = db.Insert(t.name, rows[i])
		}
		if err != nil {
			db.Close()
			return nil, err
		}
	}
	return db, nil
}

// Tools implements [toolbox.World].
func (w *tableWorld) Tools() tools.Kit {
	statement := []tools.Param{{Name: "sql", Doc: "one statement", Type: tools.Text()}}
	kit := tools.Kit{
		toolbox.Tool("tables", "List the tables with their numbers of rows.", nil, func(struct{}) (string, error) { return w.list(), nil }),
		toolbox.Tool("describe", "Show the columns and the first rows of a table.", []tools.Param{{Name: "table", Type: tools.Text()}}, func(in struct{ Table string }) (string, error) {
			return w.describe(in.Table)
		}),
		toolbox.Tool("query", "Run a SELECT statement and see its rows, 50 at most. The SQL is that of SQLite: FROM, JOIN, WHERE with AND, OR, NOT and IS NULL, GROUP BY, HAVING, ORDER BY with DESC, "+
			"LIMIT, DISTINCT, COUNT, SUM, AVG, MIN, MAX, strftime.", statement, func(in struct{ SQL string }) (string, error) { return w.query(in.SQL) }),
	}
	if w.Query != nil {
		return kit
	}
	return append(kit, toolbox.Tool("execute", "Change rows by a statement of SQLite: UPDATE with SET, DELETE, or INSERT. It takes effect at once.", statement,
		func(in struct{ SQL string }) (string, error) { return w.execute(in.SQL) }))
}

func (w *tableWorld) list() string {
	var b strings.Builder
	for i, t := range w.schema {
		fmt.Fprintf(&b, "%s: %d rows\n", t.name, len(w.now()[i]))
	}
	return strings.TrimSpace(b.String())
}

func (w *tableWorld) describe(name string) (string, error) {
	i := slices.IndexFunc(w.schema, func(t table) bool { return strings.EqualFold(t.name, name) })
	if i < 0 {
		return "", tools.Refusef("argument table: there is no table %.40q; call tables to see their names", name)
	}
	t, rows := w.schema[i], w.now()[i]
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return w.schema.create(t) + "\n\n" + shown(memdb.Result{Columns: names, Rows: rows[:min(3, len(rows))]}, len(rows)), nil
}

func (w *tableWorld) query(sql string) (string, error) {
	db, err := w.schema.open(w.now())
	if err != nil {
		return "", err
	}
	defer db.Close()
	r, err := db.Run(sql, memdb.Read)
	if err != nil {
		return "", tools.Refusef("%.300s", err.Error())
	}
	return shown(r, len(r.Rows)), nil
}

func (w *tableWorld) execute(sql string) (string, error) {
	db, err := w.schema.open(w.now())
	if err != nil {
		return "", err
	}
	defer db.Close()
	r, err := db.Run(sql, memdb.Write)
	if err != nil {
		return "", tools.Refusef("%.300s", err.Error())
	}
	var rows [][][]any
	for _, t := range w.schema {
		all, err := db.Run("SELECT * FROM "+t.name, memdb.Read)
		if err != nil {
			return "", tools.Refusef("the table %s would become too large; nothing has changed", t.name)
		}
		rows = append(rows, all.Rows)
	}
	w.held = rows
	if len(r.Columns) > 0 {
		return shown(r, len(r.Rows)), nil
	}
	return fmt.Sprintf("%d rows have changed.", r.Changed), nil
}

// Limits of a result that is shown.
const (
	mostRows  = 50
	mostBytes = 1100
	mostCell  = 40 // characters
)

// shown writes the first rows of a result of n rows.
func shown(r memdb.Result, n int) string {
	var b strings.Builder
	var names []any
	for _, c := range r.Columns {
		names = append(names, c)
	}
	b.WriteString(rowShown(names))
	some := 0
	for _, row := range r.Rows[:min(len(r.Rows), mostRows)] {
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
	return w.stateOf(w.now())
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
func (w *tableWorld) Judge(answer string) (j toolbox.Judgement) {
	if w.Query != nil {
		j.Answer = w.judgeQuery(answer)
		return j
	}
	right := w.changed(w.filling(w.schema, 0))
	for i, t := range w.schema {
		if why := sameRows(w.now()[i], right.rows[i], false); why != "" && w.Mine(t.name) {
			j.State = fmt.Sprintf("table %s: %s", t.name, strings.Replace(why, "it gives", "there are", 1))
		}
	}
	return j
}

// judgeQuery runs a statement beside the right one on all fillings, and says what is wrong with it.
func (w *tableWorld) judgeQuery(sql string) string {
	for number := range fillings {
		db, err := w.schema.open(w.filling(w.schema, number).rows)
		if err != nil {
			return err.Error()
		}
		right, rightErr := db.Run(w.Query.sql(w.schema), memdb.Read)
		got, err := db.Run(sql, memdb.Read)
		db.Close()
		if rightErr != nil {
			return "the right statement fails: " + rightErr.Error()
		}
		if err != nil {
			return err.Error()
		}
		if why := sameRows(got.Rows, right.Rows, w.Query.Sort != nil); why != "" {
			return []string{"on the database that was seen, ", "on other rows, ", "on other rows, "}[number] + why
		}
	}
	return ""
}

var _ toolbox.World = (*tableWorld)(nil)
