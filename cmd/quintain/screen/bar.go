package screen

import (
	"fmt"
	"time"
)

// A Bar shows progress of work of known length, in one line.
type Bar struct {
	on    *Terminal
	work  string
	start time.Time
	shown time.Time
}

// sure is the time after which a Bar tells how long the rest takes: before, the start of the work
// counts too much.
const sure = 5 * time.Second

// NewBar returns a Bar of work that begins now.
func NewBar(t *Terminal, work string) *Bar {
	return &Bar{on: t, work: work, start: time.Now()}
}

// Show shows that n of total steps are done, with a remark: on a terminal in place, a few
// times a second, otherwise in a line now and then.
func (b *Bar) Show(n, total int, more string) {
	now := time.Now()
	if now.Sub(b.shown) < b.on.every() && n < total {
		return
	}
	b.shown = now
	line := fmt.Sprintf("quintain: %s, %d of %d, %s", b.work, n, total, more)
	if spent := now.Sub(b.start); spent >= sure {
		line += fmt.Sprintf(", %v left", time.Duration(float64(spent)/float64(max(1, n))*float64(total-n)).Round(time.Second))
	}
	if b.on.Draws {
		fmt.Fprintf(b.on.Out, "\r\x1b[K%s", Clip(line, b.on.width()-1))
		return
	}
	fmt.Fprintln(b.on.Out, line)
}

// Tell shows that one of several steps begins.
func (b *Bar) Tell(step string, n, total int) { b.Show(n, total, step) }

// End ends the line.
func (b *Bar) End() {
	if b.on.Draws && !b.shown.IsZero() {
		fmt.Fprintln(b.on.Out)
	}
}
