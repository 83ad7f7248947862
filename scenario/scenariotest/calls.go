package scenariotest

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/prove/replies"
)

// called checks that an episode with tools answers each call, whatever it says, by one message with
// its ID, and a call that nobody can read by a message. None is an error.
func called(t *testing.T, s quintain.Scenario) {
	t.Helper()
	offered := toolsOf(t, s)
	if len(offered) == 0 {
		return
	}
	for _, reply := range replies.Calls(offered) {
		e := opened(t, s)
		step, err := e.Step(t.Context(), reply)
		if err != nil || step.End == quintain.Going && len(step.Observe) == 0 {
			t.Errorf("the reply %.100q: %+v, %v", fmt.Sprint(reply), step, err)
		}
		if step.End == quintain.Going && len(reply.ToolCalls) > 0 {
			answered(t, reply.ToolCalls, step.Observe)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// answered checks that each call has one answer.
func answered(t *testing.T, calls []quintain.ToolCall, messages []quintain.Message) {
	t.Helper()
	ids := map[string]int{}
	for _, m := range messages {
		if m.Role == quintain.RoleTool {
			ids[m.ToolCallID]++
		}
	}
	for _, c := range calls {
		if ids[c.ID] != 1 {
			t.Errorf("the call %s of %.40q has %d answers in %+v", c.ID, c.Name, ids[c.ID], messages)
		}
	}
}

// toolsOf returns the tools of an episode, which have names of their own and schemas.
func toolsOf(t *testing.T, s quintain.Scenario) []quintain.Tool {
	t.Helper()
	e := opened(t, s)
	defer e.Close()
	of, has := e.(quintain.Tooled)
	if !has {
		return nil
	}
	offered, seen := of.Tools(), map[string]bool{}
	if _, err := quintain.ToolsJSON(offered); err != nil {
		t.Error(err)
	}
	for _, tool := range offered {
		if tool.Name == "" || tool.Doc == "" || seen[tool.Name] {
			t.Errorf("the tool %q has no name or text of its own", tool.Name)
		}
		seen[tool.Name] = true
	}
	return offered
}

// opened returns an episode of a problem of level 0.
func opened(t *testing.T, s quintain.Scenario) quintain.Env {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}
