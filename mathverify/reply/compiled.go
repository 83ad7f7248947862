package reply

import (
	"regexp"
	"sync"
)

// compiled returns a function that compiles a regular expression at its first call and returns
// it: most programs never judge mathematics.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
