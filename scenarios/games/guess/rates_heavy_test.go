//go:build heavy

package guess

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

func TestRates(t *testing.T) { scenariotest.Rates(t, Games(), scenariotest.Many) }
