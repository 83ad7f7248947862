package screen

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
)

// showEvery is how long a problem is shown.
const showEvery = 10 * time.Second

// Widths of the parts of a problem in a line.
const (
	lineAsked  = 80
	lineAnswer = 40
)

// blockLines is the largest number of lines of a question or a reply.
const blockLines = 3

// A showcase chooses the problems to show: one at a time, of those that were played since the
// last one. It prefers problems with right and wrong replies, and other tasks than before.
type showcase struct {
	shown *shown // nil: none yet
	next  *shown // the best since; nil: none
	at    time.Time
}

// A shown is a problem to show, with the replies of its group.
type shown struct {
	course string
	best   run.Example
	worst  *run.Example // nil: all replies are right, or none
	right  int          // replies
	of     int
	mean   float64 // score
	rank   int
}

// Ranks of problems.
const (
	rankSolved = 2 // a reply is right
	rankMixed  = 3 // another is wrong
)

// consider takes a group, if it is better to show than the best so far.
func (c *showcase) consider(p *run.Played) {
	if len(p.Scores) == 0 {
		return
	}
	s := &shown{course: p.Job.Course, of: len(p.Scores)}
	best, worst := 0, 0
	for i, score := range p.Scores {
		s.mean += score / float64(len(p.Scores))
		t := &p.Trajectories[i]
		if len(t.Turns) == 0 {
			return
		}
		if t.Solved() {
			s.right++
		}
		if better(t, &p.Trajectories[best]) {
			best = i
		}
		if better(&p.Trajectories[worst], t) {
			worst = i
		}
	}
	mixed := s.right > 0 && s.right < s.of
	switch {
	case mixed:
		s.rank = rankMixed
	case s.right > 0:
		s.rank = rankSolved
	}
	if c.shown == nil || c.shown.course != s.course {
		s.rank++
	}
	if c.next != nil && c.next.rank >= s.rank {
		return
	}
	s.best = run.NewExample(p.Job.Label, &p.Trajectories[best])
	if mixed {
		s.worst = new(run.NewExample(p.Job.Label, &p.Trajectories[worst]))
	}
	c.next = s
}

// better reports whether episode a is better than b.
func better(a, b *quintain.Trajectory) bool {
	if a.Solved() != b.Solved() {
		return a.Solved()
	}
	return a.Reward() > b.Reward()
}

// turn shows the next problem if there is one and the last was shown for a while, or a solved
// one if there was none yet. It reports whether it did.
func (c *showcase) turn(now time.Time, while time.Duration) bool {
	if c.next == nil || c.shown != nil && now.Sub(c.at) < while {
		return false
	}
	c.shown, c.next, c.at = c.next, nil, now
	return true
}

// replies tells how many replies are right, if anybody says so: those who reward sessions need not.
func (s *shown) replies() string {
	if s.right == 0 && s.mean > 0 {
		return fmt.Sprintf("%s, mean score %.2f", stats.Count(s.of, "reply"), s.mean)
	}
	return fmt.Sprintf("%d of %d replies right, mean score %.2f", s.right, s.of, s.mean)
}

// line shows the problem in a line.
func (s *shown) line() string {
	word, _ := verdict(&s.best)
	more := s.replies()
	if s.best.Right {
		more = strings.Replace(more, "replies right", "replies are", 1)
	}
	return fmt.Sprintf("%s: %s → %s: %s (%s)", s.best.Label, Clip(oneLine(s.best.Question), lineAsked), Clip(oneLine(answerOf(&s.best)), lineAnswer), word, more)
}

// lines shows the problem in lines of less than width columns.
func (s *shown) lines(t *Terminal, width int) []string {
	all := append([]string{""}, WrapLine(s.best.Label+": "+s.replies(), width-1)...)
	b := block{on: t, indent: 8, width: width}
	all = append(all, b.lines("asked", s.best.Question)...)
	for _, e := range []*run.Example{&s.best, s.worst} {
		if e != nil {
			all = append(all, b.verdict(e)...)
		}
	}
	return all
}

// verdict tells in a word, and in a colour, whether a reply is right.
func verdict(e *run.Example) (string, style) {
	switch {
	case e.Right:
		return "right", green
	case e.Score > 0:
		return fmt.Sprintf("%.2f", e.Score), yellow
	}
	return "wrong", red
}

// answerOf returns the part of a reply that was judged.
func answerOf(e *run.Example) string {
	for _, text := range []string{e.Answer, e.Reply} {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return "(nothing)"
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return Plain(strings.Join(strings.Fields(text), " ")) }

// A block shows texts after their names, in lines that fit.
type block struct {
	on     *Terminal
	indent int // of the texts
	width  int
	style  style // of the name
}

// verdict shows a reply after its verdict, and why it is wrong.
func (b block) verdict(e *run.Example) []string {
	name, style := verdict(e)
	b.style = style
	return b.lines(name, withWhy(e))
}

// withWhy returns the judged part of a reply, with the reason if it is wrong.
func withWhy(e *run.Example) string {
	text := answerOf(e)
	if !e.Right && e.Why != "" {
		text += "  (" + oneLine(e.Why) + ")"
	}
	return text
}

// lines shows a text in a few lines.
func (b block) lines(name, text string) []string {
	room := b.width - 1 - b.indent
	var all []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		for _, part := range WrapLine(Plain(strings.TrimRight(line, "\n")), room) {
			all = append(all, slices.Collect(chunks(part, room))...)
		}
		if len(all) > blockLines {
			break
		}
	}
	if len(all) > blockLines {
		all = all[:blockLines]
		all[blockLines-1] = Clip(all[blockLines-1]+" …", room)
	}
	if all == nil {
		all = []string{"(nothing)"}
	}
	for i := range all {
		head := strings.Repeat(" ", b.indent-2)
		if i == 0 {
			head = b.on.in(b.style, name) + head[min(len(name), len(head)):]
		}
		all[i] = "  " + head + all[i]
	}
	return all
}

// chunks cuts text into parts of n characters.
func chunks(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range slices.Chunk([]rune(text), n) {
			if !yield(string(part)) {
				return
			}
		}
	}
}
