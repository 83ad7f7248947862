//go:build heavy

package duels

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// With as many episodes as elsewhere, these games would take more than five minutes of a core.
func TestRates(t *testing.T) {
	half := scenariotest.Many
	half.Episodes /= 2
	scenariotest.Rates(t, Games(), half)
}
