package cards

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
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
		{"matrix_duel", `"rounds":`, `"rounds":9`, 0},
		{"matrix_duel", `"rounds":4`, `"rounds":3`, 5},
		{"matrix_duel", `"pay":[[[`, `"pay":[[[1,`, 0},
		{"matrix_duel", `"pay":[[`, `"pay":[[],[[1]],[`, 0},
		{"matrix_duel", `"actual":1`, `"actual":9`, 0},
		{"matrix_duel", `"members":[`, `"members":[{"kind":"none","move":0},`, 0},
		{"matrix_duel", `"members":[`, `"members":[{"kind":"copies","move":2},`, 0},
		{"matrix_duel", `"members":[`, `"members":[{"kind":"mix","move":0,"percent":[200,-100]},`, 0},
		{"matrix_duel", `"members":[`, `"members":[{"kind":"mix","move":0,"percent":[50,40]},`, 0},
		{"matrix_duel", `"members":[`, `"members":[{"kind":"mix","move":0,"percent":[100]},`, 0},
		{"liars_dice", `"faces":3`, `"faces":7`, 0},
		{"liars_dice", `"dice":1`, `"dice":2`, 3},
		{"liars_dice", `"dice":1`, `"dice":0`, 3},
		{"liars_dice", `"opponent":"`, `"opponent":"un`, 0},
		{"liars_dice", `"opponent":"honest"`, `"opponent":"equilibrium"`, 5},
		{"liars_dice", `"errs":0,`, `"errs":-10,`, 0},
		{"liars_dice", `"errs":0,`, `"errs":5,`, 0},
		{"liars_dice", `"rolls":[`, `"rolls":[[[1],[4]],`, 0},
		{"liars_dice", `"rolls":[`, `"rolls":[[[],[1]],`, 0},
		{"liars_dice", `"rolls":[`, `"rolls":[[[3,1],[1,1]],`, 5},
		{"liars_dice", `"rolls":[`, `"rolls":[[],`, 0},
	} {
		scenariotest.Refused(t, Games(), c.game, c.level, c.old, c.put)
	}
}
