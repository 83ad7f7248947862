//go:build race

package script_test

// raced says that the race detector runs, which takes memory of its own.
const raced = true
