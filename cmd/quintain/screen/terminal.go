// Package screen prints for people: progress, on a terminal or in lines (a [Bar] for work of
// known length, a [Live] for a run), and tasks, scenarios, reports and traces, as text that
// fits into the width of a terminal.
package screen

import (
	"cmp"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/term"
)

// A Terminal shows progress and results.
type Terminal struct {
	Out     io.Writer
	Draws   bool       // the cursor can be moved
	Colors  bool       // text can be coloured
	Columns func() int // its width; 0, or no function: unknown

	Lines time.Duration // between two lines where nothing is drawn; 0: 10 s
}

// On returns a terminal for an output, or a file if it is none. It draws and has colours unless
// the environment says that it is dumb, or that nobody wants colours (https://no-color.org).
func On(out io.Writer, is bool, getenv func(string) string) *Terminal {
	kind := getenv("TERM")
	draws := is && kind != "" && kind != "dumb"
	return &Terminal{Out: out, Draws: draws, Colors: draws && getenv("NO_COLOR") == ""}
}

// Columns returns a function that measures the width of the first output that is a terminal.
func Columns(outputs ...*os.File) func() int {
	return func() int {
		for _, f := range outputs {
			if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
				return columns
			}
		}
		return 0
	}
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

// room is the number of columns for text that stays; a file has room for any line.
func (t *Terminal) room() int {
	if t.Columns == nil {
		return math.MaxInt
	}
	return t.width()
}

// A style is how text looks: parameters of the control sequence SGR (ECMA-48).
type style string

// The styles.
const (
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// in returns text in a style, if the terminal has colours.
func (t *Terminal) in(s style, text string) string {
	if !t.Colors || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
