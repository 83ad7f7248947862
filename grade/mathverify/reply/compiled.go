package reply

import (
	"regexp"
	"sync"
)

// unitTerms returns a function that compiles a regular expression at its first call and returns
// it: most programs never judge mathematics.
func unitTerms(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
