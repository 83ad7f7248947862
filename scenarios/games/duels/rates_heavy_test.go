//go:build heavy

package duels

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games/gametest"
)

// With as many episodes as elsewhere, these games would take more than five minutes of a core.
func TestRates(t *testing.T) {
	half := gametest.Many
	half.Episodes /= 2
	gametest.Rates(t, Games(), half)
}
