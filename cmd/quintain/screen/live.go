package screen

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/sandbox"
)

// Sizes of the live picture.
const (
	liveTasks = 7  // rows of tasks
	liveLines = 24 // at most: a larger one would not fit on a small terminal
)

// A Live shows the progress of a run: on a terminal a picture redrawn in place, otherwise
// short lines now and then. It is a [run.Sink]; many goroutines may use it.
type Live struct {
	// Name begins the lines that stay. It is "quintain run" unless changed before Run.
	Name string

	terminal *Terminal
	report   func() run.Report

	mu       sync.Mutex
	drawn    int // lines of the picture on the terminal
	showcase showcase
	examined bool // a held-out score was printed
}

// NewLive returns a Live of the run of report. Call Run to show it. Note and Say print even
// before Run.
func NewLive(t *Terminal, report func() run.Report) *Live {
	return &Live{Name: "quintain run", terminal: t, report: report}
}

// Note implements [run.Sink].
func (l *Live) Note(e run.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case run.Played:
		l.played(&e)
	case run.Examined:
		l.exam(&e)
	case run.Said:
		l.print(e.Text)
	}
	return nil
}

// played considers a group for the showcase. In lines, the first solved problem is shown at
// once. l.mu is held.
func (l *Live) played(p *run.Played) {
	l.showcase.consider(p)
	first := l.showcase.shown == nil && l.showcase.next != nil && l.showcase.next.right > 0
	if first && !l.terminal.Draws && l.showcase.turn(time.Now(), 0) {
		fmt.Fprintln(l.terminal.Out, "  "+l.showcase.shown.line())
	}
}

// exam prints a held-out score; on a terminal only the first, because the picture has the
// others. l.mu is held.
func (l *Live) exam(e *run.Examined) {
	if e.Report.Mean == nil || l.examined && l.terminal.Draws {
		return
	}
	which := "held-out problems"
	if !l.examined {
		which += ", which it never practises,"
	}
	l.examined = true
	l.print(fmt.Sprintf("%s score %.3f at version %d", which, *e.Report.Mean, e.Version))
}

// print prints a line that stays. l.mu is held.
func (l *Live) print(text string) {
	l.erase()
	lines := []string{l.Name + ": " + Fault(text)}
	if l.terminal.Draws {
		lines = WrapLine(lines[0], l.terminal.width()-1-len("  "))
	}
	fmt.Fprintln(l.terminal.Out, strings.Join(lines, "\n  "))
}

// Say prints a line that stays.
func (l *Live) Say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print(fmt.Sprintf(format, args...))
}

