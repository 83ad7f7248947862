//go:build ignore

package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/tables"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A call is one of a tool.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callTools plays an episode of a scenario with tools: calls of the plan, mostly in their order, calls of
// the plan with an argument of another one, some of which are of other episodes, and calls of those.
func (e *episode) callTools(env quintain.Env, plan []quintain.ToolCall, heard *[]quintain.ToolCall, r *rng.Rand) error {
	next := 0
	for end := quintain.Going; end == quintain.Going; {
		reply := quintain.Reply{Finish: quintain.Stop}
		for count := 1; count > 0; count-- {
			c := plan[min(next, len(plan)-1)]
			switch x := r.Float(); {
			case x < 0.04 && len(*heard) > 0:
				c = rng.Pick(r, *heard)
			case x < 0.12, next == len(plan)-2 && x < 0.5: // the last one before finish counts most
				c = mixed(c, rng.Pick(r, alike(c, *heard)), r)
				next++
			case x < 0.16:
				c = mixed(rng.Pick(r, plan), rng.Pick(r, plan), r)
			case x < 0.20:
				c = rng.Pick(r, plan)
			default:
				next++
			}
			reply.ToolCalls = append(reply.ToolCalls, c)
			if r.Chance(0.1) {
				count++
			}
		}
		step, err := env.Step(context.Background(), reply)
		if err != nil {
			return err
		}
		t := turn{Illegal: step.Illegal, Why: step.Why, Reward: step.Reward, End: string(step.End), Calls: called(reply.ToolCalls)}
		for _, m := range step.Observe {
			t.Results = append(t.Results, m.Content)
		}
		e.Turns = append(e.Turns, t)
		end = step.End
	}
	const remembered = 200
	for _, c := range plan {
		if len(*heard) < remembered {
			*heard = append(*heard, c)
		} else {
			(*heard)[r.Between(0, remembered-1)] = c
		}
	}
	return nil
}

// alike returns the calls of the same tool, or the call itself.
func alike(c quintain.ToolCall, all []quintain.ToolCall) []quintain.ToolCall {
	some := []quintain.ToolCall{c}
	for _, other := range all {
		if other.Name == c.Name {
			some = append(some, other)
		}
	}
	return some
}

// fill notes the statements of the plan, and the rows on which those of others are judged.
func (e *episode) fill(plan []quintain.ToolCall) (err error) {
	e.Plan = called(plan)
	var record struct {
		Start json.RawMessage `json:"start"`
	}
	if err := strictjson.Unmarshal(e.Record, &record); err != nil {
		return err
	}
	e.Fillings, err = tables.Fillings(record.Start)
	return err
}

// called returns calls as they are printed.
func called(all []quintain.ToolCall) (some []call) {
	for _, c := range all {
		some = append(some, call{c.Name, json.RawMessage(c.Arguments)})
	}
	return some
}

// mixed returns a call with the value of an argument of another call.
func mixed(c, other quintain.ToolCall, r *rng.Rand) quintain.ToolCall {
	var args, others map[string]json.RawMessage
	if strictjson.Unmarshal([]byte(c.Arguments), &args) != nil || strictjson.Unmarshal([]byte(other.Arguments), &others) != nil {
		return c
	}
	if len(others) == 0 {
		return c
	}
	name := rng.Pick(r, slices.Sorted(maps.Keys(others)))
	if _, has := args[name]; has {
		args[name] = others[name]
	}
	text, err := strictjson.Legible(args)
	if err != nil {
		return c
	}
	c.Arguments = string(text)
	return c
}

// planOf returns the calls that solve a problem.
func planOf(task quintain.Task, p quintain.Problem) ([]quintain.ToolCall, error) {
	text, err := task.Solve(p)
	if err != nil {
		return nil, err
	}
	return toolcall.Plain().Parse(text, toolcall.Context{}).Calls, nil
}
