package pause

import (
	"math/rand/v2"
	"time"
)

// A Backoff says how long to wait between tries that fail: First, and twice as long after each
// further failure, up to Most. Many goroutines may use it.
type Backoff struct {
	First, Most time.Duration
	Jitter      bool // draw each pause uniformly from 0 to that: those who failed together do not come back together
}

// After returns the pause after so many failures in a row, from 1 on.
func (b Backoff) After(failures int) time.Duration {
	d, n := b.Most, max(0, failures-1)
	if n < 62 && b.First <= b.Most>>n {
		d = b.First << n
	}
	if b.Jitter {
		return rand.N(d + 1)
	}
	return d
}
