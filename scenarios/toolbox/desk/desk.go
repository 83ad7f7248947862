// Package desk holds the errand of a desk with customers.
package desk

import "github.com/quintain-rl/quintain/scenarios/toolbox"

// Errands returns the errands by name.
func Errands() []*toolbox.Errand { return []*toolbox.Errand{serviceDesk.Errand()} }
