package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/curve"
	"github.com/quintain-rl/quintain/run"
)

// How often a run is shown on a terminal, and in lines elsewhere.
const (
	terminalEvery = 500 * time.Millisecond
	linesEvery    = 10 * time.Second
)

// The sizes of the live picture.
const (
	leastWidth   = 40 // columns of the narrowest terminal that the picture fits into
	usualWidth   = 80
	liveTasks    = 7 // rows of tasks
	workedLines  = 3 // of the question, and of the reply, of the worked problem
	workedEvery  = 4 * time.Second
	deepestScore = 1e-9
)

// screen reports whether standard error is a terminal that can be drawn on.
func (w *world) screen() bool {
	return w.terminal && w.getenv("TERM") != "dumb" && w.getenv("TERM") != ""
}

// width is the number of columns of the terminal.
func (w *world) width() int {
	if w.columns == nil {
		return usualWidth
	}
	if n := w.columns(); n > 0 {
		return max(leastWidth, n)
	}
	return usualWidth
}

// A live shows how a run goes on: on a terminal a picture that is drawn over itself,
// elsewhere a short line now and then. It is a [run.Sink]; many goroutines may use it.
type live struct {
	w      *world
	report func() run.Report

	mu     sync.Mutex
	drawn  int // lines of the picture that stand on the terminal
	worked *run.Played
	at     time.Time // when it was chosen
	ended  bool
}

// Note implements [run.Sink].
func (l *live) Note(e run.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case run.Played:
		if now := time.Now(); len(e.Scores) > 0 && now.Sub(l.at) >= workedEvery {
			l.worked, l.at = &e, now
		}
	case run.Examined:
		if e.Report.Mean != nil {
			l.print(fmt.Sprintf("held-out problems score %.3f at version %d", *e.Report.Mean, e.Version))
		}
	case run.Said:
		l.print(e.Text)
	}
	return nil
}

// print prints a line that stays. l.mu is held.
func (l *live) print(text string) {
	l.erase()
	fmt.Fprintln(l.w.stderr, "quintain run: "+text)
}

// say is print for others.
func (l *live) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print(fmt.Sprintf(format, args...))
}

