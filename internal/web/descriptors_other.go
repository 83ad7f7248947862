//go:build !unix

package web

// openFiles is the process's limit of open files; 0: unknown.
func openFiles() int { return 0 }
