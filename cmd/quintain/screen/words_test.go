package screen

import (
	"testing"

	"github.com/quintain-rl/quintain/run"
)

// The headline says what has become better, and nothing that has not.
func TestHeadline(t *testing.T) {
	report := func(before, after float64, tasks ...run.TaskReport) *run.Report {
		return &run.Report{ExamBefore: &before, ExamAfter: &after, Tasks: tasks}
	}
	task := func(label string, levels int, done [2]int, scores [2]float64) run.TaskReport {
		return run.TaskReport{Label: label, Levels: make([]string, levels), Examined: levels, DoneBefore: &done[0], DoneAfter: &done[1], ExamBefore: &scores[0], ExamAfter: &scores[1]}
	}
	played := run.TaskReport{Label: "a", Groups: 1, Last: 0.25}
	for _, test := range []struct {
		why  string
		of   *run.Report
		want string
	}{
		{"nothing yet", &run.Report{Tasks: []run.TaskReport{{Label: "a"}}}, "no group is played yet"},
		{"no evaluation", &run.Report{Tasks: []run.TaskReport{played}}, "training score 0.250"},
		{"one evaluation", &run.Report{ExamBefore: new(0.369)}, "held-out score 0.369"},
		{"most levels won", report(0.369, 0.515, task("a", 4, [2]int{1, 2}, [2]float64{0.1, 0.9}), task("b", 11, [2]int{0, 3}, [2]float64{0.1, 0.2})),
			"held-out score 0.369 → 0.515; it now solves 3 of 11 levels of b, at first 0"},
		{"a task of one level", report(0.5, 0.7, task("a:1", 1, [2]int{0, 1}, [2]float64{0.5, 0.9}), task("b:1", 1, [2]int{0, 0}, [2]float64{0.5, 0.5})), "held-out score 0.500 → 0.700; it now solves a:1"},
		{"no level won", report(0.5, 0.6, task("a", 4, [2]int{1, 1}, [2]float64{0.5, 0.7}), task("b", 4, [2]int{1, 0}, [2]float64{0.5, 0.5})), "held-out score 0.500 → 0.600; most gained by a, 0.500 → 0.700"},
		{"all the same", report(0.5, 0.5001, task("a", 4, [2]int{1, 1}, [2]float64{0.5, 0.5001})), "held-out score 0.500, as at first"},
		{"it became worse", report(0.5, 0.4, task("a", 4, [2]int{1, 0}, [2]float64{0.5, 0.4}), task("b", 4, [2]int{1, 1}, [2]float64{0.5, 0.4})), "held-out score 0.500 → 0.400"},
		{"one task says no more than all", report(0.5, 0.9, task("a:1", 1, [2]int{0, 1}, [2]float64{0.5, 0.9})), "held-out score 0.500 → 0.900"},
	} {
		if got := headline(test.of); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}
