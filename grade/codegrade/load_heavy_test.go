//go:build heavy

package codegrade

import (
	"errors"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// repeats is how often each program is judged. A judgement takes seconds on so busy a machine.
const repeats = 20

// TestNoWrongVerdictUnderLoad judges while ten programs for each processor are busy. A busy machine
// is an error at worst.
func TestNoWrongVerdictUnderLoad(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	defer burden(t, g)()
	limits := sandbox.Limits{CPU: 300 * time.Millisecond}
	var cases []Case
	for _, n := range []string{"1", "2", "3", "4"} {
		cases = append(cases, Case{Input: n, Output: n + n})
	}
	stdin := Tests{Language: "python", Kind: Stdin, Cases: cases, Limits: limits}
	asserts := Tests{Language: "python", Kind: Asserts, Asserts: "assert f(3) == 9", Limits: limits}
	overloaded := 0
	for range repeats {
		for _, c := range []struct {
			tests Tests
			code  string
			want  Reason
		}{
			{stdin, "print(input() * 2)", ""},
			{stdin, "n = input()\nprint(n * 2 if n < '3' else 0)", WrongAnswer},
			{stdin, "import time\nwhile time.process_time() < 0.15: pass\nprint(input() * 2)", ""},
			{asserts, "def f(x): return x * x", ""},
		} {
			got, err := g.Grade(t.Context(), c.tests, c.code)
			if err != nil {
				overloaded++
			} else if got.Reason != c.want {
				t.Errorf("%+v, want %q", got, c.want)
			}
		}
	}
	t.Logf("%d of %d judgements were given up", overloaded, 4*repeats)
	stdin.Limits.CPU = 2 * time.Second
	if got, err := g.Grade(t.Context(), stdin, "import time\ntime.sleep(60)"); err != nil && !errors.Is(err, ErrMachine) || err == nil && got.Reason != TimeLimit {
		t.Errorf("it sleeps: %+v, error %v", got, err)
	} else {
		t.Logf("a program that sleeps: %q, error %v", got.Reason, err)
	}
}
