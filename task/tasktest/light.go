//go:build !heavy

package tasktest

// heavy: checks look at every level, and at as many problems as each of them names.
const heavy = false
