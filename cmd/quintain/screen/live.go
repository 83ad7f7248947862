package screen

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/curve"
	"github.com/quintain-rl/quintain/run"
)

// Sizes of the live picture.
const (
	liveTasks   = 7 // rows of tasks
	workedLines = 3 // of the question, and of the reply, of the worked problem
	workedEvery = 4 * time.Second
)

// A Live shows the progress of a run: on a terminal a picture redrawn in place, otherwise a
// short line now and then. It is a [run.Sink]; many goroutines may use it.
type Live struct {
	// Name begins the lines that stay. It is "quintain run" unless changed before Run.
	Name string

	terminal *Terminal
	report   func() run.Report

	mu     sync.Mutex
	drawn  int // lines of the picture on the terminal
	worked *run.Played
	at     time.Time // of its choice
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
		if now := time.Now(); len(e.Scores) > 0 && now.Sub(l.at) >= workedEvery {
			e.Group = nil // its tokens are reused
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
func (l *Live) print(text string) {
	l.erase()
	fmt.Fprintln(l.terminal.Out, l.Name+": "+text)
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
		fmt.Fprintln(l.terminal.Out, strings.Join(statusOf(&r), "  "))
		return
	}
	lines := l.picture(&r, l.terminal.width())
	l.erase()
	fmt.Fprintln(l.terminal.Out, strings.Join(lines, "\n"))
	l.drawn = len(lines)
}

// statusOf returns the state of a run, in parts of a few words.
func statusOf(r *run.Report) []string {
	parts := []string{
		fmt.Sprintf("step %d", r.Steps), "version " + known("%d", r.Version, r.Version >= 0), fmt.Sprintf("score %.3f", r.Score()),
		fmt.Sprintf("groups %d", r.GroupsMade), fmt.Sprintf("dropped %d", sum(r.GroupsDropped)),
		"lag " + lagOf(r), fmt.Sprintf("%.0f %s/s", r.Rate(), r.Unit),
	}
	if complexity, has := r.Complexity(); has {
		parts = append(parts, fmt.Sprintf("complexity %.2f", complexity))
	}
	if r.GroupsSent > 0 {
		parts = append(parts, fmt.Sprintf("sent %d", r.GroupsSent))
	}
	if m := r.Training; m != nil {
		parts = append(parts, fmt.Sprintf("loss %.3f", m.Loss), fmt.Sprintf("entropy %.3f", m.Entropy))
		if m.Skipped > 0 {
			parts = append(parts, fmt.Sprintf("skipped updates %d", m.Skipped))
		}
	}
	if r.NoLogProbs > 0 {
		parts = append(parts, fmt.Sprintf("sequences without log-probabilities %d", r.NoLogProbs))
	}
	if r.Unscored > 0 {
		parts = append(parts, fmt.Sprintf("groups without the teacher %d (%s)", r.Unscored, Clip(r.TeacherFault, 60)))
	}
	if r.Turns != (run.Turns{}) {
		parts = append(parts, fmt.Sprintf("further turns %v", r.Turns))
	}
	if r.Waiting != "" {
		parts = append(parts, Clip(r.Waiting, 160))
	}
	if n := r.Episodes[quintain.PromptTooLong]; n > 0 {
		parts = append(parts, fmt.Sprintf("episodes with too long prompts %d", n))
	}
	if n := r.Failed(); n > 0 {
		cause, _, _ := strings.Cut(r.LastFault, "\n")
		parts = append(parts, fmt.Sprintf("failed episodes %d (%s)", n, Clip(cause, 60)))
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

// picture returns the lines of the picture, each shorter than width columns.
func (l *Live) picture(r *run.Report, width int) []string {
	lines := flow(statusOf(r), width)
	rows := moving(r.Tasks, liveTasks)
	name := 0
	for _, t := range rows {
		name = max(name, len([]rune(t.Label)))
	}
	name = min(name, width/2)
	for _, t := range rows {
		row := fmt.Sprintf("  %-*s %.3f ", name, Clip(t.Label, name), t.Last)
		if c := t.Curriculum; c != nil {
			row += fmt.Sprintf("complexity %.2f  share %2.0f %% ", c.Complexity, 100*c.Share)
		}
		row += curve.Spark(t.Curve, max(0, min(32, width-1-len([]rune(row)))))
		lines = append(lines, Clip(row, width-1))
	}
	if more := len(r.Tasks) - len(rows); more > 0 {
		lines = append(lines, Clip(fmt.Sprintf("  and %d tasks that move less", more), width-1))
	}
	return append(lines, workedProblem(l.worked, width)...)
}

// moving returns the n tasks with the largest change of score, in the order of the run.
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

// workedProblem shows one played problem to newcomers: the question, the model's reply, and
// its score.
func workedProblem(p *run.Played, width int) []string {
	if p == nil {
		return nil
	}
	best := 0
	for i, score := range p.Scores {
		if score > p.Scores[best] {
			best = i
		}
	}
	t := &p.Trajectories[best]
	last := t.Turns[len(t.Turns)-1]
	lines := []string{"", Clip("a problem of "+p.Job.Label, width-1)}
	lines = append(lines, block("asked", question(t), width)...)
	lines = append(lines, block("wrote", last.Reply, width)...)
	verdict := fmt.Sprintf("scored %.2f", p.Scores[best])
	if last.Why != "" {
		verdict += ": " + last.Why
	}
	return append(lines, block("", verdict, width)...)
}

// question returns the last message of the user in an episode.
func question(t *quintain.Trajectory) string {
	told := t.Turns[len(t.Turns)-1].Observed
	for _, m := range slices.Backward(told) {
		if m.Role == quintain.RoleUser {
			return m.Text()
		}
	}
	return ""
}

// block shows text after its name, in a few lines that fit.
func block(name, text string, width int) []string {
	const indent = 8
	room := width - 1 - indent
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = Plain(strings.TrimRight(line, "\n"))
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
		lines[workedLines-1] = Clip(lines[workedLines-1]+" …", room)
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

// sum adds up counters.
func sum[K comparable](counts map[K]int) int {
	n := 0
	for _, one := range counts {
		n += one
	}
	return n
}
