// Package screen shows people what there is: how far work is, on a terminal or in lines (a
// [Bar] for work of known length, a [Live] for a run), and tasks, scenarios, reports and
// traces as text that fits into the width of a terminal.
package screen

import (
	"cmp"
	"io"
	"time"
)

// A Terminal is where progress is shown.
type Terminal struct {
	Out     io.Writer
	Draws   bool       // it is a terminal on which the cursor can be moved
	Columns func() int // how wide it is; 0, or no function: unknown

	Lines time.Duration // between two lines where nothing is drawn; 0: 10 s
}

// How often progress is shown: drawn in place, and by default in lines.
const (
	drawEvery = 500 * time.Millisecond
	lineEvery = 10 * time.Second
)

// The columns of a terminal.
const (
	leastWidth = 40 // of the narrowest that everything fits into
	usualWidth = 80
)

// every is how often progress is shown.
func (t *Terminal) every() time.Duration {
	if t.Draws {
		return drawEvery
	}
	return cmp.Or(t.Lines, lineEvery)
}

// width is the number of columns.
func (t *Terminal) width() int {
	if t.Columns == nil {
		return usualWidth
	}
	if n := t.Columns(); n > 0 {
		return max(leastWidth, n)
	}
	return usualWidth
}
