//go:build !heavy

package codegrade

// allForms tells whether each attack is tried on all forms of tests, or on one of them in turn.
const allForms = false

// endlessAttacks are those that only a limit ends: heavy.
func endlessAttacks() []attack { return nil }
