package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/jsonform"
	"github.com/quintain-rl/quintain/jsonl"
	"github.com/quintain-rl/quintain/task"
)

// A Desk answers requests of several kinds, one per line, for a program that keeps one
// process for all of them.
type Desk struct {
	Tasks   *task.Set // problems of other tasks are errors
	Replies env.Play  // the scenario of one turn that judges whole replies
}

// Answer reads requests, and writes a line for each, in order, or {"error"} if the request
// cannot be carried out. They are carried out on all cores. See [jsonl.Answer] for its
// limits and errors. A request is one of these, and its answer is
//
//	{"draw": {"task", "seed", "level", "index", "params"}}   the problem
//	{"problem": …, "answer": …}                              {"score", "malformed", "reason"}
//	{"problem": …, "reply": …}                               the same, of a whole reply of a model
//	{"open": problem}                                        {"messages"}, with which a model is asked
//	{"gold": …, "answer": …}                                 a [mathverify.Verdict]
//
// Params are in place of level. An answer or a reply of null is none.
func (d Desk) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	problems := NewProblems()
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		c := &clerk{desk: d, ctx: ctx, problems: problems, line: jsonform.NewPicker("draw", "problem", "gold", "answer", "reply", "open")}
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
	draw, problem, gold, answer, reply, open := value(0), value(1), value(2), value(3), value(4), value(5)
	switch {
	case problem != nil && reply != nil:
		return c.judge(dst, problem, reply)
	case problem != nil:
		return c.grade(dst, problem, answer)
	case open != nil:
		return c.open(dst, open)
	case draw != nil:
		return c.draw(dst, draw)
	case gold != nil:
		return appendVerified(c.ctx, &c.encoder, dst, line)
	}
	return dst, errors.New("the line has none of draw, open, problem and gold")
}

// problem reads a problem and a text about it; nil: there is none.
func (c *clerk) problem(problem, text []byte) (quintain.Problem, *string, error) {
	p, err := c.problems.Read(problem)
	if err != nil {
		return p, nil, fmt.Errorf("problem: %w", err)
	}
	if text, plain := plainAnswer(text); plain {
		return p, text, nil
	}
	answer, err := decodeAnswer(text)
	return p, answer, err
}

// grade grades an answer.
func (c *clerk) grade(dst, problem, answer []byte) ([]byte, error) {
	p, text, err := c.problem(problem, answer)
	if err != nil {
		return dst, err
	}
	v, err := Grader{Tasks: c.desk.Tasks}.Judge(p, text)
	if err != nil {
		return dst, err
	}
	return c.encoder.Append(dst, &v)
}

// episode returns the episode of a problem, and the reply to it.
func (c *clerk) episode(problem, reply []byte) (quintain.Env, quintain.Reply, error) {
	p, text, err := c.problem(problem, reply)
	if err != nil {
		return nil, quintain.Reply{}, err
	}
	t, err := c.desk.Tasks.Get(p.Task)
	if err != nil {
		return nil, quintain.Reply{}, err
	}
	if text == nil {
		text = new(string)
	}
	episode, err := c.desk.Replies.Env(t, p)
	return episode, quintain.Reply{Text: *text}, err
}

// open writes the messages with which a model is asked.
func (c *clerk) open(dst, problem []byte) ([]byte, error) {
	episode, _, err := c.episode(problem, []byte("null"))
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
func (c *clerk) judge(dst, problem, text []byte) ([]byte, error) {
	episode, reply, err := c.episode(problem, text)
	if err != nil {
		return dst, err
	}
	step, err := episode.Step(c.ctx, reply)
	if err != nil {
		return dst, err
	}
	return c.encoder.Append(dst, &Verdict{step.Reward, step.Malformed, step.Why})
}

// draw writes a problem.
func (c *clerk) draw(dst, request []byte) ([]byte, error) {
	var d struct {
		Task   string          `json:"task"`
		Seed   uint64          `json:"seed"`
		Level  int             `json:"level"`
		Index  int             `json:"index"`
		Params json.RawMessage `json:"params"`
	}
	strict := json.NewDecoder(bytes.NewReader(request))
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
	return c.problems.Append(dst, p)
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
