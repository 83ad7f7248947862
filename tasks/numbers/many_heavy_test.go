//go:build heavy

package numbers

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// No single number is the answer to many problems, and the answer is never among the
// numbers.
func TestGCDIsNotGuessed(t *testing.T) {
	for level := range gcd.Levels {
		const n = 2000
		counts := map[int64]int{}
		for i := range n {
			item := tasktest.Made[gcdItem](t, gcd.Task(), level, i)
			counts[item.Result]++
			if slices.Contains(item.Numbers, item.Result) {
				t.Fatalf("level %d: %d is the answer for %v", level, item.Result, item.Numbers)
			}
		}
		for value, count := range counts {
			if count > n*35/100 {
				t.Errorf("level %d: %d is the answer to %d of %d", level, value, count, n)
			}
		}
	}
}
