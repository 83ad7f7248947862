package nemogym

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
)

// Limits of what a server answers.
const (
	mostReply   = 32 << 20 // bytes
	mostTold    = 1 << 20  // bytes of a tool's result
	mostMetrics = 64
)

// An episode plays a row.
type episode struct {
	on      *client
	row     row
	tools   []external.Tool
	cookies map[string]string
	items   []Item // of the output so far
	closes  bool   // the server wants to hear of an end before the episode's own
}

// post sends a body with the cookies of the session, and returns the reply, whose cookies it keeps. The error is
// [quintain.ErrLost] if nobody listens.
func (e *episode) post(ctx context.Context, path string, body []byte) (httpclient.Reply, error) {
	r, err := e.on.http.Request(ctx, http.MethodPost, e.on.url+path, body)
	if err != nil {
		return httpclient.Reply{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(e.cookies)) {
		r.AddCookie(&http.Cookie{Name: name, Value: e.cookies[name]})
	}
	reply, err := e.on.http.Do(r, mostReply)
	for _, c := range (&http.Response{Header: reply.Header}).Cookies() {
		if e.cookies == nil {
			e.cookies = map[string]string{}
		}
		e.cookies[c.Name] = c.Value
	}
	if fault, failed := errors.AsType[*httpclient.Error](err); failed && fault.Unreached() {
		err = external.Lost(err)
	}
	return reply, err
}

// open begins the session, and returns what the row asks.
func (e *episode) open(ctx context.Context) (*external.Answer, error) {
	o, err := e.row.opening()
	if err != nil {
		return nil, err
	}
	path := "/seed_session"
	if e.on.kind == Gymnasium {
		path = "/reset"
	}
	reply, err := e.post(ctx, path, e.row.text)
	switch status := httpclient.StatusOf(err); {
	case err != nil && (status == 0 || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests):
		return nil, external.Lost(err)
	case err != nil:
		return nil, err
	}
	if e.on.kind == Gymnasium {
		var seen Observation
		if err := strictjson.Unmarshal(reply.Body, &seen); err != nil {
			return nil, reply.Invalid(err)
		}
		e.closes = seen.Info["supports_explicit_close"] == true
		if seen.Observation != nil && *seen.Observation != "" {
			o.messages = append(o.messages, quintain.Message{Role: quintain.RoleUser, Content: *seen.Observation})
		}
	}
	e.tools = o.tools
	return &external.Answer{Messages: o.messages, Tools: o.tools}, nil
}

// heard adds a reply to the output.
func (e *episode) heard(reply *external.Reply) (added []Item) {
	n := len(e.items)
	if reply.Text != "" || len(reply.ToolCalls) == 0 {
		added = append(added, said(n, reply.Text))
	}
	for _, c := range reply.ToolCalls {
		added = append(added, Item{Type: "function_call", ID: fmt.Sprintf("fc_%d", n+len(added)), Status: "completed", Name: c.Name, Arguments: c.Arguments, CallID: c.ID})
	}
	e.items = append(e.items, added...)
	return added
}

// judged returns the row with a response, as servers want it.
func (e *episode) judged(items []Item, cut bool) []byte {
	return slices.Concat(bytes.TrimSuffix(e.row.text, []byte("}")), []byte(`,"response":`), response(items, cut), []byte("}"))
}

// verifies plays a reply: its calls, or if there are none, the end. A reply that was cut, and one whose calls
// cannot be read, is the end, too.
func (e *episode) verifies(ctx context.Context, reply *external.Reply) (*external.Answer, error) {
	e.heard(reply)
	cut := reply.Finish == quintain.Length
	if len(reply.ToolCalls) > 0 && !cut {
		return e.calls(ctx, reply.ToolCalls)
	}
	got, err := e.post(ctx, "/verify", e.judged(e.items, cut))
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := strictjson.Unmarshal(got.Body, &members); err != nil {
		return nil, got.Invalid(err)
	}
	a := &external.Answer{End: quintain.Terminated, Malformed: reply.CallFault != "", Why: reply.CallFault, Answer: reply.Text}
	if cut {
		a.End = quintain.Truncated
	}
	reward, ok := strictjson.Float(members["reward"])
	if !ok {
		return nil, got.Invalid(fmt.Errorf("its reward is %.40s, want a number", members["reward"]))
	}
	a.Reward, a.Right = &reward, reward >= 1
	var own map[string]json.RawMessage
	_ = strictjson.Unmarshal(e.row.text, &own) // it was read before
	for name := range own {
		delete(members, name)
	}
	delete(members, "response")
	delete(members, "reward")
	note(a, members)
	return a, nil
}

// note adds what else a server says to an answer: its numbers, and all of it for people.
func note(a *external.Answer, members map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if x, ok := strictjson.Float(members[name]); ok && !strings.HasPrefix(name, "_ng_") && len(a.Metrics) < mostMetrics {
			if a.Metrics == nil {
				a.Metrics = map[string]float64{}
			}
			a.Metrics[name] = x
		}
	}
	if text := raw(members); len(members) > 0 && len(text) <= external.MostKept {
		a.Record = text
	}
}

