// Package grader asks programs to grade what agents did.
package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// mostTime bounds a program.
const mostTime = 5 * time.Minute

// A Question is what a program that grades reads on its standard input. It has the solution:
// the agent never sees it.
type Question struct {
	Session  string               `json:"session"`
	Problem  quintain.Problem     `json:"problem"`
	Metadata any                  `json:"metadata"`
	Solution string               `json:"solution,omitempty"` // that a grading of stored episodes knows; empty: unknown
	Answer   string               `json:"answer"`             // the agent's own; empty: it gave none
	Branches [][]quintain.Message `json:"branches"`           // the conversations, the main one first
}

// A Reward is what the program writes on its standard output.
type Reward struct {
	Reward    *float64 `json:"reward"` // nil: it gave none
	Right     bool     `json:"right"`
	Malformed bool     `json:"malformed"`
	Why       string   `json:"why"`

	Metrics    map[string]float64 `json:"metrics,omitempty"`     // further numbers, for people; at most 64
	NeedsState bool               `json:"needs_state,omitempty"` // it cannot grade without the running environment, which is over
}

// mostMetrics bounds the numbers beside a reward.
const mostMetrics = 64

// Ask runs a program once, by its command line.
func Ask(ctx context.Context, line string, q Question) (r Reward, err error) {
	in, err := json.Marshal(&q)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	out, err := command.Ask(ctx, line, in)
	if err != nil {
		return r, err
	}
	if err := strictjson.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("its output: %w", strictjson.Explain(err))
	}
	switch {
	case r.NeedsState:
		return r, errors.New("it needs the state of the episode (needs_state), which is over")
	case len(r.Metrics) > mostMetrics:
		return r, fmt.Errorf("its output has %d metrics, want at most %d", len(r.Metrics), mostMetrics)
	case r.Reward == nil:
		return r, errors.New("its output has no reward")
	}
	return r, nil
}
