package ors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
)

// An episode is a session at the server.
type episode struct {
	server   Server // with the session's header
	tools    wire.ORSTools
	patience external.Patience
	earned   float64 // so far
	record   json.RawMessage

	used atomic.Int64          // when, in nanoseconds
	gone atomic.Pointer[error] // why the session has ended; nil: it has not
}

// Open implements [external.Guest].
func (c *client) Open(ctx context.Context, number uint64, p *quintain.Problem) (*external.Answer, error) {
	var params struct {
		Split string `json:"split"`
	}
	if err := strictjson.Unmarshal(p.Params, &params); err != nil {
		return nil, err
	}
	named, err := c.server.call(ctx, "/create_session", wire.ORSCalling{})
	if err != nil || named.task == "" {
		return nil, external.Lost(errors.Join(errors.New("the server opens no session"), err))
	}
	e := &episode{server: c.server}
	e.server.header = http.Header{sessionHeader: {named.task}}
	a, err := c.begin(ctx, e, map[string]any{"env_name": c.name, "split": params.Split, "index": p.Index})
	if err != nil {
		c.end(e)
		return nil, external.Lost(err)
	}
	e.used.Store(time.Now().UnixNano())
	c.episodes.Put(number, e)
	return a, nil
}

// sessionHeader names the session of a request.
const sessionHeader = "X-Session-Id"

// begin creates the environment of a session, and returns how it opens.
func (c *client) begin(ctx context.Context, e *episode, create map[string]any) (*external.Answer, error) {
	with := e.server
	if c.secrets != "" {
		with.header = http.Header{"X-Secrets": {c.secrets}, sessionHeader: e.server.header[sessionHeader]}
	}
	if err := with.Ask(ctx, "/create", create, new(any)); err != nil {
		return nil, err
	}
	if err := c.either(ctx, e, [2]string{"task_tools", "tools"}, &e.tools); err != nil {
		return nil, err
	}
	a := &external.Answer{}
	for _, t := range e.tools.Tools {
		if string(t.Input) == "null" {
			t.Input = nil
		}
		a.Tools = append(a.Tools, external.Tool{Name: t.Name, Doc: t.Description, Parameters: t.Input})
	}
	var opening []struct {
		wire.ORSBlock                 // of a prompt
		Role          string          `json:"role"` // of a conversation's message; empty: it is a prompt
		Blocks        []wire.ORSBlock `json:"blocks"`
	}
	if err := c.either(ctx, e, [2]string{"messages", "prompt"}, &opening); err != nil {
		return nil, err
	}
	prompt := quintain.Message{Role: quintain.RoleUser}
	var blocks []wire.ORSBlock
	for _, o := range opening {
		if o.Role == "" {
			blocks = append(blocks, o.ORSBlock)
			continue
		}
		m := quintain.Message{Role: o.Role}
		if err := c.fill(&m, o.Blocks); err != nil {
			return nil, err
		}
		a.Messages = append(a.Messages, m)
	}
	if blocks == nil {
		return a, nil
	}
	err := c.fill(&prompt, blocks)
	a.Messages = append(a.Messages, prompt)
	return a, err
}

// either asks the first route or, where the server does not have it, the second.
func (c *client) either(ctx context.Context, e *episode, routes [2]string, into any) error {
	err := e.server.Ask(ctx, c.at+routes[0], nil, into)
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return e.server.Ask(ctx, c.at+routes[1], nil, into)
	}
	return err
}

// Step implements [external.Guest].
func (c *client) Step(ctx context.Context, number uint64, r *external.Reply) (*external.Answer, error) {
	e, err := c.episodes.Get(number)
	if err != nil {
		return nil, err
	}
	if gone := e.gone.Load(); gone != nil {
		return nil, external.Lost(fmt.Errorf("the session has ended while the policy replied: %w", *gone))
	}
	a, err := c.answer(ctx, e, r)
	if err != nil {
		return nil, err
	}
	e.used.Store(time.Now().UnixNano())
	e.earned += *a.Reward
	if a.End != quintain.Going {
		a.Record = e.record
		c.Forget(ctx, number)
	}
	return a, nil
}

// answer answers a reply.
func (c *client) answer(ctx context.Context, e *episode, r *external.Reply) (*external.Answer, error) {
	last := e.tools.Terminal
	switch {
	case r.CallFault != "" || len(r.ToolCalls) > 0:
		return e.patience.Calls(r, func(name string, input json.RawMessage) (external.Saying, error) {
			return c.perform(ctx, e, name, input)
		})
	case last == nil:
		return &external.Answer{Reward: new(float64), End: quintain.Terminated, Malformed: e.earned == 0, Why: "The reply calls no tool."}, nil
	}
	given := map[string]string{}
	if last.Arg != "" {
		given[last.Arg] = r.Text
	}
	input, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	s, err := c.perform(ctx, e, last.Name, input)
	if err != nil {
		return nil, err
	}
	a := &external.Answer{}
	s.Message.Role = quintain.RoleUser
	return a, a.Take(s)
}

// perform makes a call. A refusal is the policy's to read.
func (c *client) perform(ctx context.Context, e *episode, name string, input json.RawMessage) (s external.Saying, err error) {
	got, err := e.server.call(ctx, c.at+"call", wire.ORSCalling{Name: name, Input: input})
	if err != nil {
		return s, err
	}
	var said struct {
		wire.ORSRefusal
		Output *wire.ORSOutput `json:"output"`
	}
	if err := Decode(got.text, &said); err != nil {
		return s, fmt.Errorf("the reply to a call is invalid: %w: %.200s", err, got.text)
	}
	switch o := said.Output; {
	case said.OK && o != nil:
		if record, err := json.Marshal(o.Metadata); err == nil && o.Metadata != nil && len(record) < external.MostKept {
			e.record = record
		}
		s.Reward, s.Over = o.Reward, o.Finished
		return s, c.fill(&s.Message, o.Blocks)
	case said.OK || said.Error == "" || said.Reason == wire.ORSOver: // no call has ended it
		return s, fmt.Errorf("the reply to a call has no output: %.200s", got.text)
	}
	s.Message.Content = "Error: " + said.Error
	return s, nil
}

// fill puts blocks into a message: texts, and images if the policy reads them.
func (c *client) fill(m *quintain.Message, blocks []wire.ORSBlock) error {
	var texts []string
	var parts []quintain.Part
	for _, b := range blocks {
		switch {
		case b.Type == wire.ORSText:
			texts, parts = append(texts, b.Text), append(parts, quintain.Part{Type: quintain.PartText, Text: b.Text})
		case b.Type == wire.ORSImage && c.args.Images:
			whole, err := json.Marshal(map[string]any{"type": "image_url", "image_url": map[string]string{"url": "data:" + b.MIME + ";base64," + b.Data}})
			if err != nil {
				return err
			}
			parts = append(parts, quintain.Part{Type: "image_url", Raw: whole})
		case b.Type == wire.ORSImage:
			return errors.New(`the environment shows an image: set environment.args={"images":true} if the model reads images`)
		default:
			return fmt.Errorf("a block has the type %.40q, want text or image", b.Type)
		}
	}
	if m.Content = strings.Join(texts, "\n"); len(texts) < len(parts) {
		m.Content, m.Parts = "", parts
	}
	return nil
}
