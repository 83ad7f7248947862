// Package compiled has regular expressions that are compiled at their first use: a program that
// never uses one starts sooner.
package compiled

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles a regular expression at its first call, and returns it at
// each. It panics if expr is invalid. Many goroutines may call it.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
