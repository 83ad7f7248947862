package screen

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/run"
)

// leastGain is the smallest gain of a task's held-out score that is told, if no level was won.
const leastGain = 0.02

// headline tells how well the policy does, and what has become better.
func headline(r *run.Report) string {
	switch {
	case r.ExamBefore == nil && played(r) == 0:
		return "no group is played yet"
	case r.ExamBefore == nil:
		return fmt.Sprintf("training score %.3f", r.Score())
	case r.ExamAfter == nil:
		return fmt.Sprintf("held-out score %.3f", *r.ExamBefore)
	}
	before, after := fmt.Sprintf("%.3f", *r.ExamBefore), fmt.Sprintf("%.3f", *r.ExamAfter)
	if before == after {
		return fmt.Sprintf("held-out score %s, as at first", after)
	}
	text := fmt.Sprintf("held-out score %s → %s", before, after)
	if better := gained(r.Tasks); better != "" {
		text += "; " + better
	}
	return text
}

// played counts the scored groups.
func played(r *run.Report) (n int) {
	for i := range r.Tasks {
		n += r.Tasks[i].Groups
	}
	return n
}

// gained tells which task gained most on held-out problems: in levels or else in score. It is
// empty if none gained.
func gained(tasks []run.TaskReport) string {
	var best *run.TaskReport
	levels, score := 0, 0.0
	for i := range tasks {
		t := &tasks[i]
		if t.ExamBefore == nil || t.ExamAfter == nil {
			continue
		}
		won, gain := *t.DoneAfter-*t.DoneBefore, *t.ExamAfter-*t.ExamBefore
		if won > levels || won == levels && gain > score {
			best, levels, score = t, won, gain
		}
	}
	switch {
	case best == nil || len(tasks) == 1 && len(best.Levels) == 1: // the held-out score says all
		return ""
	case levels > 0 && len(best.Levels) == 1:
		return "it now solves " + best.Label
	case levels > 0:
		return fmt.Sprintf("it now solves %d of %d levels of %s, at first %d", *best.DoneAfter, best.Examined, best.Label, *best.DoneBefore)
	case score < leastGain || len(tasks) == 1:
		return ""
	}
	return fmt.Sprintf("most gained by %s, %.3f → %.3f", best.Label, *best.ExamBefore, *best.ExamAfter)
}

// elapsed writes seconds as 28 s or 1h2m3s.
func elapsed(seconds float64) string {
	if seconds < 100 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
