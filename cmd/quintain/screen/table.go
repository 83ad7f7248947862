package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/watch/words"
)

// Widths of columns, in characters.
const (
	sparkWidth = 16 // of a curve, at most
	leastSpark = 8
	leastName  = 12 // of the name of a task, if a terminal is too narrow for all of it
	gap        = 2  // between two columns
)

// levelsHead heads the levels that the policy can do.
const levelsHead = "levels done"

// leastPoints is the number of points from which a curve tells more than numbers.
const leastPoints = 3

// A column is a column of a table: the head and a cell for each row.
type column struct {
	right bool // numbers: they stand at the right
	cells []string
}

// newColumn returns a column with a head and a cell of each task.
func newColumn(head string, right bool, tasks []run.TaskReport, cell func(*run.TaskReport) string) column {
	c := column{right, []string{head}}
	for i := range tasks {
		c.cells = append(c.cells, cell(&tasks[i]))
	}
	return c
}

// width is that of the longest cell.
func (c column) width() (n int) {
	for _, cell := range c.cells {
		n = max(n, utf8.RuneCountInString(cell))
	}
	return n
}

// lines returns the head and the rows of a table.
func lines(columns []column) []string {
	var all []string
	for row := range columns[0].cells {
		var line strings.Builder
		for i, c := range columns {
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			pad := strings.Repeat(" ", c.width()-utf8.RuneCountInString(c.cells[row]))
			if c.right {
				line.WriteString(pad + c.cells[row])
			} else {
				line.WriteString(c.cells[row] + pad)
			}
		}
		all = append(all, strings.TrimRight(line.String(), " "))
	}
	return all
}

// A progress is a table of the progress of tasks, for a width.
type progress struct {
	tasks []run.TaskReport
	room  int  // columns of the terminal
	live  bool // during the run: the levels that are practised, in place of counts
}

// lines returns the head and the rows. Held-out scores tell what was learned; the scores of
// training do only where there are no others, because a curriculum moves its levels. If the
// width is too small for all columns, those that matter less are left out.
func (p progress) lines() []string {
	name := newColumn("task", false, p.tasks, func(t *run.TaskReport) string { return t.Label })
	head, points := "training score", func(t *run.TaskReport) []float64 { return t.Curve }
	score := func(t *run.TaskReport) string { return fmt.Sprintf("%.3f", t.Last) }
	short := score
	if p.examined() {
		head, points = "held-out score", func(t *run.TaskReport) []float64 { return t.ExamCurve }
		score, short = beforeAndAfter, latest
	}
	table := []column{name, newColumn(head, true, p.tasks, score)}
	var fitting []column
	for _, more := range append(p.further(), nil) {
		if fitting = p.fit(append(table[:2:2], more...), points); fitting != nil {
			return lines(fitting)
		}
	}
	table[1] = newColumn("score", true, p.tasks, short)
	if fitting = p.fit(table, points); fitting != nil {
		return lines(fitting)
	}
	most := max(leastName, p.room-1-table[1].width()-2*gap-leastSpark)
	for i, cell := range name.cells {
		name.cells[i] = Clip(cell, most)
	}
	if fitting = p.fit(table, points); fitting != nil {
		return lines(fitting)
	}
	return lines(table)
}

// examined reports whether a task has a held-out score.
func (p progress) examined() bool {
	for i := range p.tasks {
		if p.tasks[i].ExamBefore != nil {
			return true
		}
	}
	return false
}

// further returns the columns after the score, from all to the one that matters most.
func (p progress) further() (sets [][]column) {
	var all []column
	if p.examined() && p.levels() > 1 {
		all = append(all, newColumn(levelsHead, true, p.tasks, levelsDone))
	}
	if !p.live {
		all = append(all, newColumn("groups", true, p.tasks, func(t *run.TaskReport) string { return words.Count(t.Groups) }))
	}
	if p.curriculum() {
		if p.live {
			all = append(all, newColumn("practises", true, p.tasks, practises))
		}
		all = append(all, newColumn("share", true, p.tasks, func(t *run.TaskReport) string { return fmt.Sprintf("%.0f %%", 100*t.Curriculum.Share) }))
	}
	for n := len(all); n > 0; n-- {
		sets = append(sets, all[:n])
	}
	return sets
}

// levels is the largest number of levels of a task.
func (p progress) levels() (most int) {
	for i := range p.tasks {
		most = max(most, len(p.tasks[i].Levels))
	}
	return most
}

// curriculum reports whether there is one.
func (p progress) curriculum() bool { return len(p.tasks) > 0 && p.tasks[0].Curriculum != nil }

// fit returns columns with a curve in the room that is left, or without if the curves have
// few points; nil: the room is too small.
func (p progress) fit(columns []column, points func(*run.TaskReport) []float64) []column {
	used := 0
	for _, c := range columns {
		used += c.width() + gap
	}
	most := 0
	for i := range p.tasks {
		most = max(most, len(points(&p.tasks[i])))
	}
	left := p.room - 1 - used
	switch {
	case most < leastPoints && left >= -gap:
		return columns
	case most < leastPoints || left < min(leastSpark, most):
		return nil
	}
	spark := func(t *run.TaskReport) string { return stats.Spark(points(t), min(sparkWidth, left)) }
	return append(columns, newColumn("curve", false, p.tasks, spark))
}

// beforeAndAfter writes the held-out scores of a task.
func beforeAndAfter(t *run.TaskReport) string {
	switch {
	case t.ExamBefore == nil:
		return ""
	case t.ExamAfter == nil:
		return fmt.Sprintf("%.3f", *t.ExamBefore)
	}
	return fmt.Sprintf("%.3f → %.3f", *t.ExamBefore, *t.ExamAfter)
}

// latest writes the last held-out score of a task.
func latest(t *run.TaskReport) string {
	if t.ExamAfter != nil {
		return fmt.Sprintf("%.3f", *t.ExamAfter)
	}
	return beforeAndAfter(t)
}

// levelsDone writes how many levels the policy could do and can do.
func levelsDone(t *run.TaskReport) string {
	switch {
	case t.DoneBefore == nil:
		return ""
	case t.DoneAfter == nil || *t.DoneAfter == *t.DoneBefore:
		return fmt.Sprintf("%d of %d", *t.DoneBefore, t.Examined)
	}
	return fmt.Sprintf("%d → %d of %d", *t.DoneBefore, *t.DoneAfter, t.Examined)
}

// practises writes which level the curriculum plays, on average, as in its label.
func practises(t *run.TaskReport) string {
	n := len(t.Levels)
	if n < 2 {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(t.Levels[int(t.Curriculum.Complexity*float64(n-1)+0.5)], t.Label))
}
