//go:build heavy

package alone

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games/gametest"
)

func TestRates(t *testing.T) { gametest.Rates(t, Games(), gametest.Many) }
