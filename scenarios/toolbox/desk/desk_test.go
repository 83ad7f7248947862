package desk

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/toolbox/toolboxtest"
)

func TestErrands(t *testing.T) { toolboxtest.Run(t, Errands(), toolboxtest.Short) }
