package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// Bounds on a program that grades.
const (
	graderTime   = 5 * time.Minute
	graderOutput = 1 << 20 // bytes
)

// A question is what a program that grades reads on its standard input. It has the solution:
// the agent never sees it.
type question struct {
	Session  string               `json:"session"`
	Problem  quintain.Problem     `json:"problem"`
	Metadata any                  `json:"metadata"`
	Answer   string               `json:"answer"`   // the agent's own; empty: it gave none
	Branches [][]quintain.Message `json:"branches"` // the conversations, the main one first
}

// judgeByProgram has the program of the settings grade an ended session. Its standard output
// is a reward, as callers give one; without one the session fails, and has none.
func (g *Gateway) judgeByProgram(ctx context.Context, s *session) {
	s.mu.Lock()
	t := s.trajectory(s.id, &g.config.Settings)
	q := question{Session: s.id, Problem: s.group.Problem, Metadata: s.group.Metadata, Answer: s.ended.Answer, Branches: [][]quintain.Message{}}
	s.mu.Unlock()
	for _, b := range t.Branches() {
		q.Branches = append(q.Branches, t.Talk(b.Path))
	}
	r, err := q.ask(ctx, g.config.Settings.Grader)
	if ctx.Err() != nil {
		return // after a restart it is asked again
	}
	if err == nil {
		err = g.Reward(ctx, s.id, r)
	}
	if err != nil {
		s.mu.Lock()
		s.ended.Failed, s.ended.Why, s.judging = failedAgent, "grader: "+err.Error(), false
		s.mu.Unlock()
	}
	g.due.add(s.group)
}

// ask runs the program once.
func (q *question) ask(ctx context.Context, line string) (r Reward, err error) {
	words, err := command.Fields(line)
	if err != nil {
		return r, err
	}
	in, err := jsonform.Marshal(q)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, graderTime)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Apart(c)
	var out, errs limited
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), &out, &errs, time.Second
	if err := c.Run(); err != nil {
		return r, fmt.Errorf("%w: %s", err, strings.ToValidUTF8(tail(errs.String()), "?"))
	}
	var said struct {
		Reward
		Number *float64 `json:"reward"`
	}
	if err := jsonform.Unmarshal(out.Bytes(), &said); err != nil {
		return r, fmt.Errorf("its output: %w", jsonform.Explain(err))
	}
	if said.Number == nil {
		return r, errors.New("its output has no reward")
	}
	r = said.Reward
	r.Reward, r.Call, r.Mode, r.Key, r.Force = *said.Number, "", "", "", false
	return r, nil
}

// tail is the end of a text.
func tail(text string) string { return text[max(0, len(text)-1000):] }

// A limited buffer keeps the first bytes.
type limited struct{ bytes.Buffer }

// Write implements [io.Writer].
func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > graderOutput {
		return 0, fmt.Errorf("more than %d bytes", graderOutput)
	}
	return l.Buffer.Write(b)
}
