package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// A learning answers whether the run learns: its held-out score at the start and now.
type learning struct {
	First, Now heldOut
	Count      int // of evaluations
	Change     float64
	Verdict    string
	Class      string // of the verdict: better, worse or same
	Span       string // the interval of the change, in words; empty: unknown
}

// learningFrom compares the first evaluation with the last; nil: there is none.
func learningFrom(all []heldOut) *learning {
	if len(all) == 0 {
		return nil
	}
	l := &learning{First: all[0], Now: all[len(all)-1], Count: len(all), Class: "same"}
	if len(all) == 1 {
		l.Verdict = "There is one evaluation so far, so nothing to compare it with yet."
		return l
	}
	change := l.Now.Mean - l.First.Mean
	l.Change = change
	low, high, known := changeWithin(&l.First, &l.Now)
	switch {
	case !known && change > 0:
		l.Verdict = fmt.Sprintf("Better by %.3f since the start; this folder does not tell whether that is significant.", change)
	case !known:
		l.Verdict = fmt.Sprintf("Not better since the start: the change is %+.3f.", change)
	case low > 0:
		l.Verdict, l.Class = fmt.Sprintf("Better: %.3f more than at the start, which is significant.", change), "better"
	case high < 0:
		l.Verdict, l.Class = fmt.Sprintf("Worse: %.3f less than at the start, which is significant.", -change), "worse"
	default:
		l.Verdict = fmt.Sprintf("No significant change so far: %+.3f since the start.", change)
	}
	if known {
		l.Span = fmt.Sprintf("%+.3f to %+.3f", low, high)
	}
	return l
}

// changeWithin is the 95 % confidence interval of the change from a to b, from their
// intervals (Zou and Donner, 2008). It takes them as independent. They are of the same
// problems, so the true interval is mostly narrower.
func changeWithin(a, b *heldOut) (low, high float64, known bool) {
	if a.Within == nil || b.Within == nil {
		return 0, 0, false
	}
	change := b.Mean - a.Mean
	low = change - math.Hypot(b.Mean-b.Within.Low, a.Within.High-a.Mean)
	high = change + math.Hypot(b.Within.High-b.Mean, a.Mean-a.Within.Low)
	return low, high, true
}

// A taskScores is a task in the evaluations of a run: the means over its levels.
type taskScores struct {
	Name   string
	Scores []float64 // of each evaluation; NaN: none
	Levels int       // in the last evaluation; 0: not evaluated
	Done   int       // of these; see [curriculum.Done]
}

// known is value i, or nil.
func known(values []float64, i int) *float64 {
	if i < 0 || i >= len(values) || math.IsNaN(values[i]) {
		return nil
	}
	return &values[i]
}

// tasksIn sorts the scores of evaluations by task.
func tasksIn(all []heldOut) (tasks []*taskScores) {
	levels := map[string][]string{} // labels of each task
	for _, one := range all {
		for label := range one.Tasks {
			if name, _ := labelParts(label); !slices.Contains(levels[name], label) {
				levels[name] = append(levels[name], label)
			}
		}
	}
	for name, labels := range levels {
		slices.SortFunc(labels, compareLabels)
		t := &taskScores{Name: name}
		t.Done, t.Levels = curriculum.Done(labels, all[len(all)-1].Tasks)
		for _, one := range all {
			t.Scores = append(t.Scores, one.meanOf(labels))
		}
		tasks = append(tasks, t)
	}
	slices.SortFunc(tasks, func(a, b *taskScores) int { return strings.Compare(a.Name, b.Name) })
	return tasks
}

// meanOf is the mean over those of the labels that have a score; NaN: none has.
func (h *heldOut) meanOf(labels []string) float64 {
	sum, n := 0.0, 0
	for _, label := range labels {
		if score, ok := h.Tasks[label]; ok {
			sum, n = sum+score, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// spark is the points of a line of the scores, for an SVG of 100 by 24, where 0 is the bottom
// and 1 the top.
func (t *taskScores) spark() string {
	var b strings.Builder
	for i, score := range t.Scores {
		if math.IsNaN(score) {
			continue
		}
		x := 100 * float64(i) / float64(max(1, len(t.Scores)-1))
		fmt.Fprintf(&b, "%.1f,%.1f ", x, 23-22*min(1, max(0, score)))
	}
	return strings.TrimSpace(b.String())
}
