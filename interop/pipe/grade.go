package pipe

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
)

// A Grader grades answers, one per line.
type Grader struct {
	Tasks  *task.Set // problems of other tasks are errors
	Format Format
	Scores reasoninggym.By
}

// A Verdict is a [quintain.Verdict] with all members in its JSON.
type Verdict struct {
	Score     float64 `json:"score"`
	Malformed bool    `json:"malformed"`
	Reason    string  `json:"reason"`
}

// Grade reads lines with a problem and an answer, and writes a line for each, in order:
// {"score", "malformed", "reason"}, or {"error"} if the line is invalid. It works on all
// cores. See [jsonl.Answer] for its limits and errors.
func (g Grader) Grade(ctx context.Context, in io.Reader, out io.Writer) error {
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		grade := g.grader()
		var v Verdict
		return func(dst, line []byte) (_ []byte, err error) {
			if v, err = grade(line); err != nil {
				return dst, err
			}
			return strictjson.Append(dst, &v)
		}
	})
}

// grader returns a function that grades lines, for one goroutine.
func (g Grader) grader() func(line []byte) (Verdict, error) {
	if g.Scores == reasoninggym.ReasoningGym && g.Format.entry != nil {
		return func(line []byte) (Verdict, error) {
			e, answer, err := g.Format.entry(line)
			if err != nil {
				return Verdict{}, err
			}
			p, err := problemOf(e)
			if err != nil {
				return Verdict{}, err
			}
			return g.JudgeEntry(p, e, answer)
		}
	}
	read := g.Format.reader()
	return func(line []byte) (Verdict, error) {
		p, answer, err := read(line)
		if err != nil {
			return Verdict{}, err
		}
		return g.Judge(p, answer)
	}
}

// JudgeEntry is Judge for a problem that is an entry of reasoning-gym: its scores follow the
// answer in the entry.
func (g Grader) JudgeEntry(p quintain.Problem, e reasoninggym.Entry, answer *string) (Verdict, error) {
	if g.Scores != reasoninggym.ReasoningGym || !reasoninggym.Known(p.Task) {
		return g.Judge(p, answer)
	}
	t, err := g.Tasks.Get(p.Task)
	if err != nil {
		return Verdict{}, err
	}
	v, err := reasoninggym.GradeEntry(t, p, e, answer)
	return Verdict(v), err
}

// Judge grades one answer; nil: there is none. An error means that the problem is
// unreadable, or of another task.
func (g Grader) Judge(p quintain.Problem, answer *string) (Verdict, error) {
	t, err := g.Tasks.Get(p.Task)
	if err != nil {
		return Verdict{}, err
	}
	v, err := g.Scores.Grade(t, p, answer) // even without an answer: the problem may be invalid
	return Verdict(v), err
}
