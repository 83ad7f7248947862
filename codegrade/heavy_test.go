//go:build heavy

package codegrade

// allForms tells whether each attack is tried on all forms of tests, or on one of them in turn.
const allForms = true
