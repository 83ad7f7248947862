package pyvalue

import (
	"errors"
	"fmt"
)

// The limits of values.
const (
	maxDepth  = 500     // nested lists and dicts
	maxRange  = 100_000 // numbers of a range
	maxDigits = 4300    // of an integer as text, as in Python
	maxBits   = 1 << 16 // of an integer
)

// A Runtime does Python's operations on values, within bounds of work and memory. It
// serves one goroutine at a time.
type Runtime struct {
	Steps int // steps left, of about 10 ns to 100 ns each
	Bytes int // the longest text; a list has at most a sixteenth as many items
}

var errSteps = errors.New("it takes too many steps")

// Spend takes steps from the rest.
func (r *Runtime) Spend(steps int) error {
	if r.Steps -= steps; r.Steps < 0 {
		return errSteps
	}
	return nil
}

// Room takes the steps for a text of a length, and rejects one that is too long.
func (r *Runtime) Room(bytes int) error {
	if bytes < 0 || bytes > r.Bytes {
		return fmt.Errorf("a text has more than %d bytes", r.Bytes)
	}
	return r.Spend(bytes / 16)
}

// Charge takes the steps for making v, and rejects it if it is too long.
func (r *Runtime) Charge(v Value) error {
	switch v := v.(type) {
	case string:
		return r.Room(len(v))
	case Markup:
		return r.Room(len(v))
	case *List:
		return r.Spend(len(v.Items))
	case *Generator:
		return r.Spend(len(v.items))
	}
	return r.Spend(1)
}
