// Package envs holds the scenarios, one per file.
package envs

import "github.com/quintain-rl/quintain/env"

// Scenarios lists the package's scenarios by name.
var Scenarios = []env.Spec{
	mathMultiTurn,
	reasoningGym,
}
