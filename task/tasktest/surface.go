//go:build heavy

package tasktest

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

const (
	mostSurface  = 0.2  // limit of learned guesses above firstSurface
	firstSurface = 1    // the last level without a limit: it has few problems
	lessons      = 1000 // problems learned from, or known by heart
)

// surface: above level 1, guesses learned from the looks of 1,000 prompts earn less than
// 0.2, or the task says why.
func surface(t testing.TB, of quintain.Task) {
	info := of.Info()
	if info.Surface != "" {
		return
	}
	for level := firstSurface + 1; level < len(info.Levels); level++ {
		got, err := task.SurfaceRate(of, level, lessons)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rate >= mostSurface {
			t.Errorf("level %d: %s earns %.3f, want less than %v, or a reason in Surface", level, got.Guesser, got.Rate, mostSurface)
		}
	}
}
