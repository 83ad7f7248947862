package cards

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A record from elsewhere that is no start is an error before it is played.
func TestForeignRecordsAreChecked(t *testing.T) {
	for _, c := range []struct {
		game, old, put string
		level          int
	}{
		{"small_poker", `"cards":3`, `"cards":30`, 0},
		{"small_poker", `"cards":3`, `"cards":-1`, 0},
		{"small_poker", `"opponent":"`, `"opponent":"un`, 0},
		{"small_poker", `"deals":[`, `"deals":[[1,1,0],`, 0},
		{"small_poker", `"deals":[`, `"deals":[[0,1,3],`, 0},
		{"small_poker", `"deals":[`, `"deals":[[-1,1,0],`, 0},
		{"small_poker", `"deals":[`, `"deals":[[1,1,1],`, 4},
		{"small_poker", `"deals":[`, `"nothing":[`, 0},
		{"small_poker", `"table":[`, `"table":[{"bet":0,"call":0,"raise":0},`, 1},
		{"small_poker", `"table":[{"bet":`, `"table":[{"bet":1`, 1},
		{"small_poker", `"table":[{"bet":`, `"table":[{"bet":-1`, 1},
	} {
		for _, g := range Games() {
			if g.Task.Info().Name != c.game {
				continue
			}
			p, err := g.Task.Problem(quintain.Draw{Seed: 1, Level: c.level})
			if err != nil {
				t.Fatal(err)
			}
			text, err := jsonform.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.ReplaceAll(string(text), c.old, c.put)
			var foreign quintain.Problem
			if err := jsonform.Unmarshal([]byte(changed), &foreign); err != nil || changed == string(text) {
				t.Fatalf("%s: %v", text, err)
			}
			if answer, err := g.Task.Solve(foreign); err == nil {
				t.Errorf("%s with %s is solved by %q", c.game, c.put, answer)
			}
		}
	}
}
