package tasktest

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Near is one row of a task's table of near misses. It is an alias, so rows need no type
// name.
type Near = struct {
	Answer string
	Want   float64 // expected score
	Why    string
}

// Nears checks score against a table of near misses.
func Nears(t *testing.T, score func(string) quintain.Verdict, table []Near) {
	t.Helper()
	for _, near := range table {
		v := score(near.Answer)
		if d := v.Score - near.Want; d > 1e-12 || d < -1e-12 {
			t.Errorf("Score(%q) = %+v, want %v (%s)", near.Answer, v, near.Want, near.Why)
		}
		if v.Score < 1 && v.Reason == "" {
			t.Errorf("Score(%q) = %+v gives no reason", near.Answer, v)
		}
	}
}

// Refused checks that task refuses settings. The keys are settings as JSON; the values are what the error must name.
func Refused(t *testing.T, task quintain.Task, naming map[string]string) {
	t.Helper()
	for raw, name := range naming {
		_, err := task.With(json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("params %s: error %v, want one that names %q", raw, err, name)
		}
	}
}

// RefusedRecords checks that none of records, in JSON, is accepted as a problem.
func RefusedRecords(t *testing.T, task quintain.Task, records []string) {
	t.Helper()
	for _, record := range records {
		p := quintain.Problem{Task: task.Info().Name, Instance: quintain.RawRecord([]byte(record))}
		if v, err := task.Grade(p, "1"); err == nil {
			t.Errorf("record %s is accepted: %+v", record, v)
		}
	}
}

// With returns task with params, settings as JSON.
func With(t testing.TB, task quintain.Task, params string) quintain.Task {
	t.Helper()
	own, err := task.With(json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// Made returns the record of one problem of task. I is the task's own record.
func Made[I any](t *testing.T, task quintain.Task, level, index int) I {
	t.Helper()
	return record[I](t, problem(t, task, quintain.Draw{Seed: 5, Level: level, Index: index}))
}

// Matrix reads the matrix in a text: its lines of digits and spaces.
func Matrix(text string) (rows grid.Grid[int]) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.Trim(line, " 0123456789\n") != "" {
			continue
		}
		row := make([]int, len(fields))
		for i, field := range fields {
			row[i], _ = strconv.Atoi(field) // digits only
		}
		rows = append(rows, row)
	}
	return rows
}

// Second checks Solve against a second solver, written in the test of each task: check gets
// the problem and its prompt, and returns an error if got is wrong. The heavy tests look at
// n problems over all levels, others at a few of each. I is the task's own record.
func Second[I any](t *testing.T, task quintain.Task, n int, check func(problem I, prompt, got string) error) {
	t.Helper()
	Every(t, task, Count(n, draws*max(3, len(task.Info().Levels))), check)
}

// Every is [Second] on all n problems, for tests that count what they find.
func Every[I any](t *testing.T, task quintain.Task, n int, check func(problem I, prompt, got string) error) {
	t.Helper()
	all := len(task.Info().Levels)
	for i := range n {
		p := problem(t, task, quintain.Draw{Seed: 99, Level: i % all, Index: i / all})
		var record I
		if err := strictjson.Unmarshal([]byte(p.Instance.String()), &record); err != nil {
			t.Fatal(err)
		}
		if err := check(record, p.Prompt, solve(t, task, p)); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", p.ID(), err, reflect.TypeFor[I]().Name(), p.Instance)
		}
	}
}
