// Package scenarios holds the scenarios, one per file.
package scenarios

import "github.com/quintain-rl/quintain/scenario"

// All lists the scenarios by name.
var All = []scenario.Spec{
	mathMultiTurn,
	reasoningGym,
	talk,
}
