// Package screen prints for people: progress, on a terminal or in lines (a [Bar] for work of
// known length, a [Live] for a run), and tasks, scenarios, reports and traces, as text that
// fits into the width of a terminal.
package screen

import (
	"cmp"
	"io"
	"time"
)

// A Terminal shows progress.
type Terminal struct {
	Out     io.Writer
	Draws   bool       // the cursor can be moved
	Columns func() int // its width; 0, or no function: unknown

	Lines time.Duration // between two lines where nothing is drawn; 0: 10 s
}

// Intervals of progress: drawn in place, and by default in lines.
const (
	drawEvery = 500 * time.Millisecond
	lineEvery = 10 * time.Second
)

// Widths of terminals, in columns.
const (
	leastWidth = 40 // everything fits into it
	usualWidth = 80
)

// every is the interval of progress.
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
