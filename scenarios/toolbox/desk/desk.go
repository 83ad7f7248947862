// Package desk holds the errands of a desk with a database, and with customers.
package desk

import "github.com/quintain-rl/quintain/scenarios/toolbox"

// Errands returns the errands by name.
func Errands() []*toolbox.Errand {
	return []*toolbox.Errand{
		serviceDesk.Errand(),
		tables.Errand(),
	}
}
