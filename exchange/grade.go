package exchange

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/jsonform"
	"github.com/quintain-rl/quintain/jsonl"
	"github.com/quintain-rl/quintain/task"
)

// A Grader judges answers, a line each.
type Grader struct {
	Tasks  *task.Set // those whose problems are taken
	Format Format
}

// A verdict is the answer to a line.
type verdict struct {
	Score     float64 `json:"score"`
	Malformed bool    `json:"malformed"`
	Reason    string  `json:"reason"`
}

// Grade reads lines with a problem and an answer, and writes a line for each, in order:
// {"score", "malformed", "reason"}, or {"error"} if the line cannot be read. The lines are
// graded on all cores. See [jsonl.Answer] for its limits and errors.
func (g Grader) Grade(ctx context.Context, in io.Reader, out io.Writer) error {
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		read := g.Format.reader()
		var encoder jsonform.Encoder
		var v verdict
		return func(dst, line []byte) ([]byte, error) {
			p, answer, err := read(line)
			if err != nil {
				return dst, err
			}
			if v, err = g.judge(p, answer); err != nil {
				return dst, err
			}
			return encoder.Append(dst, &v)
		}
	})
}

// judge judges one answer; nil is no answer.
func (g Grader) judge(p quintain.Problem, answer *string) (verdict, error) {
	t, err := g.Tasks.Get(p.Task)
	if err != nil {
		return verdict{}, err
	}
	text := ""
	if answer != nil {
		text = *answer
	}
	v, err := t.Grade(p, text) // without an answer as well: the problem may be unreadable
	if err != nil {
		return verdict{}, err
	}
	if answer == nil {
		v = quintain.Malformed("there is no answer")
	}
	return verdict(v), nil
}
