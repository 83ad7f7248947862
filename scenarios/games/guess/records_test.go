package guess

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// A record from elsewhere that is no start of the game is an error before it is played.
func TestForeignRecordsAreChecked(t *testing.T) {
	for _, c := range []struct {
		game     string
		level    int
		old, put string
	}{
		{"mastermind", 0, `"places":2`, `"places":3`},
		{"mastermind", 0, `"colours":4`, `"colours":40`},
		{"mastermind", 0, `"guesses":7`, `"guesses":-7`},
		{"mastermind", 0, `"code":[`, `"code":[9,`},
		{"mastermind", 0, `"wording":`, `"wording":7`},
		{"guess_number", 0, `"numbers":20`, `"numbers":0`},
		{"guess_number", 3, `"numbers":16`, `"numbers":99`},
		{"guess_number", 3, `"lies":1`, `"lies":3`},
		{"guess_number", 3, `"lies":1`, `"lies":-1`},
		{"guess_number", 0, `"replies":10`, `"replies":1000`},
		{"guess_number", 0, `"hidden":`, `"hidden":99`},
		{"minesweeper_play", 0, `"side":4`, `"side":9`},
		{"minesweeper_play", 0, `"mines":3`, `"mines":2`},
		{"minesweeper_play", 0, `"closed":5`, `"closed":0`},
		{"minesweeper_play", 0, `"at":[`, `"at":[16,`},
		{"minesweeper_play", 0, `"open":[`, `"open":[-1,`},
		{"minesweeper_play", 0, `"gamble":false`, `"gamble":true`},
		{"minesweeper_play", 4, `"gamble":true`, `"gamble":false`},
		{"coin_weighing", 0, `"coins":3`, `"coins":99`},
		{"coin_weighing", 0, `"good":0`, `"good":-1`},
		{"coin_weighing", 0, `"replies":7`, `"replies":0`},
		{"coin_weighing", 0, `"heavy":true}`, `"heavy":false}`},
		{"coin_weighing", 0, `"coin":`, `"coin":9`},
		{"wordle_play", 0, `"list":[`, `"list":["aaaaa",`},
		{"wordle_play", 0, `"list":[`, `"list":["a",`},
		{"wordle_play", 0, `"list":[`, `"list":["youth",`},
		{"wordle_play", 0, `"guesses":6`, `"guesses":0`},
		{"wordle_play", 0, `"hidden":`, `"hidden":99`},
	} {
		scenariotest.Refused(t, Games(), c.game, c.level, c.old, c.put)
	}
}
