package alone

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/games"
)

func TestGames(t *testing.T) { scenariotest.RunGames(t, Games()) }

// A move is any text: it is made, or a rule forbids it and nothing has changed.
func FuzzMoves(f *testing.F) {
	for _, text := range []string{"up up left", "go north", "take red key", "put green ball in blue box", "unlock red door with red key", "", "left,left", "\xff", "LEFT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, start := range []games.Start{
			smallHouse(),
			sliding{Rows: 2, Columns: 3, Tiles: []int8{1, 2, 3, 0, 4, 5}, Moves: 8},
			sokoban{Rows: []string{"######", "#-$-.#", "#-@--#", "######"}, Steps: 10},
		} {
			m := start.Match(games.Luck{}, new(games.Tables))
			before := m.Show()
			told, why := m.Move(text)
			if (told == "") == (why == "") || why != "" && m.Show() != before {
				t.Fatalf("%q is told %q, %q, and leads to %s", text, told, why, m.Show())
			}
		}
	})
}
