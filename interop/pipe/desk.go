package pipe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
)

// A Desk answers requests of several kinds, one per line, for a program that keeps one
// process for all of them.
type Desk struct {
	Tasks   *task.Set     // problems of other tasks are errors
	Replies scenario.Play // the scenario of one turn that judges whole replies
}

// Answer reads requests, and writes a line for each, in order, or {"error"} if the request
// cannot be carried out. They are carried out on all cores. See [jsonl.Answer] for its
// limits and errors. A request is one of these, and its answer is
//
//	{"draw": {"task", "seed", "level", "index", "params"}}   the problem
//	{"problems": […], "answers": […]}                        {"scores", "malformed", "reasons"}, lists
//	{"problems": […], "replies": […]}                        the same, of whole replies of a model
//	{"open": problem}                                        {"messages"}, with which a model is asked
//	{"gold": …, "answer": …}                                 a [mathverify.Verdict]
//
// Params are in place of level. An answer or a reply of null is none. A number may stand
// for a problem: the one that was drawn with "as": number beside the draw, or that came as
// [number, problem] in a request which is answered. If it is not kept any longer, nothing
// is graded and the answer is {"forgotten": true}.
func (d Desk) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	problems := NewProblems()
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		c := &clerk{desk: d, ctx: ctx, problems: problems, line: jsonform.NewPicker("draw", "as", "problems", "answers", "replies", "open", "gold")}
		return c.answer
	})
}

// A clerk answers requests. It is for one goroutine.
type clerk struct {
	desk     Desk
	ctx      context.Context //nolint:containedctx // a clerk lives as long as one call of Answer
	problems *Problems
	line     *jsonform.Picker
	encoder  jsonform.Encoder
	texts    [][]byte // of the request that is graded
	marks    marks
	last     struct { // task of the last draw that had params
		name   string
		params []byte
		task   quintain.Task
	}
}

// answer appends the answer to a request.
func (c *clerk) answer(dst, line []byte) ([]byte, error) {
	if err := c.line.Read(line); err != nil {
		return dst, err
	}
	value := c.line.Value
	draw, as, problems, answers, replies, open, gold := value(0), value(1), value(2), value(3), value(4), value(5), value(6)
	switch {
	case problems != nil && replies != nil:
		return c.mark(dst, problems, replies, c.judge)
	case problems != nil:
		return c.mark(dst, problems, answers, Grader{Tasks: c.desk.Tasks}.Judge)
	case open != nil:
		return c.open(dst, open)
	case draw != nil:
		return c.draw(dst, draw, as)
	case gold != nil:
		return appendVerified(c.ctx, &c.encoder, dst, line)
	}
	return dst, errors.New("the line has none of draw, open, problems and gold")
}

// read reads a problem.
func (c *clerk) read(text []byte) (quintain.Problem, error) {
	p, err := c.problems.Read(text)
	if err != nil {
		return p, fmt.Errorf("problem: %w", err)
	}
	return p, nil
}

// episode returns the episode of a problem.
func (c *clerk) episode(p quintain.Problem) (quintain.Env, error) {
	t, err := c.desk.Tasks.Get(p.Task)
	if err != nil {
		return nil, err
	}
	return c.desk.Replies.Env(t, p)
}

// open writes the messages with which a model is asked.
func (c *clerk) open(dst, problem []byte) ([]byte, error) {
	p, err := c.read(problem)
	if err != nil {
		return dst, err
	}
	episode, err := c.episode(p)
	if err != nil {
		return dst, err
	}
	messages, err := episode.Open(c.ctx)
	if err != nil {
		return dst, err
	}
	return c.encoder.Append(dst, map[string][]quintain.Message{"messages": messages})
}

// judge grades a whole reply.
func (c *clerk) judge(p quintain.Problem, text *string) (Verdict, error) {
	episode, err := c.episode(p)
	if err != nil {
		return Verdict{}, err
	}
	var reply quintain.Reply
	if text != nil {
		reply.Text = *text
	}
	step, err := episode.Step(c.ctx, reply)
	return Verdict{step.Reward, step.Malformed, step.Why}, err
}

// draw writes a problem; as, if there is one, is the number that stands for it from now on.
func (c *clerk) draw(dst, request, as []byte) ([]byte, error) {
	var d struct {
		Task   string          `json:"task"`
		Seed   uint64          `json:"seed"`
		Level  int             `json:"level"`
		Index  int             `json:"index"`
		Params json.RawMessage `json:"params"`
	}
	strict := jsonform.NewDecoder(request)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&d); err != nil {
		return dst, fmt.Errorf("draw: %w", err)
	}
	t, err := c.task(d.Task, d.Params)
	if err != nil {
		return dst, err
	}
	p, err := t.Problem(quintain.Draw{Seed: d.Seed, Level: d.Level, Index: d.Index})
	if err != nil {
		return dst, err
	}
	if as == nil {
		return c.problems.Append(dst, p)
	}
	if !isNumber(as) {
		return dst, errors.New("as: want a whole number")
	}
	return c.problems.appendNumbered(dst, as, p)
}

// task returns the task of a name, with its own params if there are some.
func (c *clerk) task(name string, params []byte) (quintain.Task, error) {
	if len(params) == 0 || string(params) == "null" {
		return c.desk.Tasks.Get(name)
	}
	if c.last.task != nil && c.last.name == name && bytes.Equal(c.last.params, params) {
		return c.last.task, nil
	}
	t, err := c.desk.Tasks.Get(name)
	if err != nil {
		return nil, err
	}
	if t, err = t.With(params); err != nil {
		return nil, err
	}
	c.last.name, c.last.params, c.last.task = name, params, t
	return t, nil
}
