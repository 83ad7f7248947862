//go:build !heavy

package tasktest

// heavy says that all is looked at that a promise is about: every level, and as many
// problems as each check names.
const heavy = false
