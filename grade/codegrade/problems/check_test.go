package problems_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// judge takes a program for what it should do: "right" passes, "returns X" passes if the first
// expected output is X, and so on.
func judge(_ context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error) {
	want := tests.Cases[0].Output
	switch {
	case code == "right", code == "returns "+want, strings.Contains(code, "known = ") && want != "3":
		return codegrade.Verdict{Score: 1, Passed: 1, Total: 1}, nil
	case code == "lost":
		return codegrade.Verdict{}, errors.New("the disk is full")
	case code == "broken":
		return codegrade.Verdict{}, fmt.Errorf("%w: no numpy", codegrade.ErrTests)
	}
	return codegrade.Verdict{Total: 4, Reason: codegrade.WrongAnswer, Outcomes: []codegrade.Outcome{{Case: 0}, {Case: 2, Reason: codegrade.WrongAnswer, Error: "Traceback\nValueError: x\n"}}}, nil
}

// file writes rows to a file.
func file(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// apps is a row of APPS with solutions.
func apps(solutions string) string {
	return `{"question":"q","input_output":{"inputs":["1"],"outputs":["2"]},"solutions":` + solutions + `}`
}

// lcb is a row of LiveCodeBench with a public test.
func lcb(output string) string {
	return `{"question_content":"q","public_test_cases":[{"input":"1","output":"` + output + `","testtype":"stdin"}],"private_test_cases":""}`
}

func TestRows(t *testing.T) {
	const call = `{"question":"q","input_output":{"fn_name":"f","inputs":[[1]],"outputs":[["x"]]},"solutions":["%s"]}`
	for _, test := range []struct {
		why, row, says string // says: of the fault, or the solutions that are kept
		judged         bool
	}{
		{"a solution passes", apps(`["right"]`), "right; 0 fail", true},
		{"some solutions pass", apps(`["wrong","right","bad","returns 2"]`), "right,returns 2; 2 fail", true},
		{"none passes", apps(`["wrong","bad"]`), `solutions: none of the 2 passes its tests; the first has wrong_answer at test 3 of 4 ("ValueError: x"): leave the row out, or correct it`, false},
		{"the likely reading", fmt.Sprintf(call, `returns \"x\"`), `returns "x"; 0 fail`, true},
		{"the other reading", fmt.Sprintf(call, `returns [\"x\"]`), `returns ["x"]; 0 fail`, true},
		{"no reading", fmt.Sprintf(call, `returns [[\"x\"]]`), "solutions: none of the 1 passes", false},
		{"no solution and no public test", apps(`[]`), "; 0 fail", false},
		{"a public test that equals itself", lcb("2"), "; 0 fail", true},
		{"one that does not", lcb("3"), "tests: a program that prints the expected outputs of the 1 public tests fails with wrong_answer at test 3 of 4", false},
		{"tests that are broken", apps(`["right","broken"]`), "the tests are broken: no numpy", false},
		{"a fault of the machine", apps(`["right","lost"]`), "the disk is full", false},
		{"a row that cannot be read", `{"question":"q"}`, "are of no known form", false},
	} {
		var rows []problems.CheckRow
		err := problems.Check{Judge: judge}.Run(t.Context(), opened(t, file(t, "", test.row)), func(r problems.CheckRow) error {
			rows = append(rows, r)
			return nil
		})
		if err != nil || len(rows) != 1 || rows[0].N != 2 || rows[0].Judged != test.judged {
			t.Errorf("%s: %+v, error %v", test.why, rows, err)
			continue
		}
		said := fmt.Sprintf("%s; %d fail", strings.Join(rows[0].Problem.Solutions, ","), rows[0].Failed)
		if fault := errors.Join(rows[0].Fault, rows[0].Lost); fault != nil {
			said = fault.Error()
		}
		if !strings.Contains(said, test.says) || (rows[0].Lost != nil) != (test.why == "a fault of the machine") {
			t.Errorf("%s: %s, want %s", test.why, said, test.says)
		}
	}
}

// TestTheReadingThatHoldsIsKept checks the tests of a row whose results may be in lists of
// their own.
func TestTheReadingThatHoldsIsKept(t *testing.T) {
	for solution, want := range map[string]string{`returns \"x\"`: `"x"`, `returns [\"x\"]`: `["x"]`} {
		row := `{"question":"q","input_output":{"fn_name":"f","inputs":[[1]],"outputs":[["x"]]},"solutions":["` + solution + `"]}`
		err := problems.Check{Judge: judge}.Run(t.Context(), opened(t, file(t, row)), func(r problems.CheckRow) error {
			if got := r.Problem.Tests.Cases[0].Output; got != want {
				t.Errorf("%s: %s, want %s", solution, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTheFirstSolutionsAlone(t *testing.T) {
	for most, want := range map[int]string{1: "right", 2: "right", 3: "right,returns 2", 9: "right,returns 2"} {
		err := problems.Check{Judge: judge, Most: most}.Run(t.Context(), opened(t, file(t, apps(`["right","wrong","returns 2"]`))), func(r problems.CheckRow) error {
			if got := strings.Join(r.Problem.Solutions, ","); got != want {
				t.Errorf("%d: %s, want %s", most, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRowsComeInOrder(t *testing.T) {
	var rows []string
	for i := range 50 {
		rows = append(rows, strings.Replace(apps(`["right"]`), `{`, fmt.Sprintf(`{"id":"p%d",`, i), 1))
	}
	release := make(chan bool)
	var got, want []string
	slow := func(ctx context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error) {
		release <- true // two are here at the same time, in any order
		return judge(ctx, tests, code)
	}
	go func() {
		for range rows {
			<-release
		}
	}()
	err := problems.Check{Judge: slow, Workers: 4}.Run(t.Context(), opened(t, file(t, rows...)), func(r problems.CheckRow) error {
		got, want = append(got, r.Problem.ID), append(want, fmt.Sprintf("p%d", len(want)))
		return nil
	})
	if err != nil || len(got) != 50 || !slices.Equal(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
}

func TestACheckEnds(t *testing.T) {
	path := file(t, slices.Repeat([]string{apps(`["lost"]`)}, 20)...)
	seen := 0
	count := func(problems.CheckRow) error { seen++; return nil }
	err := problems.Check{Judge: judge}.Run(t.Context(), opened(t, path), count)
	if err == nil || err.Error() != "row 5: the disk is full; nor could the 4 rows before it be judged" || seen != 5 {
		t.Errorf("the machine is away: %d rows, error %v", seen, err)
	}
	stop := errors.New("stop")
	if err := (problems.Check{Judge: judge, Workers: 3}).Run(t.Context(), opened(t, path), func(problems.CheckRow) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller ends it: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = problems.Check{Judge: judge}.Run(ctx, opened(t, path), func(problems.CheckRow) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is cancelled: error %v", err)
	}
}

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		why         string
		rows        []string
		says, fault string
	}{
		{
			"rows of all sorts", []string{apps(`["right","wrong"]`), apps(`["wrong"]`), apps(`[]`)},
			"row 2: solutions: none of the 1 passes its tests; the first has wrong_answer at test 3 of 4 (\"ValueError: x\"): leave the row out, or correct it\n" +
				"FILE: 2 problems can be used, and 1 row cannot\n1 of the 2 solutions of these problems fail\n1 of these problems have no solution and no public test, so nothing was run for them\n", "",
		},
		{"no row can be used", []string{apps(`["wrong"]`)}, "FILE: 0 problems can be used, and 1 row cannot\n", "there is no problem in the file that can be used"},
		{"a row is lost", []string{apps(`["right"]`), apps(`["lost"]`)}, "row 2: could not be judged: the disk is full\nFILE: 1 problem", "1 row could not be judged: mend the machine, and check the file again"},
		{"mathematics", []string{`{"question":"1+1","answer":2}`, `{"question":"1+1"}`}, "row 2: answer: is missing\nFILE: 1 problem can be used, and 1 row cannot\n", ""},
		{"an empty file", nil, "", "there are no problems in the file"},
	} {
		path := file(t, test.rows...)
		var out bytes.Buffer
		c := problems.New(&out)
		c.Judge = judge
		err := c.Run(t.Context(), path)
		said := strings.ReplaceAll(out.String(), path, "FILE")
		if !strings.Contains(said, test.says) || (err == nil) != (test.fault == "") || err != nil && err.Error() != test.fault {
			t.Errorf("%s: error %v\n got %s\nwant %s", test.why, err, said, test.says)
		}
	}
}

func TestUsableProblemsAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "good.jsonl")
	c := problems.New(&bytes.Buffer{})
	c.Judge = judge
	if err := c.Flags().Parse([]string{"--write", path, "--time-factor", "2", "--compare", "exact", "--workers", "3"}); err != nil {
		t.Fatal(err)
	}
	limited := strings.Replace(apps(`["right","wrong"]`), `{`, `{"id":"a","time_limit":3,`, 1)
	if err := c.Run(t.Context(), file(t, limited, apps(`["wrong"]`), lcb("3"), lcb("2"))); err != nil {
		t.Fatal(err)
	}
	all, faults, err := readChecked(path, problems.Settings{})
	if err != nil || len(faults) > 0 || len(all) != 2 {
		t.Fatalf("%+v, faults %v, error %v", all, faults, err)
	}
	if p := all[0]; p.ID != "a" || !slices.Equal(p.Solutions, []string{"right"}) || p.Tests.Limits.CPU.Seconds() != 6 || p.Tests.Compare != codegrade.Exact {
		t.Errorf("%+v", p)
	}
	if err := c.Run(t.Context(), file(t, apps(`["lost"]`), apps(`["lost"]`), apps(`["lost"]`), apps(`["lost"]`), apps(`["lost"]`))); err == nil {
		t.Error("a check that is given up has no error")
	}
	if again, _, err := readChecked(path, problems.Settings{}); err != nil || len(again) != 2 {
		t.Errorf("the file after a check that was given up: %+v, error %v", again, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".checked-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}

// opened opens a file of rows for a test.
func opened(t testing.TB, path string) *dataset.File {
	t.Helper()
	file, err := dataset.OpenRows(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// readChecked reads the problems of a file, and the faults of the other rows.
func readChecked(path string, s problems.Settings) (all []problems.Problem, faults []problems.Fault, err error) {
	file, err := dataset.OpenRows(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	err = problems.Scan(file, s, func(n int, p problems.Problem, err error) error {
		if err != nil {
			faults = append(faults, problems.Fault{Row: n, Err: err})
		} else {
			all = append(all, p)
		}
		return nil
	})
	return all, faults, err
}
