//go:build heavy

package tasktest

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

const (
	easyMargin  = 0.1  // margin of learned answers above the guess rate, at level 0
	otherMargin = 0.02 // the same at other levels
)

// resembling says of tasks why the answer of a near question tells much about another,
// though whoever gives it solves nothing.
var resembling = map[string]string{
	"calendar_arithmetic": "The last digits of a year tell whether it is a leap year.",
	"gcd":                 "Questions that share a number often share its divisor.",
	"mini_sudoku":         "There are 288 grids, and near puzzles have many cells in common, which earn partial credit.",
	"modulo_grid":         "With few rules, the number of visible marks tells how many are hidden.",
	"spell_backward":      "Words that share letters earn partial credit for each other.",
}

// learnedByHeart: who knows 1,000 problems of a level by heart earns with others at most
// the guess rate and a margin. If the task says that a level has few problems by nature,
// that holds for held-out problems alone. Only the tasks in resembling are excused.
func learnedByHeart(t testing.TB, of quintain.Task) {
	info := of.Info()
	if resembling[info.Name] != "" {
		return
	}
	if len(info.Few) > len(info.Levels) {
		t.Errorf("Few names %d levels, and there are %d", len(info.Few), len(info.Levels))
	}
	for level := range info.Levels {
		few := level < len(info.Few) && info.Few[level] != ""
		if fault := byHeart(t, of, level, few); fault != "" {
			t.Errorf("level %d: %s", level, fault)
		}
		if few && enough(t, of, level) && byHeart(t, of, level, false) == "" {
			t.Errorf("level %d: Few says %q, but problems learned by heart help little with others: leave it out", level, info.Few[level])
		}
	}
}

// enough reports whether a level has enough different problems for a curve.
func enough(t testing.TB, of quintain.Task, level int) bool {
	t.Helper()
	space, err := task.SpaceOf(of, level, 4000)
	if err != nil {
		t.Fatal(err)
	}
	return space.Trained+space.HeldOut == 0
}

// byHeart returns what is wrong with a level. Apart splits its problems into learned and
// held-out ones. What earns too much with few problems is tried with more, so that chance
// fails no task.
func byHeart(t testing.TB, of quintain.Task, level int, apart bool) (fault string) {
	t.Helper()
	margin := otherMargin
	if level == 0 {
		margin = easyMargin
	}
	for _, asked := range []int{500, 4000} {
		guess, err := task.GuessRate(of, level, asked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := task.LearnedRate(of, level, task.Lessons{Learned: lessons, Asked: asked, Apart: apart})
		if err != nil {
			t.Fatal(err)
		}
		if got.Rate <= guess+margin {
			return ""
		}
		fault = fmt.Sprintf("%s earns %.3f, and the guess rate is %.3f: want at most %v more; draw from more problems, or say in Few why there are few", got.Guesser, got.Rate, guess, margin)
	}
	if apart {
		fault += "; held-out problems have twins among the others: let Canonical give one text for both"
	}
	return fault
}