// erase removes the picture from the terminal. l.mu is held.
func (l *Live) erase() {
	if l.drawn > 0 {
		fmt.Fprintf(l.terminal.Out, "\r\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}

// Run shows the run until ctx ends.
func (l *Live) Run(ctx context.Context) error {
	tick := time.NewTicker(l.terminal.every())
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

// show draws the run. It ignores write errors: the run matters more than its picture.
func (l *Live) show() {
	r := l.report()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.terminal.Draws {
		fmt.Fprintln(l.terminal.Out, statusLine(&r))
		if l.showcase.turn(time.Now(), 0) {
			fmt.Fprintln(l.terminal.Out, "  "+l.showcase.shown.line())
		}
		return
	}
	l.showcase.turn(time.Now(), showEvery)
	picture := l.picture(&r, l.terminal.width())
	l.erase()
	fmt.Fprintln(l.terminal.Out, strings.Join(picture, "\n"))
	l.drawn = len(picture)
}

// statusLine tells the state of a run in a line: what has become better, then numbers.
func statusLine(r *run.Report) string {
	step := fmt.Sprintf("step %d", r.Steps)
	if r.Version != r.Steps {
		step += ", version " + known("%d", r.Version, r.Version >= 0)
	}
	text := fmt.Sprintf("%s, %s: %s (%s)", step, elapsed(r.Seconds), headline(r), strings.Join(flowOf(r), ", "))
	return strings.Join(append([]string{text}, troubles(r)...), "; ")
}

// flowOf returns how groups and tokens flow, in parts of a few words.
func flowOf(r *run.Report) []string {
	var parts []string
	if e := r.Examining; e != nil {
		parts = append(parts, fmt.Sprintf("examining %s of %s problems, %s", words.Count(e.Done), words.Count(e.Total), Failures(*e)))
		if played(r) == 0 {
			return parts
		}
	}
	groups := " groups kept"
	if r.GroupsMade == 1 {
		groups = " group kept"
	}
	parts = append(parts,
		words.Count(r.GroupsMade)+groups, droppedOf(r), "lag "+lagOf(r), fmt.Sprintf("mean %s %s/s", words.Count(int(r.Rate())), r.Unit),
	)
	if r.GroupsSent > 0 {
		parts = append(parts, words.Count(r.GroupsSent)+" sent")
	}
	return parts
}

// droppedOf counts the dropped groups, and names the commonest reason and what decides on it.
func droppedOf(r *run.Report) string {
	text := words.Count(sum(r.GroupsDropped)) + " dropped"
	why := rollout.Commonest(r.GroupsDropped)
	if why == "" {
		return text
	}
	text += ", mostly " + string(why)
	if setting := why.Setting(); setting != "" {
		text += " (" + setting + ")"
	}
	return text
}

// statusOf returns the state of a run in numbers, in parts of a few words.
func statusOf(r *run.Report) []string {
	parts := []string{
		elapsed(r.Seconds), fmt.Sprintf("step %d", r.Steps), "version " + known("%d", r.Version, r.Version >= 0),
	}
	parts = append(parts, flowOf(r)...)
	if r.ExamBefore != nil {
		parts = append(parts, fmt.Sprintf("training score %.3f", r.Score()))
	}
	if m := r.Training; m != nil {
		parts = append(parts, fmt.Sprintf("loss %.3f", m.Loss), fmt.Sprintf("entropy %.3f", m.Entropy))
	}
	return parts
}

// troubles returns what is unusual, in parts of a few words.
func troubles(r *run.Report) (parts []string) {
	if slices.ContainsFunc(r.Sandboxes, (*sandbox.Setup).Trusts) {
		parts = append(parts, "programs run without a sandbox")
	}
	if m := r.Training; m != nil && m.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("skipped updates %d", m.Skipped))
	}
	if r.NoLogProbs > 0 {
		parts = append(parts, fmt.Sprintf("sequences without log-probabilities %d", r.NoLogProbs))
	}
	if r.Unscored > 0 {
		parts = append(parts, fmt.Sprintf("groups without the teacher %d (%s)", r.Unscored, Clip(Fault(r.TeacherFault), 60)))
	}
	if r.Turns != (run.Turns{}) {
		parts = append(parts, fmt.Sprintf("further turns %v", r.Turns))
	}
	if r.Waiting != "" {
		parts = append(parts, Clip(Fault(r.Waiting), 160))
	}
	if n := r.Episodes[quintain.PromptTooLong]; n > 0 {
		parts = append(parts, fmt.Sprintf("episodes with too long prompts %d", n))
	}
	if n := r.Failed(); n > 0 {
		cause, _, _ := strings.Cut(r.LastFault, "\n")
		parts = append(parts, fmt.Sprintf("failed episodes %d (%s)", n, Clip(Fault(cause), 60)))
	}
	return parts
}

// lagOf returns the mean lag of the consumed groups, in versions.
func lagOf(r *run.Report) string {
	lag, measured := r.Lag()
	return known("%.1f", lag, measured)
}

// known formats a value, or says that it is unknown.
func known(format string, value any, is bool) string {
	if !is {
		return "unknown"
	}
	return fmt.Sprintf(format, value)
}

// picture returns the lines of the picture, each of less than width columns. l.mu is held.
func (l *Live) picture(r *run.Report, width int) (all []string) {
	add := func(of style, list ...string) {
		for _, line := range list {
			all = append(all, l.terminal.in(of, line))
		}
	}
	add(bold, WrapLine(headline(r), width-1)...)
	add(faint, flow(statusOf(r), width)...)
	if list := troubles(r); list != nil {
		add(yellow, flow(list, width)...)
	}
	if rows := moving(r.Tasks, liveTasks); rows != nil {
		table := progress{tasks: rows, room: width, live: true}.lines()
		add(faint, "", table[0])
		add("", table[1:]...)
		if more := len(r.Tasks) - len(rows); more > 0 {
			add(faint, Clip(fmt.Sprintf("and %s that move less", stats.Count(more, "task")), width-1))
		}
	}
	if l.showcase.shown != nil {
		add("", l.showcase.shown.lines(l.terminal, width)...)
	}
	return all[:min(len(all), liveLines)]
}

// moving returns the n tasks with the largest change of score, in the order of the run.
func moving(tasks []run.TaskReport, n int) []run.TaskReport {
	var list []run.TaskReport
	for _, t := range tasks {
		if t.Groups > 0 || t.ExamBefore != nil {
			list = append(list, t)
		}
	}
	if len(list) <= n {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(move(&list[b]), move(&list[a])) })
	most := make([]run.TaskReport, n)
	for i, at := range slices.Sorted(slices.Values(order[:n])) {
		most[i] = list[at]
	}
	return most
}

// move is the change of a task's score: on held-out problems or, without them, in training.
func move(t *run.TaskReport) float64 {
	switch {
	case t.ExamAfter != nil && t.ExamBefore != nil:
		return math.Abs(*t.ExamAfter - *t.ExamBefore)
	case t.ExamBefore != nil:
		return 0
	}
	return math.Abs(t.Last - t.First)
}

// sum adds up counters.
func sum[K comparable](counts map[K]int) int {
	n := 0
	for _, one := range counts {
		n += one
	}
	return n
}