// calls makes the calls of a reply, in their order. What the server refuses is told, as are arguments that are no
// JSON; a status of 500 or more is a fault.
func (e *episode) calls(ctx context.Context, calls []quintain.ToolCall) (*external.Answer, error) {
	a := &external.Answer{}
	for _, c := range calls {
		told, err := e.call(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", c.Name, err)
		}
		e.items = append(e.items, Item{Type: "function_call_output", CallID: c.ID, Output: raw(told)})
		a.Messages = append(a.Messages, quintain.Message{Role: quintain.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: told})
	}
	return a, nil
}

// call makes a call, and returns what the policy is told.
func (e *episode) call(ctx context.Context, c quintain.ToolCall) (string, error) {
	if !slices.ContainsFunc(e.tools, func(t external.Tool) bool { return t.Name == c.Name }) {
		return fmt.Sprintf("Error: there is no tool %.40q", c.Name), nil
	}
	args := []byte(strings.TrimSpace(c.Arguments))
	if len(args) == 0 {
		args = []byte("{}")
	}
	if fault := strictjson.Check(args, mostDepth); fault != nil {
		return fmt.Sprintf("Error: the arguments cannot be read: %v", fault), nil
	}
	reply, err := e.post(ctx, "/"+c.Name, args)
	if status := httpclient.StatusOf(err); err != nil && (status < http.StatusBadRequest || status >= http.StatusInternalServerError) {
		return "", err
	}
	if len(reply.Body) > mostTold {
		return "", fmt.Errorf("its result has %d bytes, at most %d are allowed", len(reply.Body), mostTold)
	}
	return strings.ToValidUTF8(string(reply.Body), "\uFFFD"), nil
}

// steps plays a reply with a server that has steps.
func (e *episode) steps(ctx context.Context, reply *external.Reply) (*external.Answer, error) {
	got, err := e.post(ctx, "/step", e.judged(e.heard(reply), reply.Finish == quintain.Length))
	if httpclient.StatusOf(err) == http.StatusNotFound {
		err = external.Lost(err)
	}
	if err != nil {
		return nil, err
	}
	var s struct {
		Stepped
		Info map[string]json.RawMessage `json:"info"`
	}
	if err := strictjson.Unmarshal(got.Body, &s); err != nil {
		return nil, got.Invalid(err)
	}
	if s.Reward == nil {
		return nil, got.Invalid(errors.New("its reward is missing"))
	}
	a := &external.Answer{Reward: s.Reward, Malformed: reply.CallFault != "", Why: reply.CallFault, Answer: reply.Text}
	switch {
	case s.Terminated:
		a.End, a.Right = quintain.Terminated, *s.Reward >= 1
	case s.Truncated:
		a.End = quintain.Truncated
	default:
		return a, e.observe(a, s.Observation.Observation, s.Info["tool_outputs"])
	}
	note(a, s.Info)
	return a, nil
}

// observe adds to an answer what the policy sees next: the results of its calls, and a text.
func (e *episode) observe(a *external.Answer, text *string, outputs json.RawMessage) error {
	var told []struct {
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
	if len(outputs) > 0 {
		if err := strictjson.Unmarshal(outputs, &told); err != nil {
			return fmt.Errorf("info.tool_outputs: %w", err)
		}
	}
	for _, t := range told {
		a.Messages = append(a.Messages, quintain.Message{Role: quintain.RoleTool, ToolCallID: t.CallID, Content: t.Output})
	}
	if text != nil && *text != "" {
		a.Messages = append(a.Messages, quintain.Message{Role: quintain.RoleUser, Content: *text})
	}
	return nil
}
