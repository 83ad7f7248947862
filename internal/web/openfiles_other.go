//go:build !unix

package web

// OpenFileLimit is the process's limit of open files; 0: none is known.
func OpenFileLimit() int { return 0 }
