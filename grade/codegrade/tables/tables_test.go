package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// made makes database number index of a level.
func made(t testing.TB, level, index int) database {
	t.Helper()
	d, err := makeDatabase(spec.Levels[level], rng.New(uint64(index), "desk test", fmt.Sprint(level)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// played returns a play in the sandbox of this machine; nil: that is below the floor.
func played(t testing.TB) *Tables {
	t.Helper()
	play := Errand().Scenario.New().(*Tables)
	err := play.Start()
	if errors.Is(err, sandbox.ErrWeak) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := play.Close(); err != nil {
			t.Error(err)
		}
	})
	return play
}

// world begins an episode.
func world(t testing.TB, play *Tables, d database) *tableWorld {
	t.Helper()
	d.on = play
	w := d.World().(*tableWorld)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// judged returns what a world says of an answer.
func judged(t testing.TB, w *tableWorld, sql string) string {
	t.Helper()
	if err := w.Settle(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	return w.Judge(sql).Answer
}

// Its problems are few, as each episode has a session of Python.
func TestErrand(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	e := Errand()
	e.Scenario.New = func() scenario.Play { return play }
	scenariotest.RunTools(t, []*toolbox.Errand{e}, scenariotest.ToolSize{Problems: 2, Blind: 2})
}

func TestEvaluatorAgreesWithSQLite(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	for level := range spec.Levels {
		d := made(t, level, 0)
		w := world(t, play, d)
		for number := range fillings {
			f := d.filling(w.schema, number)
			if d.Query == nil {
				continue
			}
			for i, q := range append([]*query{d.Query}, d.Query.mutants(w.schema)...) {
				if q.tied(f) {
					continue
				}
				got, err := w.run(t.Context(), statement{sql: q.sql(w.schema), on: f})
				if err != nil {
					t.Fatalf("%s: %v", q.sql(w.schema), err)
				}
				if why := sameRows(got.rows, q.evaluate(f), q.Sort != nil && i == 0); why != "" {
					t.Errorf("level %d, filling %d: SQLite: %s; we: %v\n%s", level, number, why, q.evaluate(f), q.sql(w.schema))
				}
			}
		}
	}
}

// hostile are statements that a policy must not run, or that cost too much, each with a part of what it is told.
var hostile = []struct {
	sql    string
	writes bool
	told   string
}{
	{"", false, "no statement"},
	{"-- nothing", false, "no statement"},
	{"/* nothing", false, "no statement"},
	{";", false, "no statement"},
	{"SELECT 1; SELECT 2", false, "more than one"},
	{"SELECT 1; DROP TABLE TRIPS", true, "more than one"},
	{"SELECT 1; nonsense", false, "more than one"},
	{"SELECT \x00 1", false, "zero byte"},
	{"SELECT '" + strings.Repeat("x", MaxSQL) + "'", false, "bytes"},
	{"SELEC 1", false, "syntax error"},
	{"SELECT wheels FROM TRIPS", false, "no such column: wheels"},
	{"DELETE FROM TRIPS", false, "must only read"},
	{"WITH c AS (SELECT 1) UPDATE TRIPS SET id = 1", false, "must only read"},
	{"ATTACH 'x.db' AS x", true, "must be a SELECT, INSERT"},
	{"DETACH main", true, "must be"},
	{"VACUUM INTO 'x.db'", true, "VACUUM"},
	{"PRAGMA temp_store = 1", true, "must be"},
	{"PRAGMA table_info(TRIPS)", false, "must be a SELECT"},
	{"SELECT * FROM pragma_table_info('TRIPS')", false, "must"},
	{"SELECT load_extension('x')", true, "function"},
	{"SELECT random()", false, "no function random"},
	{"SELECT hex(randomblob(1000000000))", false, "no function"},
	{"SELECT hex(zeroblob(1000000000))", false, "no function"},
	{"SELECT CURRENT_DATE", false, "no function current_date"},
	{"SELECT CURRENT_TIMESTAMP", false, "no function current_timestamp"},
	{"SELECT readfile('/etc/passwd')", false, "function"},
	{"DROP TABLE TRIPS", true, "must be"},
	{"CREATE TABLE x (a)", true, "must be"},
	{"CREATE TEMP TABLE x (a)", true, "must be"},
	{"CREATE TRIGGER x AFTER INSERT ON TRIPS BEGIN SELECT 1; END", true, "must be"},
	{"CREATE VIRTUAL TABLE x USING fts5(a)", true, "must be"},
	{"BEGIN", true, "must be"},
	{"COMMIT", true, "must be"},
	{"ROLLBACK", true, "must be"},
	{"SAVEPOINT x", true, "must be"},
	{"DELETE FROM sqlite_master", true, ""},
	{"ANALYZE", true, "must be"},
	{"SELECT * FROM TRIPS a, TRIPS b, TRIPS c, TRIPS d, TRIPS e WHERE a.id + b.id + c.id + d.id + e.id < 0", false, "too many steps"},
	{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", false, "too many steps"},
	{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(strftime('%Y', 'now', i || ' days')) FROM n", false, "too many steps"},
	{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i FROM n", false, "more than 2000 rows"},
	{"UPDATE TRIPS SET id = id + (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)", true, "too many steps"},
	{"SELECT a.id FROM TRIPS a, TRIPS b LIMIT 3000", false, "more than 2000 rows"},
	{"INSERT INTO DRIVERS SELECT a.id * 100000 + b.id * 300 + 9999999, 'x', 'y', '2024-01-01', 1 FROM TRIPS a, TRIPS b LIMIT 2500", true, "too large"},
	{"SELECT format('%10000d', 1)", false, "function"},
	{"SELECT printf('%.*c', 1000000000, 'x')", false, "function"},
	{"SELECT group_concat(a.id) FROM TRIPS a, TRIPS b", false, "too big"},
	{"SELECT " + strings.Repeat("-~", 100) + "1", false, ""},
	{"SELECT " + strings.Repeat("(", 900) + "1" + strings.Repeat(")", 900), false, ""},
	{"SELECT 1" + strings.Repeat(" UNION SELECT 1", 100), false, "too many terms"},
	{"SELECT " + strings.Repeat("1,", 60) + "1", false, "too many columns"},
	{"SELECT 'x' LIKE '" + strings.Repeat("%x", 60) + "'", false, "too complex"},
	{"SELECT ?", false, "binding"},
}

// hosted returns the world of a database with the tables TRIPS and DRIVERS of the statements.
func hosted(t testing.TB, play *Tables) (w *tableWorld, named func(string) string) {
	d := database{Subject: 3, Tables: 2, Rows: 60, Nulls: true, Seed: 7, Changes: []change{{Of: query{From: 1}, Delete: true}}}
	w = world(t, play, d)
	return w, strings.NewReplacer("TRIPS", w.schema[1].name, "DRIVERS", w.schema[0].name).Replace
}

func TestStatementsReachNothingElse(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	w, named := hosted(t, play)
	for _, test := range hostile {
		got, err := w.run(t.Context(), statement{sql: named(test.sql), on: w.now(), writes: test.writes})
		if refusal, ok := errors.AsType[*scenario.Refusal](err); !ok || !strings.Contains(refusal.Why, test.told) {
			t.Errorf("%.60q gives %v, %v, want a refusal with %q", test.sql, got.rows, err, test.told)
		}
		left, err := w.run(t.Context(), statement{sql: named("SELECT count(*) FROM TRIPS"), on: w.now()})
		if want := int64(len(w.now().rows[1])); err != nil || left.rows[0][0] != want {
			t.Errorf("after %.60q there are %v rows, %v, want %d", test.sql, left.rows, err, want)
		}
	}
}

func TestTheClockStandsStill(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	w, _ := hosted(t, play)
	for _, test := range []struct{ sql, want string }{
		{"SELECT date('now'), date(), strftime('%Y'), strftime('%Y', 'NOW', '-1 year'), datetime('now', 'localtime')", "[[2024-06-30 2024-06-30 2024 2023 2024-06-30 12:00:00]]"},
		{"SELECT date(x'6E6F77'), time(CAST(x'6E6F7700' AS TEXT)), julianday('now') = julianday('2024-06-30 12:00'), printf('%05.1f|%s', 2, 'x')", "[[2024-06-30 12:00:00 1 002.0|x]]"},
		{"SELECT strftime('now', '2020-01-01'), date('x'), date(NULL)", "[[now <nil> <nil>]]"},
		{"SELECT 1 / 2.0, 9223372036854775807, 9e999, -9e999, 'Infinity', NULL, x'41', 1e20, 'é\"\\'", "[[0.5 9223372036854775807 +Inf -Inf Infinity <nil> A 1e+20 é\"\\]]"},
	} {
		if got, err := w.run(t.Context(), statement{sql: test.sql, on: w.now()}); err != nil || fmt.Sprint(got.rows) != test.want {
			t.Errorf("%s: %v, %v, want %s", test.sql, got.rows, err, test.want)
		}
	}
}

// A session that the machine loses is opened again, with the rows as they were.
func TestALostSessionIsOpenedAgain(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	w, named := hosted(t, play)
	if _, err := w.execute(t.Context(), named("DELETE FROM TRIPS WHERE id % 2 = 0")); err != nil {
		t.Fatal(err)
	}
	want := len(w.held.rows[1])
	if err := w.python.session.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := w.query(t.Context(), named("SELECT count(*) FROM TRIPS"))
	if err != nil || !strings.Contains(got, fmt.Sprintf("\n%d\n", want)) {
		t.Errorf("%q, %v, want %d rows", got, err, want)
	}
}

func TestWithoutASandboxNothingRuns(t *testing.T) {
	t.Parallel()
	w := made(t, 0, 0).World().(*tableWorld)
	if err := w.Settle(t.Context(), "SELECT 1"); !errors.Is(err, errNowhere) {
		t.Errorf("error %v, want %v", err, errNowhere)
	}
	e := Errand()
	p, err := e.Task.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Task.Grade(p, "x"); !errors.Is(err, task.ErrPlayed) {
		t.Errorf("error %v, want %v", err, task.ErrPlayed)
	}
	if _, err := e.Scenario.With(e.Task, closed(t)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed play: error %v", err)
	}
}

// closed returns a play whose sandbox does not start.
func closed(t *testing.T) *Tables {
	play := Errand().Scenario.New().(*Tables)
	if err := play.Close(); err != nil {
		t.Fatal(err)
	}
	return play
}

// The version of SQLite is in the ID of the scenario.
func TestTheVersionIsInTheID(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	var ids []string
	for _, version := range []string{play.version, "3.99.0"} {
		play.version = version
		of, err := Errand().Scenario.With(Errand().Task, play)
		if err != nil || !strings.Contains(of.Info().Mark, "SQLite "+version) || !strings.Contains(string(of.Info().Sandbox), version) {
			t.Fatalf("%+v, %v", of, err)
		}
		ids = append(ids, of.Info().ID())
	}
	if ids[0] == ids[1] || !strings.HasPrefix(ids[0], "tables.v2-") {
		t.Errorf("the IDs are %v", ids)
	}
}

func BenchmarkQuery(b *testing.B) {
	play := played(b)
	if play == nil {
		return
	}
	w, named := hosted(b, play)
	for b.Loop() {
		if _, err := w.query(b.Context(), named("SELECT a.id, count(*) FROM TRIPS a JOIN TRIPS b ON a.id = b.id GROUP BY 1")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEpisode plays whole episodes by their plans.
func BenchmarkEpisode(b *testing.B) {
	play := played(b)
	if play == nil {
		return
	}
	e := Errand()
	of, err := e.Scenario.With(e.Task, play)
	if err != nil {
		b.Fatal(err)
	}
	steps := 0
	for i := range b.N {
		p, err := of.Problem(quintain.Draw{Level: i % len(spec.Levels), Index: i})
		if err != nil {
			b.Fatal(err)
		}
		steps += playPlan(b, of, p)
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// playPlan plays an episode by its plan, a call a reply, and returns the number of replies.
func playPlan(b *testing.B, of quintain.Scenario, p quintain.Problem) int {
	plan, err := of.(quintain.Solver).Solve(p)
	if err != nil {
		b.Fatal(err)
	}
	env, err := of.Env(p)
	if err != nil {
		b.Fatal(err)
	}
	defer env.Close()
	calls := toolcall.Plain().Parse(plan, toolcall.Context{}).Calls
	var last quintain.Step
	for _, c := range calls {
		if last, err = env.Step(b.Context(), quintain.Reply{ToolCalls: []quintain.ToolCall{c}, Finish: quintain.Stop}); err != nil {
			b.Fatal(err)
		}
	}
	if !last.Right {
		b.Fatalf("%s: %s", p.ID(), last.Why)
	}
	return len(calls)
}

func TestFillingsAreThoseOfTheRecord(t *testing.T) {
	t.Parallel()
	d := made(t, 2, 0)
	record, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Fillings(record)
	if err != nil || len(all) != fillings {
		t.Fatalf("Fillings: %d, %v; want %d", len(all), err, fillings)
	}
	for number, one := range all {
		if want := d.filling(d.schema(), number).rows; fmt.Sprint(one.Fill) != fmt.Sprint(want) || len(one.Create) != d.Tables {
			t.Errorf("filling %d has %d tables with %v, want %v", number, len(one.Create), one.Fill, want)
		}
	}
	for _, bad := range []string{`{"subject":99}`, `{`} {
		if _, err := Fillings([]byte(bad)); err == nil {
			t.Errorf("Fillings(%s) returns no error", bad)
		}
	}
}

func TestMisreadingsAreWrong(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	for _, level := range []int{1, 3, 6} {
		for index := range 3 {
			d := made(t, level, index)
			w, s := world(t, play, d), d.schema()
			wrong := 0
			for _, m := range d.Query.mutants(s) {
				if why := judged(t, w, m.sql(s)); why != "" {
					wrong++
				}
			}
			if all := len(d.Query.mutants(s)); wrong < min(all, enough) {
				t.Errorf("level %d, index %d: of %d misreadings of %s, %d are wrong", level, index, all, d.Query.sql(s), wrong)
			}
			if why := judged(t, w, d.Query.sql(s)); why != "" {
				t.Errorf("level %d, index %d: %s", level, index, why)
			}
		}
	}
}

func TestCopiedValuesAreWrong(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	for level := range spec.Levels {
		d := made(t, level, 1)
		if d.Query == nil {
			continue
		}
		s := d.schema()
		var rows []string
		for _, row := range d.Query.evaluate(d.filling(s, 0)) {
			var cells []string
			for _, v := range row {
				cells = append(cells, literal(v))
			}
			rows = append(rows, "("+strings.Join(cells, ",")+")")
		}
		if why := judged(t, world(t, play, d), "VALUES "+strings.Join(rows, ",")); !strings.HasPrefix(why, "on other rows") {
			t.Errorf("level %d: the values of the seen rows: %q", level, why)
		}
	}
}

func TestAnswersAreCompared(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	asked := database{Subject: 3, Tables: 2, Rows: 12, Seed: 7, Query: &query{From: 1, Show: []value{{Col: 2}, {Col: 4}}, Sort: &order{Down: true}}}
	w, s := world(t, play, asked), asked.schema()
	trips, vehicle, distance := s[1].name, s[1].columns[2].name, s[1].columns[4].name
	for _, test := range []struct{ sql, want string }{ // want: part of the reason
		{fmt.Sprintf("SELECT %s, %s FROM %s ORDER BY 2 DESC, id", vehicle, distance, trips), ""},
		{fmt.Sprintf("WITH x AS (SELECT * FROM %s) SELECT %s AS a, %s * 1.0 AS b FROM x ORDER BY b DESC -- fine", trips, vehicle, distance), ""},
		{fmt.Sprintf("SELECT %s, %s FROM %s ORDER BY 2", vehicle, distance, trips), "out of order"},
		{fmt.Sprintf("SELECT %s, %s FROM %s ORDER BY 1 DESC", distance, vehicle, trips), "it gives the row"},
		{fmt.Sprintf("SELECT %s FROM %s ORDER BY 1 DESC", distance, trips), "it gives the row"},
		{fmt.Sprintf("SELECT %s, %s FROM %s ORDER BY 2 DESC LIMIT 3", vehicle, distance, trips), "it gives 3 rows"},
		{fmt.Sprintf("SELECT %s, CAST(%s AS TEXT) FROM %s ORDER BY %[2]s DESC", vehicle, distance, trips), "it gives the row"},
		{"DELETE FROM " + trips, "only read"},
		{"", "no statement"},
		{"the longest trip", "syntax error"},
	} {
		if why := judged(t, w, test.sql); test.want == "" && why != "" || !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, want %q", test.sql, why, test.want)
		}
	}
}

func TestTablesGrowToALimit(t *testing.T) {
	play := played(t)
	if play == nil {
		return
	}
	d := database{Subject: 3, Tables: 2, Rows: 50, Nulls: true, Seed: 7, Changes: []change{{Of: query{From: 1}, Delete: true}}}
	w := world(t, play, d)
	grow := fmt.Sprintf("INSERT INTO %s (name, %s, %s) SELECT a.name, a.%[2]s, a.%[3]s FROM %[1]s a, %[1]s b", w.schema[0].name, w.schema[0].columns[2].name, w.schema[0].columns[3].name)
	if _, err := w.execute(t.Context(), strings.ReplaceAll(grow, "name", w.schema[0].columns[1].name)); err != nil {
		t.Fatal(err)
	}
	before := len(w.held.rows[0])
	if _, err := w.execute(t.Context(), strings.ReplaceAll(grow, "name", w.schema[0].columns[1].name)); err == nil || len(w.held.rows[0]) != before || before < 500 {
		t.Errorf("%d rows become %d: %v", before, len(w.held.rows[0]), err)
	}
	if _, err := w.execute(t.Context(), "DELETE FROM "+w.schema[1].name); err != nil {
		t.Fatal(err)
	}
	if j := w.Judge(""); j.State != "" || !w.Mine(w.schema[1].name) || w.Mine(w.schema[0].name) || w.State()[w.schema[0].name] == w.Untouched()[w.schema[0].name] {
		t.Errorf("it is judged as %+v, and the other table counts as untouched", j)
	}
}

func BenchmarkMake(b *testing.B) {
	for level := range spec.Levels {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			for i := range b.N {
				made(b, level, i)
			}
		})
	}
}
