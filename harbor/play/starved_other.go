//go:build !unix

package play

// starved reports whether a busy loop gets less than half of a processor; nobody knows here.
func starved() bool { return false }
