package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/grader"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// GradeSession grades an ended session of the gateway, as its program does: it reads the session
// and writes the reward, both as JSON. Without a verdict it writes nothing.
func (j *Jury) GradeSession(ctx context.Context, in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(io.LimitReader(in, mostRow+1))
	if err != nil {
		return err
	}
	if len(text) > mostRow {
		return fmt.Errorf("the session has more than %d bytes", mostRow)
	}
	var q grader.Question
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return fmt.Errorf("the session: %w", strictjson.Explain(err))
	}
	it, err := j.session(&q)
	if err != nil {
		return err
	}
	v, err := j.Judge.Grade(ctx, it)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(grader.Reward{Reward: &v.Score, Right: v.Right, Malformed: v.Malformed, Why: v.Why})
}

// session returns what there is to judge of a session. The reference is the field of the session's
// metadata that the rubric names.
func (j *Jury) session(q *grader.Question) (it Item, err error) {
	it = Item{Key: q.Session, Question: q.Problem.Prompt, Reply: q.Answer}
	if len(q.Branches) > 0 {
		it.Transcript = q.Branches[0]
	}
	for _, m := range it.Transcript {
		switch {
		case m.Role == quintain.RoleUser && it.Question == "":
			it.Question = m.Text()
		case m.Role == quintain.RoleAssistant && q.Answer == "":
			it.Reply = m.Text()
		}
	}
	if it.Question == "" {
		return it, errors.New("the session has no question: neither a problem nor a message of the user")
	}
	fields, _ := q.Metadata.(map[string]any)
	it.Diff, _ = fields["diff"].(string)
	column := j.Config.Rubric.Reference
	if column == "" {
		return it, nil
	}
	var is bool
	if it.Reference, is = fields[column].(string); !is {
		return it, fmt.Errorf("metadata: %s: want a text, as the rubric's reference says", column)
	}
	return it, nil
}
