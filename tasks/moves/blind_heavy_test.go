//go:build heavy

package moves

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// Random moves solve little.
func TestSokobanAtRandom(t *testing.T) {
	n := 0
	tasktest.Blind(t, sokoban.Task(), "moving at random", func(prompt, _ string) string {
		b := make([]byte, 12)
		for i := range b {
			n = (n*1103515245 + 12345) & 0x7fffffff
			b[i] = sokobanMoves[n>>16&3]
		}
		return string(b)
	})
}

// Random moves of existing letters, by a few cells, solve little.
func TestRushHourAtRandom(t *testing.T) {
	r := rng.New(1, "rush_hour at random")
	tasktest.Blind(t, rushHour.Task(), "moving at random", func(string, string) string {
		var b strings.Builder
		for range r.Between(1, 3) {
			fmt.Fprintf(&b, "%c%+d ", 'A'+r.Between(0, 7), r.Between(-2, 3))
		}
		return b.String() + fmt.Sprintf("A+%d", r.Between(1, 4))
	})
}
