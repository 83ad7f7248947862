//go:build race

package script_test

// raced reports whether the race detector runs, which uses memory itself.
const raced = true
