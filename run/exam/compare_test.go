package exam_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
)

// examined is the report on a file of n problems of which question q is answered right r(q)
// times in samples.
func examined(t *testing.T, n, samples int, r func(q int) int) *exam.Report {
	t.Helper()
	e := exam.Exam{Sets: sets(t, asking(n), exam.Settings{Split: exam.BothSides}), Policy: knows(r), Samples: samples}
	report, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCompare(t *testing.T) {
	t.Parallel()
	some := examined(t, 20, 1, func(q int) int { return q % 2 })
	more := examined(t, 20, 4, func(q int) int { return min(4, 4*(q%4)) })
	less := examined(t, 20, 1, func(q int) int { return max(0, q%4-2) })
	for _, test := range []struct {
		why           string
		first, second *exam.Report
		difference    float64
		better, worse int
		p             float64
		flip          string // the first
	}{
		{"a better policy, with more samples", some, more, 0.25, 5, 0, 0.0625, "0 of 1 right, then 4 of 4 right"},
		{"a worse one", some, less, -0.25, 0, 5, 0.0625, "1 of 1 right, then 0 of 1 right"},
		{"a report with itself", some, some, 0, 0, 0, 1, ""},
	} {
		c, err := exam.Compare(test.first, test.second)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if c.Problems != 20 || c.Difference != test.difference || c.Better != test.better || c.Worse != test.worse || c.P != test.p ||
			c.After-c.Before != test.difference || len(c.Flips) != test.better+test.worse || c.Rows[0].Change.P != test.p {
			t.Errorf("%s: %+v", test.why, c)
		}
		if c.Within.Low >= test.difference || c.Within.High <= test.difference {
			t.Errorf("%s: interval %+v", test.why, c.Within)
		}
		if len(c.Flips) > 0 && c.Flips[0].Before.String()+", then "+c.Flips[0].After.String() != test.flip {
			t.Errorf("%s: the first flip is %+v", test.why, c.Flips[0])
		}
	}
}

func TestCompareListsWhatBecameRightFirst(t *testing.T) {
	t.Parallel()
	c, err := exam.Compare(examined(t, 8, 1, func(q int) int { return q % 2 }), examined(t, 8, 1, func(q int) int { return (q + 1) % 2 }))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range c.Flips {
		if right := f.After.Right == 1; right != (i < 4) {
			t.Errorf("flip %d: %+v", i, f)
		}
	}
	if c.Better != 4 || c.Worse != 4 || c.Difference != 0 || c.P != 1 {
		t.Errorf("%+v", c)
	}
}

func TestCompareRefusesOtherProblems(t *testing.T) {
	t.Parallel()
	ten, twelve := examined(t, 10, 1, func(int) int { return 1 }), examined(t, 12, 1, func(int) int { return 1 })
	_, err := exam.Compare(ten, twelve)
	var different *exam.DifferentError
	if !errors.As(err, &different) || different.First != nil || len(different.Second) != 2 ||
		!strings.Contains(err.Error(), "2 only in the second, such as space.v1/space.v0") {
		t.Errorf("error %v", err)
	}
}

func TestReadReport(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, want string }{
		{"no JSON", `rows`, "is not a report of quintain eval: 'r' stands"},
		{"another JSON", `{"tasks":[]}`, "it has no problems"},
		{"a row that is null", `{"rows":[null]}`, "rows[0] is null"},
		{"a problem that is null", `{"rows":[{"problems":[null]}]}`, "rows[0].problems[0] is null"},
		{"a problem that is there twice", `{"rows":[{"problems":[{"id":"a"},{"id":"a"}]}]}`, `rows[0].problems[1]: "a" is there twice`},
		{"scores that overflow", `{"rows":[{"problems":[{"id":"a","episodes":[{"score":1e308}]}]}]}`, "a score is beyond ±1e+12"},
		{"a problem", `{"rows":[{"problems":[{"id":"a"}]}]}`, ""},
	} {
		path := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := exam.ReadReport(path)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

// FuzzReadReport compares any readable report with itself: nothing differs, and the result
// can be written.
func FuzzReadReport(f *testing.F) {
	f.Add(`{"samples":2,"rows":[{"label":"a","problems":[{"id":"a","episodes":[{"outcome":"scored","score":1,"right":true},{"outcome":"env_failed"}]}]}]}`)
	f.Add(`{"rows":[{"problems":[{"id":"a"}]},{"problems":null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := exam.ReadReport(path)
		if err != nil {
			return
		}
		c, err := exam.Compare(r, r)
		if err != nil || c.Difference != 0 || c.Better+c.Worse+len(c.Flips) > 0 {
			t.Errorf("%+v, error %v", c, err)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	})
}

func TestEqualScoresHaveAnIntervalOfSomeWidth(t *testing.T) {
	t.Parallel()
	wrong, right := examined(t, 7, 1, func(int) int { return 0 }), examined(t, 7, 1, func(int) int { return 1 })
	c, err := exam.Compare(wrong, wrong)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why       string
		within    *stats.Interval
		low, high float64
	}{
		{"all wrong", wrong.Within, 0, 0.354},
		{"all wrong, of the row", wrong.Rows[0].Within, 0, 0.354},
		{"all right", right.Within, 0.646, 1},
		{"no problem differs", c.Within, -0.354, 0.354},
	} {
		if math.Abs(test.within.Low-test.low) > 0.001 || math.Abs(test.within.High-test.high) > 0.001 {
			t.Errorf("%s: %+v, want %v to %v", test.why, test.within, test.low, test.high)
		}
	}
}
