// Package grader asks programs to grade what agents did.
package grader

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

// Bounds on a program.
const (
	mostTime   = 5 * time.Minute
	mostOutput = 1 << 20 // bytes
)

// A Question is what a program that grades reads on its standard input. It has the solution:
// the agent never sees it.
type Question struct {
	Session  string               `json:"session"`
	Problem  quintain.Problem     `json:"problem"`
	Metadata any                  `json:"metadata"`
	Answer   string               `json:"answer"`   // the agent's own; empty: it gave none
	Branches [][]quintain.Message `json:"branches"` // the conversations, the main one first
}

// A Reward is what the program writes on its standard output.
type Reward struct {
	Reward    *float64 `json:"reward"` // nil: it gave none
	Right     bool     `json:"right"`
	Malformed bool     `json:"malformed"`
	Why       string   `json:"why"`
}

// Ask runs a program once, by its command line.
func Ask(ctx context.Context, line string, q Question) (r Reward, err error) {
	words, err := command.Fields(line)
	if err != nil {
		return r, err
	}
	in, err := jsonform.Marshal(&q)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Apart(c)
	var out, errs limited
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), &out, &errs, time.Second
	if err := c.Run(); err != nil {
		return r, fmt.Errorf("%w: %s", err, strings.ToValidUTF8(tail(errs.String()), "?"))
	}
	if err := jsonform.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("its output: %w", jsonform.Explain(err))
	}
	if r.Reward == nil {
		return r, errors.New("its output has no reward")
	}
	return r, nil
}

// tail is the end of a text.
func tail(text string) string { return text[max(0, len(text)-1000):] }

// A limited buffer keeps the first bytes.
type limited struct{ bytes.Buffer }

// Write implements [io.Writer].
func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > mostOutput {
		return 0, fmt.Errorf("more than %d bytes", mostOutput)
	}
	return l.Buffer.Write(b)
}
