package memdb_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/memdb"
)

// filled returns a database with a table of n rows.
func filled(t testing.TB, n int) *memdb.DB {
	t.Helper()
	d, err := memdb.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	if err := d.Exec("CREATE TABLE cars (id INTEGER, colour TEXT, price INTEGER)"); err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{int64(i), []any{"red", "it's", nil}[i%3], int64(10 * i)})
	}
	if err := d.Insert("cars", rows); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestStatementsReadAndWrite(t *testing.T) {
	t.Parallel()
	d := filled(t, 6)
	got, err := d.Run("SELECT colour, count(*), sum(price) / 2.0 AS half FROM cars GROUP BY colour ORDER BY 1; -- all", memdb.Read)
	want := memdb.Result{Columns: []string{"colour", "count(*)", "half"}, Rows: [][]any{{nil, int64(2), 35.0}, {"it's", int64(2), 25.0}, {"red", int64(2), 15.0}}}
	if err != nil || !reflect.DeepEqual(got.Rows, want.Rows) || !reflect.DeepEqual(got.Columns, want.Columns) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := d.Run("UPDATE cars SET price = price + 1 WHERE colour IS NULL", memdb.Write); err != nil || got.Changed != 2 {
		t.Errorf("%v, %v, want 2 changed rows", got, err)
	}
	if got, err := d.Run("SELECT date('now'), strftime('%Y'), CURRENT_DATE IS NULL", memdb.Read); err == nil {
		t.Errorf("CURRENT_DATE gives %v", got)
	}
	if got, err := d.Run("SELECT date('now'), strftime('%Y'), date()", memdb.Read); err != nil || fmt.Sprint(got.Rows) != "[[2024-06-30 2024 2024-06-30]]" {
		t.Errorf("the clock gives %v, %v", got, err)
	}
}

func TestStrangersReachNothingElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sql  string
		may  memdb.Rights
		want string // part of the error
	}{
		{"", memdb.Read, "no statement"},
		{"-- nothing", memdb.Read, "no statement"},
		{"SELECT 1; SELECT 2", memdb.Read, "more than one"},
		{"SELECT 1; DROP TABLE cars", memdb.Write, "must be"},
		{"SELECT 1; nonsense", memdb.Read, "more than one"},
		{"SELECT \x00 1", memdb.Read, "zero byte"},
		{"SELECT '" + strings.Repeat("x", memdb.MaxSQL) + "'", memdb.Read, "bytes"},
		{"SELEC 1", memdb.Read, "syntax error"},
		{"SELECT wheels FROM cars", memdb.Read, "no such column: wheels"},
		{"DELETE FROM cars", memdb.Read, "must only read"},
		{"WITH c AS (SELECT 1) UPDATE cars SET id = 1", memdb.Read, "must only read"},
		{"ATTACH 'x.db' AS x", memdb.Write, "must be a SELECT, INSERT"},
		{"VACUUM INTO 'x.db'", memdb.Write, "must be"},
		{"PRAGMA temp_store = 1", memdb.Write, "must be"},
		{"PRAGMA table_info(cars)", memdb.Read, "must be a SELECT"},
		{"SELECT * FROM pragma_table_info('cars')", memdb.Read, "must be"},
		{"SELECT load_extension('x')", memdb.Write, "no function load_extension"},
		{"SELECT random()", memdb.Read, "no function random"},
		{"SELECT hex(zeroblob(1000000000))", memdb.Read, "no function"},
		{"DROP TABLE cars", memdb.Write, "must be"},
		{"CREATE TABLE x (a)", memdb.Write, "must be"},
		{"CREATE TEMP TABLE x (a)", memdb.Write, "must be"},
		{"CREATE VIRTUAL TABLE x USING fts5(a)", memdb.Write, "must be"},
		{"BEGIN", memdb.Write, "must be"},
		{"SAVEPOINT x", memdb.Write, "must be"},
		{"DELETE FROM sqlite_master", memdb.Write, ""},
		{"ANALYZE", memdb.Write, "must be"},
		{"SELECT * FROM cars a, cars b, cars c, cars d, cars e WHERE a.id + b.id + c.id + d.id + e.id < 0", memdb.Read, "too many steps"},
		{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", memdb.Read, "too many steps"},
		{"SELECT a.id FROM cars a, cars b LIMIT 3000", memdb.Read, "more than 2000 rows"},
		{"SELECT format('%10000d', 1)", memdb.Read, "too big"},
		{"SELECT " + strings.Repeat("-~", 100) + "1", memdb.Read, "Expression tree is too large"},
	} {
		d := filled(t, 60)
		began := time.Now()
		got, err := d.Run(test.sql, test.may)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q gives %v, %v, want an error with %q", test.sql, got, err, test.want)
		}
		if took := time.Since(began); took > 20*time.Second { // the race detector is slow
			t.Errorf("%.60q takes %v", test.sql, took)
		}
		if left, err := d.Run("SELECT count(*) FROM cars", memdb.Read); err != nil || left.Rows[0][0] != int64(60) {
			t.Errorf("after %.60q there are %v rows, %v", test.sql, left.Rows, err)
		}
	}
}

func TestStepsAreCountedAlike(t *testing.T) {
	t.Parallel()
	ends := func(n int) bool {
		_, err := filled(t, 10).Run(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT max(i) FROM n", n), memdb.Read)
		return err == nil
	}
	low, high := 1, 1_000_000
	for high-low > 1 {
		if mid := (low + high) / 2; ends(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	for range 5 {
		if !ends(low) || ends(high) {
			t.Fatalf("counting to %d ends, and to %d does not, but not each time", low, high)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, s := range []string{"SELECT * FROM cars", "DELETE FROM cars WHERE id IN (SELECT id FROM cars)", "SELECT (((", "'", "WITH x AS (SELECT 1) SELECT * FROM x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		d := filled(t, 20)
		if _, err := d.Run(sql, memdb.Read); err == nil && len(sql) > memdb.MaxSQL {
			t.Errorf("%q runs", sql)
		}
		if left, err := d.Run("SELECT count(*) FROM cars", memdb.Read); err != nil || left.Rows[0][0] != int64(20) {
			t.Errorf("after %q there are %v rows, %v", sql, left.Rows, err)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		d, err := memdb.Open()
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

func BenchmarkQuery(b *testing.B) {
	d := filled(b, 200)
	for b.Loop() {
		if _, err := d.Run("SELECT a.colour, count(*) FROM cars a JOIN cars b ON a.id = b.id WHERE b.price > 300 GROUP BY a.colour", memdb.Read); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		filled(b, 200)
	}
}
