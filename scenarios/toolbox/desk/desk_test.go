package desk

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/toolbox/toolboxtest"
)

// size is smaller than usual, as each call of tables fills a database.
var size = toolboxtest.Size{Problems: 20, Blind: 12}

func TestErrands(t *testing.T) { toolboxtest.Run(t, Errands(), size) }
