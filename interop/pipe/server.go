package pipe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
)

// A Server answers requests of several kinds, one per line, for a program that keeps one
// process for all of them.
type Server struct {
	Tasks   *task.Set     // problems of other tasks are errors
	Replies scenario.Spec // the scenario of one turn that judges whole replies
}

// Serve reads requests and writes a line for each, in order, or {"error"} if the request
// fails. It works on all cores. See [jsonl.Answer] for its limits and errors. The requests
// and their answers are
//
//	{"draw": {"task", "seed", "level", "index", "params"}}   the problem
//	{"problems": […], "answers": […]}                        {"scores", "malformed", "reasons"}, lists
//	{"problems": […], "replies": […]}                        the same, for whole replies of a model
//	{"open": problem, "settings": {…}}                       {"messages"}, the opening for a model, with settings of the scenario
//	{"gold": …, "answer": …}                                 a [mathverify.Verdict]
//
// Params replaces level. A null answer or reply is none. A number may stand for a problem:
// one drawn with "as": number beside the draw, or sent as [number, problem] in an answered
// request. If the server has forgotten the problem, it grades nothing and answers
// {"forgotten": true}.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	problems := NewProblems()
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		c := &worker{server: s, replies: s.Replies.New(), ctx: ctx, problems: problems, line: strictjson.NewPicker("draw", "as", "problems", "answers", "replies", "open", "gold", "settings")}
		return c.answer
	})
}

// A worker answers requests. It is for one goroutine.
type worker struct {
	server   Server
	replies  scenario.Play
	ctx      context.Context //nolint:containedctx // a worker lives as long as one call of Serve
	problems *Problems
	line     *strictjson.Picker
	texts    [][]byte // of the current request
	marks    marks
	last     struct { // task of the last draw with params
		name   string
		params []byte
		task   quintain.Task
	}
}

// answer appends the answer to a request.
func (c *worker) answer(dst, line []byte) ([]byte, error) {
	if err := c.line.Read(line); err != nil {
		return dst, err
	}
	value := c.line.Value
	draw, as, problems, answers, replies, open, gold, how := value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)
	switch {
	case problems != nil && replies != nil:
		return c.mark(dst, problems, replies, c.judge)
	case problems != nil:
		return c.mark(dst, problems, answers, Grader{Tasks: c.server.Tasks}.Judge)
	case open != nil:
		return c.open(dst, open, how)
	case draw != nil:
		return c.draw(dst, draw, as)
	case gold != nil:
		return appendVerified(c.ctx, dst, line)
	}
	return dst, errors.New("the line has none of draw, open, problems and gold")
}

// read reads a problem.
func (c *worker) read(text []byte) (quintain.Problem, error) {
	p, err := c.problems.Read(text)
	if err != nil {
		return p, fmt.Errorf("problem: %w", err)
	}
	return p, nil
}

// episode returns the episode of a problem in a scenario.
func (c *worker) episode(p quintain.Problem, as scenario.Play) (quintain.Env, error) {
	t, err := c.server.Tasks.Get(p.Task)
	if err != nil {
		return nil, err
	}
	return as.Env(t, p)
}

// open writes the opening messages for a model. how are settings of the scenario, as JSON; nil: the defaults.
func (c *worker) open(dst, problem, how []byte) ([]byte, error) {
	p, err := c.read(problem)
	if err != nil {
		return dst, err
	}
	as := c.replies
	if how != nil {
		as = c.server.Replies.New()
		if err := settings.ReadJSON(as, how); err != nil {
			return dst, fmt.Errorf("settings: %w", err)
		}
	}
	episode, err := c.episode(p, as)
	if err != nil {
		return dst, err
	}
	messages, err := episode.Open(c.ctx)
	if err != nil {
		return dst, err
	}
	return strictjson.Append(dst, map[string][]quintain.Message{"messages": messages})
}

// judge grades a whole reply.
func (c *worker) judge(p quintain.Problem, text *string) (Verdict, error) {
	episode, err := c.episode(p, c.replies)
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
func (c *worker) draw(dst, request, as []byte) ([]byte, error) {
	var d struct {
		Task   string          `json:"task"`
		Seed   uint64          `json:"seed"`
		Level  int             `json:"level"`
		Index  int             `json:"index"`
		Params json.RawMessage `json:"params"`
	}
	if err := strictjson.UnmarshalKnown(request, &d); err != nil {
		return dst, fmt.Errorf("draw: %w", strictjson.Explain(err))
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

// task returns the named task, with its own params if there are some.
func (c *worker) task(name string, params []byte) (quintain.Task, error) {
	if len(params) == 0 || string(params) == "null" {
		return c.server.Tasks.Get(name)
	}
	if c.last.task != nil && c.last.name == name && bytes.Equal(c.last.params, params) {
		return c.last.task, nil
	}
	t, err := c.server.Tasks.Get(name)
	if err != nil {
		return nil, err
	}
	if t, err = t.With(params); err != nil {
		return nil, err
	}
	c.last.name, c.last.params, c.last.task = name, params, t
	return t, nil
}
