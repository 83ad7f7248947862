package desk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/memdb"
	"github.com/quintain-rl/quintain/task/rng"
)

// made makes database number index of a level.
func made(t testing.TB, level, index int) database {
	t.Helper()
	d, err := makeDatabase(tables.Levels[level], rng.New(uint64(index), "desk test", fmt.Sprint(level)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEvaluatorAgreesWithSQLite(t *testing.T) {
	t.Parallel()
	for level := range tables.Levels {
		for index := range 5 {
			d := made(t, level, index)
			s := d.schema()
			for number := range fillings {
				f := d.filling(s, number)
				db, err := s.open(f.rows)
				if err != nil {
					t.Fatal(err)
				}
				if d.Query != nil {
					for i, q := range append([]*query{d.Query}, d.Query.mutants(s)...) {
						if q.tied(f) {
							continue
						}
						got, err := db.Run(q.sql(s), memdb.Read)
						if err != nil {
							t.Fatalf("%s: %v", q.sql(s), err)
						}
						if why := sameRows(got.Rows, q.evaluate(f), q.Sort != nil && i == 0); why != "" {
							t.Errorf("level %d, index %d, filling %d: SQLite: %s; we: %v\n%s", level, index, number, why, q.evaluate(f), q.sql(s))
						}
					}
				}
				db.Close()
			}
		}
	}
}

// judged returns what a world says of an answer.
func judged(d database, sql string) string { return d.World().Judge(sql).Answer }

func TestFillingsAreThoseOfTheRecord(t *testing.T) {
	t.Parallel()
	d := made(t, 2, 0)
	record, err := jsonform.Marshal(d)
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
	t.Parallel()
	for _, level := range []int{1, 3, 6} {
		for index := range 3 {
			d := made(t, level, index)
			s := d.schema()
			wrong := 0
			for _, m := range d.Query.mutants(s) {
				if why := judged(d, m.sql(s)); why != "" {
					wrong++
				}
			}
			if all := len(d.Query.mutants(s)); wrong < min(all, enough) {
				t.Errorf("level %d, index %d: of %d misreadings of %s, %d are wrong", level, index, all, d.Query.sql(s), wrong)
			}
			if why := judged(d, d.Query.sql(s)); why != "" {
				t.Errorf("level %d, index %d: %s", level, index, why)
			}
		}
	}
}

func TestCopiedValuesAreWrong(t *testing.T) {
	t.Parallel()
	for level := range tables.Levels {
		d := made(t, level, 1)
		if d.Query == nil {
			continue
		}
		s := d.schema()
		var rows []string
		for _, row := range d.Query.evaluate(d.filling(s, 0)) {
			var cells []string
			for _, v := range row {
				cells = append(cells, memdb.Literal(v))
			}
			rows = append(rows, "("+strings.Join(cells, ",")+")")
		}
		if why := judged(d, "VALUES "+strings.Join(rows, ",")); !strings.HasPrefix(why, "on other rows") {
			t.Errorf("level %d: the values of the seen rows: %q", level, why)
		}
	}
}

func TestAnswersAreCompared(t *testing.T) {
	t.Parallel()
	asked := database{Subject: 3, Tables: 2, Rows: 12, Seed: 7, Query: &query{From: 1, Show: []value{{Col: 2}, {Col: 4}}, Sort: &order{Down: true}}}
	s := asked.schema()
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
		if why := judged(asked, test.sql); test.want == "" && why != "" || !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, want %q", test.sql, why, test.want)
		}
	}
}

func TestTablesGrowToALimit(t *testing.T) {
	t.Parallel()
	d := database{Subject: 3, Tables: 2, Rows: 50, Nulls: true, Seed: 7, Changes: []change{{Of: query{From: 1}, Delete: true}}}
	w := d.World().(*tableWorld)
	grow := fmt.Sprintf("INSERT INTO %s (name, %s, %s) SELECT a.name, a.%[2]s, a.%[3]s FROM %[1]s a, %[1]s b", w.schema[0].name, w.schema[0].columns[2].name, w.schema[0].columns[3].name)
	if _, err := w.execute(strings.ReplaceAll(grow, "name", w.schema[0].columns[1].name)); err != nil {
		t.Fatal(err)
	}
	before := len(w.held[0])
	if _, err := w.execute(strings.ReplaceAll(grow, "name", w.schema[0].columns[1].name)); err == nil || len(w.held[0]) != before || before < 500 {
		t.Errorf("%d rows become %d: %v", before, len(w.held[0]), err)
	}
	if _, err := w.execute("DELETE FROM " + w.schema[1].name); err != nil {
		t.Fatal(err)
	}
	if j := w.Judge(""); j.State != "" || !w.Mine(w.schema[1].name) || w.Mine(w.schema[0].name) || w.State()[w.schema[0].name] == w.Untouched()[w.schema[0].name] {
		t.Errorf("it is judged as %+v, and the other table counts as untouched", j)
	}
}

func BenchmarkMake(b *testing.B) {
	for level := range tables.Levels {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			for i := range b.N {
				made(b, level, i)
			}
		})
	}
}
