package toolbox_test

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

func TestErrands(t *testing.T) { scenariotest.RunTools(t, toolbox.Errands(), scenariotest.Short) }
