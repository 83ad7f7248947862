package mathverify

import (
	"regexp"
	"sync"
)

// compiled returns a function that returns a regular expression, which it compiles at its first
// call: most programs never judge mathematics.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
