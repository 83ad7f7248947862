package packing

import (
	"fmt"
	"strings"
	"testing"
)

// plan makes a plan from a text for groups and the minimums of environments 0, 1 and so on; -1:
// none.
func plan(batch int, waiting string, strict bool, parts ...float64) Plan {
	p := Plan{BatchSize: batch, Strict: strict}
	for _, g := range groups(waiting) {
		one := PlanGroup{Sequences: g.Size}
		if g.Env >= 0 {
			one.EnvID = &g.Env
		}
		p.Queue = append(p.Queue, one)
	}
	for i, part := range parts {
		e := PlanEnv{ID: int32(i), Connected: true}
		if part >= 0 {
			e.Minimum = &part
		}
		p.Envs = append(p.Envs, e)
	}
	return p
}

// TestPlan compares our packing with that of Atropos' own functions.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		why    string
		plan   func(strict bool) Plan
		ours   string
		strict string
	}{
		{"first in, first out", func(s bool) Plan { return plan(8, "4 4 4", s) }, "0 1", "0 1"},
		{"an odd size stalls the original", func(s bool) Plan { return plan(8, "7 4 4 4 4", s) }, "0", ""},
		{"packs come as they are completed", func(s bool) Plan { return plan(8, "2 4 2", s) }, "0 1 2", "1 0 2"},
		{"packs overshoot", func(s bool) Plan { return plan(6, "4 4 2", s) }, "0 2", ""},
		{"a minimum first", func(s bool) Plan { return plan(8, "a4 a4 b4", s, -1, 0.5) }, "0 2", "2 0"},
		{"packs in their order", func(s bool) Plan { return plan(8, "a4 a8 a4 a4 4 a8", s, 0.25) }, "0 2", "1"},
		{"and then what fits, in the order of the queue", func(s bool) Plan { return plan(12, "a2 1 a4 a1 a2 a4", s, 0.25) }, "0 1 2 3 5", "2 0 4 5"},
		{"groups without an environment", func(s bool) Plan { return plan(8, "4 a4", s, 0.5) }, "0 1", ""},
		{"an environment with nothing", func(s bool) Plan { return plan(8, "a4 a4", s, 0.5, 0.1) }, "0 1", "0 1"},
		{"with a minimum", func(s bool) Plan { return plan(8, "a4 a4", s, 0.5, 0.5) }, "", ""},
		{"minimums beyond the batch", func(s bool) Plan { return plan(8, "a4 a4 b4 b4", s, 1, 1) }, "0 2", "0 2"},
		{"nothing", func(s bool) Plan { return plan(8, "", s) }, "", ""},
	} {
		for strict, want := range map[bool]string{false: test.ours, true: test.strict} {
			if got := strings.Trim(fmt.Sprint(test.plan(strict).Pack()), "[]"); got != want {
				t.Errorf("%s (strict %v): packed %q, want %q", test.why, strict, got, want)
			}
		}
	}
	if got := Completing([]int{1, 3, 1}, 4); fmt.Sprint(got) != "[0 1]" {
		t.Errorf("completing: %v", got)
	}
}
