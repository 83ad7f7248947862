//go:build heavy

package boards

import (
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// No number of minutes is right in more than a quarter of the problems of a level.
func TestRottenOrangesSpread(t *testing.T) {
	for level := range rottenOranges.Levels {
		const n = 1000
		times := map[int]int{}
		own := tasktest.With(t, rottenOranges.Task(), string(rottenOranges.Task().Info().Levels[level]))
		tasktest.Every(t, own, n, func(item rottenOrangesItem, _, _ string) error {
			times[item.Solution]++
			return nil
		})
		for minutes, k := range times {
			if k > n/4 {
				t.Errorf("level %d: %d minutes in %d of %d", level, minutes, k, n)
			}
		}
		if never := times[neverRots]; never < n/12 || never > n/6 {
			t.Errorf("level %d: -1 in %d of %d", level, never, n)
		}
	}
}
