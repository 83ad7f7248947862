package guess

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

func TestGames(t *testing.T) { scenariotest.RunGames(t, Games()) }
