package reasoninggym

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// By says whose scores answers get.
type By string

// Whose scores.
const (
	Ours         By = "quintain"
	ReasoningGym By = "reasoning-gym"
)

// Declare declares the setting scores.
func Declare(d *settings.Section, by *By) *settings.Setting {
	return settings.Word(d, by, "scores", "whose scores answers get: quintain's, or those of reasoning-gym 0.1.25 with all its accidents").
		OneOf(string(Ours), string(ReasoningGym))
}

// Grade judges an answer to p, a problem of t; nil is no answer. A task that reasoning-gym does
// not have keeps its own score. Errors are those of t.
func (by By) Grade(t quintain.Task, p quintain.Problem, answer *string) (quintain.Verdict, error) {
	if by != ReasoningGym || !Known(p.Task) {
		return own(t, p, answer)
	}
	solution, err := t.Solve(p)
	if err != nil {
		return quintain.Verdict{}, err
	}
	if p.Params == nil {
		p.Params = json.RawMessage("{}")
	}
	var w Writer
	text, err := w.Append(nil, p, solution)
	if err != nil {
		return quintain.Verdict{}, err
	}
	var e Entry
	if err := strictjson.Unmarshal(text, &e); err != nil {
		return quintain.Verdict{}, fmt.Errorf("task %s: as an entry: %w", p.Task, err)
	}
	return GradeEntry(t, p, e, answer)
}

// own is the task's own verdict.
func own(t quintain.Task, p quintain.Problem, answer *string) (quintain.Verdict, error) {
	text := ""
	if answer != nil {
		text = *answer
	}
	v, err := t.Grade(p, text)
	if err == nil && answer == nil {
		v = quintain.Malformed("there is no answer")
	}
	return v, err
}

// GradeEntry gives an answer to an entry the score of reasoning-gym; nil is no answer. The rest
// of the verdict is t's on p, the same problem.
func GradeEntry(t quintain.Task, p quintain.Problem, e Entry, answer *string) (quintain.Verdict, error) {
	v, err := own(t, p, answer)
	if err != nil {
		return v, err
	}
	score, err := Score(e, answer)
	switch {
	case err != nil:
		return quintain.Verdict{}, fmt.Errorf("task %s: as an entry: %w", p.Task, err)
	case score == 1:
		return quintain.Right(), nil
	case v.Score == 1:
		v.Reason = fmt.Sprintf("right, but reasoning-gym pays %.3g for it", score)
	}
	v.Score = score
	return v, nil
}
