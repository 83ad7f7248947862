package mcptools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/scenario"
)

// An episode asks and judges as another does, with the tools before each reply that it judges.
type episode struct {
	asks     quintain.Env
	boxes    *Boxes
	scenario string     // name of the one that asks
	sessions []*session // nil: there is none
	tools    [][]Tool   // of the sessions
	failed   bool
	desk     scenario.Desk
}

// Open implements [quintain.Env].
func (e *episode) Open(ctx context.Context) ([]quintain.Message, error) {
	for _, b := range e.boxes.all {
		s, err := b.take(ctx)
		e.sessions = append(e.sessions, s)
		if err != nil {
			return nil, err
		}
		e.tools = append(e.tools, s.tools)
		if s.digest == b.digest {
			e.tools[len(e.tools)-1] = b.tools // in the order of the first session
		}
	}
	talk, err := e.asks.Open(ctx)
	if err != nil {
		return nil, err
	}
	if t, has := e.asks.(quintain.Tooled); has && len(t.Tools()) > 0 {
		return nil, fmt.Errorf("%w: %w", quintain.ErrStop, own(e.scenario))
	}
	return talk, e.equip()
}

// equip fills the kit with the tools of the sessions.
func (e *episode) equip() error {
	names, err := named(e.boxes.names, e.tools)
	if err != nil {
		return err
	}
	e.desk.Kit = nil
	for i, list := range e.tools {
		for j, t := range list {
			e.desk.Kit = append(e.desk.Kit, scenario.Tool{
				Name: names[i][j], Doc: t.Description, Schema: t.Input,
				Do: func(ctx context.Context, args []byte) (string, error) {
					return e.do(ctx, e.sessions[i], Call{t.Name, args})
				},
			})
		}
	}
	return nil
}

// do makes a call, and returns what the policy is told.
func (e *episode) do(ctx context.Context, s *session, c Call) (string, error) {
	ctx, cancel := httpclient.Within(ctx, e.boxes.how.CallTime)
	defer cancel()
	text, failed, err := s.call(ctx, c)
	if fault, refused := errors.AsType[*Fault](err); refused && fault.Code == InvalidParams {
		text, failed, err = fault.Message, true, nil
	}
	if err != nil {
		return "", fmt.Errorf("MCP server %s: %w", s.about.Name, err)
	}
	text = scenario.Cut(strings.ToValidUTF8(text, "\uFFFD"), e.boxes.how.Output)
	if failed {
		return "", &scenario.Refusal{Why: text}
	}
	return text, nil
}

// Tools implements [quintain.Tooled].
func (e *episode) Tools() []quintain.Tool { return e.desk.Offer() }

// Step implements [quintain.Env]. A reply without calls goes to the episode that asks; so does one that was
// cut, and one that calls although it was told that no call is left.
func (e *episode) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if reply.Finish != quintain.Length && !e.desk.Closed(reply) {
		answers, err := e.desk.Step(ctx, reply)
		if err != nil {
			e.failed = true
			return quintain.Step{}, err
		}
		if len(answers) > 0 {
			step := quintain.Step{Observe: answers, Malformed: reply.CallFault != "", Why: fmt.Sprintf("calls tools, %d of %d", e.desk.Made(), e.boxes.how.Calls)}
			step.Tools, err = e.renew(ctx)
			return step, err
		}
	}
	step, err := e.asks.Step(ctx, reply)
	if len(reply.ToolCalls) > 0 || reply.CallFault != "" {
		step.Why = strings.TrimSuffix("it calls a tool in place of an answer; "+step.Why, "; ")
	}
	return step, err
}

// renew asks for the tools again, and returns them if they are others now.
func (e *episode) renew(ctx context.Context) ([]quintain.Tool, error) {
	ctx, cancel := httpclient.Within(ctx, e.boxes.how.CallTime)
	defer cancel()
	changed := false
	for i, s := range e.sessions {
		if !s.changes() {
			continue
		}
		tools, err := s.list(ctx)
		if err != nil {
			e.failed = true
			return nil, fmt.Errorf("MCP server %s: %w", s.about.Name, err)
		}
		if digest(tools) != digest(e.tools[i]) {
			e.tools[i], changed = tools, true
		}
	}
	if !changed {
		return nil, nil
	}
	err := e.equip()
	return e.Tools(), err
}

// Close implements [quintain.Env].
func (e *episode) Close() error {
	for i, s := range e.sessions {
		e.boxes.all[i].give(s, e.failed)
	}
	return e.asks.Close()
}
