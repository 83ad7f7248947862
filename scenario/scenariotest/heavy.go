//go:build heavy

package scenariotest

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Heavy tells whether tests may play for minutes.
const Heavy = true

// playProblems is how many problems of each level [Play] plays.
const playProblems = 3

// luckMatches is how many matches [Luck] plays.
const luckMatches = 300

// runSize is what [RunGames] plays.
var runSize = GameSize{Problems: 20, Episodes: 300, Sigmas: 3.5}

// Many is what [Rates] plays.
var Many = GameSize{Problems: 200, Episodes: 10_000, Sigmas: 3}

// Rates tests what games earn by the best play and by uniform play.
func Rates(t *testing.T, all []*games.Game, size GameSize) {
	for _, g := range all {
		t.Run(g.Task.Info().Name, func(t *testing.T) {
			t.Parallel()
			s := suite{game: g, size: size}
			for level := range g.Task.Info().Levels {
				s.level = level
				t.Run(fmt.Sprint(level), func(t *testing.T) {
					s.best(t, games.Value)
					s.guessed(t)
					s.constant(t)
				})
			}
		})
	}
}
