package pipe

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/task"
)

// A Grader grades answers, one per line.
type Grader struct {
	Tasks  *task.Set // problems of other tasks are errors
	Format Format
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
		read := g.Format.reader()
		var encoder jsonform.Encoder
		var v Verdict
		return func(dst, line []byte) ([]byte, error) {
			p, answer, err := read(line)
			if err != nil {
				return dst, err
			}
			if v, err = g.Judge(p, answer); err != nil {
				return dst, err
			}
			return encoder.Append(dst, &v)
		}
	})
}

// Judge grades one answer; nil: there is none. An error means that the problem is
// unreadable, or of another task.
func (g Grader) Judge(p quintain.Problem, answer *string) (Verdict, error) {
	t, err := g.Tasks.Get(p.Task)
	if err != nil {
		return Verdict{}, err
	}
	text := ""
	if answer != nil {
		text = *answer
	}
	v, err := t.Grade(p, text) // even without an answer: the problem may be invalid
	if err != nil {
		return Verdict{}, err
	}
	if answer == nil {
		v = quintain.Malformed("there is no answer")
	}
	return Verdict(v), nil
}
