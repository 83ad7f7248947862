//go:build heavy

package patterns

import (
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// Most pictures get the number of rectangles drawn for them: there is room.
func TestRectangleCountSpread(t *testing.T) {
	for level, p := range rectangleCount.Levels {
		counts := map[int]int{}
		own := tasktest.With(t, rectangleCount.Task(), string(rectangleCount.Task().Info().Levels[level]))
		const n = 600
		tasktest.Every(t, own, n, func(item rectangleCountItem, _, _ string) error {
			counts[item.Solution]++
			return nil
		})
		for number, k := range counts {
			if k > 2*n/p.MaxRectangles+15 {
				t.Errorf("level %d: %d rectangles in %d of %d pictures", level, number, k, n)
			}
		}
	}
}
