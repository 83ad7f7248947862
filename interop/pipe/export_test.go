package pipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/logic"
	"github.com/quintain-rl/quintain/tasks/numbers"
	"github.com/quintain-rl/quintain/tasks/puzzles"
)

// few returns the tasks of some families.
func few() []quintain.Task {
	return slices.Concat(arithmetic.Tasks(), logic.Tasks(), numbers.Tasks(), puzzles.Tasks())
}

// named returns the named task.
func named(t testing.TB, name string) quintain.Task {
	t.Helper()
	set, err := task.NewSet(few())
	if err != nil {
		t.Fatal(err)
	}
	one, err := set.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// alone returns problems of a task, made one by one and written by encoding/json.
func alone(t *testing.T, format string, one quintain.Task, d quintain.Draw, count int) string {
	t.Helper()
	var want strings.Builder
	var w reasoninggym.Writer
	for range count {
		p, err := one.Problem(d)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(p)
		if format == "reasoning-gym" {
			var solution string
			if solution, err = one.Solve(p); err != nil {
				t.Fatal(err)
			}
			line, err = w.Append(nil, p, solution)
		}
		if err != nil {
			t.Fatal(err)
		}
		want.Write(append(line, '\n'))
		d.Index++
	}
	return want.String()
}

// All cores make problems, but they come in order, and each is the same as alone.
func TestExportKeepsTheOrder(t *testing.T) {
	for _, format := range pipe.Formats {
		for _, count := range []int{0, 1, 3, 2500} {
			var got strings.Builder
			e := pipe.Export{Task: named(t, "chain_sum"), First: quintain.Draw{Seed: 7, Level: 1, Index: 5}, Count: count, Format: format}
			if left, err := e.Write(t.Context(), &got); err != nil || left != 0 {
				t.Fatalf("%d left out, error %v", left, err)
			}
			if want := alone(t, format.Name, e.Task, e.First, count); got.String() != want {
				t.Errorf("%s, %d problems: %d bytes are not the %d bytes of the problems one by one", format.Name, count, got.Len(), len(want))
			}
		}
	}
}

func TestExportLeavesOutKnownProblems(t *testing.T) {
	e := pipe.Export{Task: named(t, "puzzle24"), Count: 40, Format: pipe.Formats[0], Distinct: true}
	var got strings.Builder
	left, err := e.Write(t.Context(), &got)
	if err != nil || left == 0 {
		t.Errorf("%d left out, error %v", left, err)
	}
	seen := map[quintain.Key]bool{}
	for line := range strings.Lines(got.String()) {
		var p quintain.Problem
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		key, err := quintain.KeyOf(e.Task, p)
		if err != nil || seen[key] {
			t.Errorf("%s comes twice, error %v", p.ID(), err)
		}
		seen[key] = true
	}
	if len(seen) != e.Count {
		t.Errorf("%d problems, want %d", len(seen), e.Count)
	}
	e.Count = 100_000
	if _, err := e.Write(t.Context(), &got); err == nil || !strings.Contains(err.Error(), "were not new") {
		t.Errorf("error %v, want one that says that all are known", err)
	}
}

func TestExportKeepsToOneSide(t *testing.T) {
	even := func(key quintain.Key) bool { return key[0]%2 == 0 }
	e := pipe.Export{Task: named(t, "puzzle24"), Count: 20, Format: pipe.Formats[0], Only: even}
	for _, distinct := range []bool{false, true} {
		e.Distinct = distinct
		var got strings.Builder
		left, err := e.Write(t.Context(), &got)
		if err != nil || (left > 0) != distinct || strings.Count(got.String(), "\n") != e.Count {
			t.Errorf("distinct %v: %d left out, %d lines, error %v", distinct, left, strings.Count(got.String(), "\n"), err)
		}
		for line := range strings.Lines(got.String()) {
			var p quintain.Problem
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			if key, err := quintain.KeyOf(e.Task, p); err != nil || !even(key) {
				t.Errorf("distinct %v: %s is on the other side, error %v", distinct, p.ID(), err)
			}
		}
	}
	e.Task, e.Only = named(t, "chain_sum"), func(quintain.Key) bool { return false }
	if _, err := e.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "were not new, or left out") {
		t.Errorf("error %v where no problem is on the side", err)
	}
}

func TestExportEnds(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	closed, out := io.Pipe()
	closed.Close()
	for _, distinct := range []bool{false, true} {
		e := pipe.Export{Task: named(t, "chain_sum"), First: quintain.Draw{Level: 5}, Count: math.MaxInt, Format: pipe.Formats[0], Distinct: distinct}
		if _, err := e.Write(ended, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("distinct %v: error %v at the end of the context", distinct, err)
		}
		if _, err := e.Write(t.Context(), out); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("distinct %v: error %v at the end of the reader", distinct, err)
		}
		e.First.Level = 99
		if _, err := e.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "level is 99") {
			t.Errorf("distinct %v: error %v", distinct, err)
		}
	}
}

func TestFormatOf(t *testing.T) {
	if f, err := pipe.FormatOf("reasoning-gym"); err != nil || f.Name != "reasoning-gym" {
		t.Errorf("got %s, error %v", f.Name, err)
	}
	if _, err := pipe.FormatOf("yaml"); err == nil || err.Error() != `format is "yaml", want quintain or reasoning-gym` {
		t.Errorf("error %v", err)
	}
}

func ExampleExport() {
	set, err := task.NewSet(few())
	if err != nil {
		fmt.Println(err)
		return
	}
	gcd, err := set.Get("gcd")
	if err != nil {
		fmt.Println(err)
		return
	}
	var lines strings.Builder
	e := pipe.Export{Task: gcd, First: quintain.Draw{Seed: 7, Level: 1}, Count: 3, Format: pipe.Formats[0]}
	if _, err := e.Write(context.Background(), &lines); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Count(lines.String(), "\n"), "problems")
	// Output: 3 problems
}

func ExampleGrader() {
	set, err := task.NewSet(few())
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"problem":{"task":"chain_sum","instance":{"num_terms":2,"num_digits":1,"expression":"2 + 3"}},"answer":"5"}
{"problem":{"task":"chain_sum","instance":{"num_terms":2,"num_digits":1,"expression":"2 + 3"}},"answer":null}
{"problem":{"task":"chain_some"},"answer":"5"}
`)
	g := pipe.Grader{Tasks: set, Format: pipe.Formats[0]}
	fmt.Println(g.Grade(context.Background(), in, os.Stdout))
	// Output:
	// {"score":1,"malformed":false,"reason":""}
	// {"score":0,"malformed":true,"reason":"there is no answer"}
	// {"error":"line 3: no task \"chain_some\"; did you mean \"chain_sum\"?"}
	// line 3: no task "chain_some"; did you mean "chain_sum"?
}