// erase takes the picture off the terminal. l.mu is held.
func (l *live) erase() {
	if l.drawn > 0 {
		fmt.Fprintf(l.w.stderr, "\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}

// Run shows the run until ctx ends.
func (l *live) Run(ctx context.Context) error {
	every := linesEvery
	if l.w.screen() {
		every = terminalEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			l.mu.Lock()
			defer l.mu.Unlock()
			l.erase()
			return nil
		case <-tick.C:
			l.show()
		}
	}
}

// show draws the run as it is. What cannot be written is left out: the run matters more
// than its picture.
func (l *live) show() {
	r := l.report()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.w.screen() {
		fmt.Fprintln(l.w.stderr, strings.Join(statusOf(&r), "  "))
		return
	}
	lines := l.picture(&r, l.w.width())
	l.erase()
	fmt.Fprintln(l.w.stderr, strings.Join(lines, "\n"))
	l.drawn = len(lines)
}

// statusOf tells the state of a run in a few words each.
func statusOf(r *run.Report) []string {
	parts := []string{
		fmt.Sprintf("step %d", r.Steps), fmt.Sprintf("version %d", r.Version), fmt.Sprintf("score %.3f", r.Score()),
		fmt.Sprintf("groups %d", r.GroupsMade), fmt.Sprintf("dropped %d", total(r.GroupsDropped)),
		fmt.Sprintf("lag %.1f", r.Lag()), fmt.Sprintf("%.0f %s/s", r.Rate(), r.Unit),
	}
	if m := r.Training; m != nil {
		parts = append(parts, fmt.Sprintf("loss %.3f", m.Loss), fmt.Sprintf("entropy %.3f", m.Entropy))
		if m.Skipped > 0 {
			parts = append(parts, fmt.Sprintf("skipped updates %d", m.Skipped))
		}
	}
	if n := r.Failed(); n > 0 {
		cause, _, _ := strings.Cut(r.LastFault, "\n")
		parts = append(parts, fmt.Sprintf("failed episodes %d (%s)", n, clip(cause, 60)))
	}
	return parts
}

// picture returns the lines of the picture, none of them longer than width columns.
func (l *live) picture(r *run.Report, width int) []string {
	lines := flowed(statusOf(r), width)
	rows := moving(r.Tasks, liveTasks)
	name := 0
	for _, t := range rows {
		name = max(name, len([]rune(t.Label)))
	}
	name = min(name, width/2)
	for _, t := range rows {
		row := fmt.Sprintf("  %-*s %.3f ", name, clip(t.Label, name), t.Last)
		row += curve.Spark(t.Curve, min(32, width-1-len([]rune(row))))
		lines = append(lines, clip(row, width-1))
	}
	if more := len(r.Tasks) - len(rows); more > 0 {
		lines = append(lines, clip(fmt.Sprintf("  and %d tasks that move less", more), width-1))
	}
	return append(lines, workedProblem(l.worked, width)...)
}

// flowed joins parts into lines of less than width columns.
func flowed(parts []string, width int) []string {
	var lines []string
	line := ""
	for _, part := range parts {
		part = clip(part, width-1)
		switch {
		case line == "":
			line = part
		case len([]rune(line))+2+len([]rune(part)) < width:
			line += "  " + part
		default:
			lines, line = append(lines, line), part
		}
	}
	return append(lines, line)
}

// moving returns the n tasks whose scores move most, in the order of the run.
func moving(tasks []run.TaskReport, n int) []run.TaskReport {
	var played []run.TaskReport
	for _, t := range tasks {
		if t.Groups > 0 {
			played = append(played, t)
		}
	}
	if len(played) <= n {
		return played
	}
	moves := make([]float64, len(played))
	for i, t := range played {
		moves[i] = math.Abs(t.Last - t.First)
	}
	bound := slices.Sorted(slices.Values(moves))[len(moves)-n]
	var most []run.TaskReport
	for i, t := range played {
		if moves[i] >= bound && len(most) < n {
			most = append(most, t)
		}
	}
	return most
}

// workedProblem shows one problem as it was played: the question, what the model wrote,
// and its score. That is what a newcomer wants to see.
func workedProblem(p *run.Played, width int) []string {
	if p == nil {
		return nil
	}
	best := 0
	for i, score := range p.Scores {
		if score > p.Scores[best]+deepestScore {
			best = i
		}
	}
	t := &p.Trajectories[best]
	last := t.Turns[len(t.Turns)-1]
	lines := []string{"", clip("a problem of "+p.Job.Label, width-1)}
	lines = append(lines, block("asked", question(t), width)...)
	lines = append(lines, block("wrote", last.Reply, width)...)
	verdict := fmt.Sprintf("scored %.2f", p.Scores[best])
	if last.Why != "" {
		verdict += ": " + last.Why
	}
	return append(lines, block("", verdict, width)...)
}

// question is the last thing that an episode's policy was told by the user.
func question(t *quintain.Trajectory) string {
	told := t.Turns[len(t.Turns)-1].Observed
	for _, m := range slices.Backward(told) {
		if m.Role == quintain.RoleUser {
			return m.Text()
		}
	}
	return ""
}

// block shows text with its name before it, in a few lines that fit.
func block(name, text string, width int) []string {
	const indent = 8
	room := width - 1 - indent
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = plainText(strings.TrimRight(line, "\n"))
		for runes := []rune(line); len(lines) <= workedLines; runes = runes[room:] {
			if len(runes) <= room {
				lines = append(lines, string(runes))
				break
			}
			lines = append(lines, string(runes[:room]))
		}
	}
	if len(lines) > workedLines {
		lines = lines[:workedLines]
		lines[workedLines-1] = clip(lines[workedLines-1]+" …", room)
	}
	if lines == nil {
		lines = []string{"(nothing)"}
	}
	for i := range lines {
		head := ""
		if i == 0 {
			head = name
		}
		lines[i] = fmt.Sprintf("  %-*s%s", indent-2, head, lines[i])
	}
	return lines
}

// plainText is text without what would move the cursor or take other than one column:
// what a model wrote is hostile.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
			return -1
		case r >= 0x1100 && !unicode.Is(unicode.Latin, r) && wide(r):
			return '?'
		}
		return r
	}, s)
}

// wide reports whether a terminal gives r two columns, roughly: East Asian letters and
// pictures (Unicode Standard Annex 11).
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0xFF00 && r <= 0xFF60 || r >= 0x1F000
}

// clip shortens text to n columns.
func clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return string(runes[:n-1]) + "…"
}

// total adds up counters.
func total[K comparable](counts map[K]int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}
