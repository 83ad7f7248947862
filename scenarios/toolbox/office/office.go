// Package office holds the errands with tools for numbers, keys, files and meetings, one per file.
package office

import "github.com/quintain-rl/quintain/scenarios/toolbox"

// Errands returns the errands by name.
func Errands() []*toolbox.Errand {
	return []*toolbox.Errand{
		calculator.Errand(),
		calendar.Errand(),
		fileTree.Errand(),
		keyValue.Errand(),
	}
}
