package tasktest

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

const (
	mostSurface  = 0.2 // limit of learned guesses above firstSurface
	firstSurface = 1   // the last level without a limit: it has few problems
	fewLessons   = 200
	manyLessons  = 1000
)

// surface: above level 1, guesses learned from the looks of 1,000 prompts earn less than
// 0.2, or the task says why. The heavy tests look at every level. Others look at the first,
// on few prompts, and try a task that comes near the limit on all. Short tests leave it
// out.
func surface(t testing.TB, of quintain.Task) {
	info := of.Info()
	if info.Surface != "" || testing.Short() {
		return
	}
	for level := firstSurface + 1; level < len(info.Levels); level++ {
		if !heavy && level > firstSurface+1 {
			break // the easiest level has the fewest answers
		}
		got := task.Surface{Rate: mostSurface}
		if !heavy {
			got = surfaceRate(t, of, level, fewLessons)
		}
		if got.Rate > mostSurface*3/4 {
			got = surfaceRate(t, of, level, manyLessons)
		}
		if got.Rate >= mostSurface {
			t.Errorf("level %d: %s earns %.3f, want less than %v, or a reason in Surface", level, got.Guesser, got.Rate, mostSurface)
		}
	}
}

func surfaceRate(t testing.TB, of quintain.Task, level, lessons int) task.Surface {
	t.Helper()
	rate, err := task.SurfaceRate(of, level, lessons)
	if err != nil {
		t.Fatal(err)
	}
	return rate
}
