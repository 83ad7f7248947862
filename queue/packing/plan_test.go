package packing

import (
	"fmt"
	"strings"
	"testing"
)

// plan makes a plan from a text for groups and the minimums of environments 0, 1 and so on; -1:
// none.
func plan(batch int, waiting string, parts ...float64) Plan {
	p := Plan{BatchSize: batch}
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

// TestPlan packs what Atropos' own functions pack otherwise, or not at all.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		why  string
		plan Plan
		want string
	}{
		{"first in, first out, as there", plan(8, "4 4 4"), "0 1"},
		{"an odd size stalls the original", plan(8, "7 4 4 4 4"), "0"},
		{"there packs come as they are completed", plan(8, "2 4 2"), "0 1 2"},
		{"there packs overshoot", plan(6, "4 4 2"), "0 2"},
		{"the oldest, then a minimum", plan(8, "a4 a4 b4", -1, 0.5), "0 2"},
		{"other sizes than the largest", plan(8, "a4 a8 a4 a4 4 a8", 0.25), "0 2"},
		{"what fits, in the order of the queue", plan(12, "a2 1 a4 a1 a2 a4", 0.25), "0 1 2 3 5"},
		{"groups without an environment", plan(8, "4 a4", 0.5), "0 1"},
		{"a minimum of no sequence reserves nothing, as there", plan(8, "a4 a4", 0.5, 0.1), "0 1"},
		{"an environment with a minimum and no groups stops all, as there", plan(8, "a4 a4", 0.5, 0.5), ""},
		{"minimums beyond the batch, as there", plan(8, "a4 a4 b4 b4", 1, 1), "0 2"},
		{"nothing", plan(8, ""), ""},
	} {
		if got := strings.Trim(fmt.Sprint(test.plan.Pack()), "[]"); got != test.want {
			t.Errorf("%s: packed %q, want %q", test.why, got, test.want)
		}
	}
	if got := Completing([]int{1, 3, 1}, 4); fmt.Sprint(got) != "[0 1]" {
		t.Errorf("completing: %v", got)
	}
}
