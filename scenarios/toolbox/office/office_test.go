package office

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

func TestErrands(t *testing.T) { scenariotest.RunTools(t, Errands(), scenariotest.Short) }
