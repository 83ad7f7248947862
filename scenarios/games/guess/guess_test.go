package guess

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games/gametest"
)

func TestGames(t *testing.T) { gametest.Run(t, Games()) }
