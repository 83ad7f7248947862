package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/ors"
)

// A result is the answer to a reset or an action.
type result struct {
	Seen     map[string]json.RawMessage `json:"observation"`
	Metadata json.RawMessage            `json:"metadata"`
	Reward   any                        `json:"reward"` // a number, a bool that stands for 0 or 1, or nil: none
	Done     bool                       `json:"done"`
}

// observe asks for an observation.
func (s *socket) observe(ctx context.Context, kind string, data any) (*result, error) {
	m, err := s.ask(ctx, kind, data)
	if err != nil {
		return nil, err
	}
	r := new(result)
	if m.Type != wire.OpenEnvObservation || ors.Decode(m.Data, r) != nil || r.Seen == nil {
		return nil, fmt.Errorf("the server answers %s with no observation: type %.40q, %.200s", kind, m.Type, m.Data)
	}
	return r, nil
}

// step sends an action, which fits the schema.
func (s *socket) step(ctx context.Context, action any) (*result, error) {
	r, err := s.observe(ctx, wire.OpenEnvStep, action)
	if refusal, ok := errors.AsType[*wire.OpenEnvRefusal](err); ok && refusal.Code == wire.OpenEnvValidation {
		return nil, fmt.Errorf("the server refuses an action that fits its schema: %w", err)
	}
	return r, err
}

// reward returns the reward; nil: there is none.
func (r *result) reward() (*float64, error) {
	var n float64
	switch v := r.Reward.(type) {
	case nil:
		return nil, nil //nolint:nilnil // no reward is none
	case float64:
		n = v
	case bool:
		if v {
			n = 1
		}
	default:
		return nil, fmt.Errorf("the reward is %.100q, want a number", fmt.Sprint(v))
	}
	return &n, nil
}

// say returns what an observation says.
func (c *client) say(r *result) (s external.Saying, err error) {
	s = external.Saying{Message: quintain.Message{Role: quintain.RoleUser}, Over: r.Done}
	if s.Reward, err = r.reward(); err == nil {
		s.Message.Content, err = c.text(r)
	}
	return s, err
}

// text returns what the policy reads of an observation: the fields that the settings name or, without
// settings, all that say something. A single text stands for itself, and several fields for JSON.
func (c *client) text(r *result) (string, error) {
	shown := map[string]json.RawMessage{}
	for name, value := range r.Seen {
		hidden := name == "done" || name == "reward" || name == "metadata" || string(value) == "null"
		if len(c.args.Show) > 0 {
			hidden = !slices.Contains(c.args.Show, name)
		}
		if !hidden {
			shown[name] = value
		}
	}
	for _, value := range shown {
		var only string
		if len(shown) == 1 && strictjson.Unmarshal(value, &only) == nil {
			return only, nil
		}
	}
	if len(shown) == 0 && len(r.Metadata) > len("null") { // such as the first observation of a toolbox
		return string(r.Metadata), nil
	}
	text, err := strictjson.Legible(shown)
	return string(text), err
}

// tools asks for the tools of a toolbox.
func (s *socket) tools(ctx context.Context) (all []external.Tool, err error) {
	r, err := s.step(ctx, wire.OpenEnvAction{Type: wire.OpenEnvListTools})
	if err != nil {
		return nil, err
	}
	var list []wire.OpenEnvTool
	if err := ors.Decode(r.Seen["tools"], &list); err != nil || len(list) == 0 {
		return nil, errors.Join(errors.New("the environment offers no tools"), err)
	}
	for _, t := range list {
		all = append(all, external.Tool{Name: t.Name, Doc: t.Description, Parameters: t.Input})
	}
	return all, nil
}

// called returns what the result of a call says. A tool that the server did not reach is the server's
// fault; what else goes wrong is the policy's to read.
func (c *client) called(r *result) (external.Saying, error) {
	s, err := c.say(r)
	if err != nil {
		return s, err
	}
	var made struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	var failed *wire.OpenEnvToolError
	switch value := r.Seen["result"]; {
	case len(r.Seen["error"]) > 0 && ors.Decode(r.Seen["error"], &failed) != nil:
		return s, fmt.Errorf("the error of a tool is %.200s", r.Seen["error"])
	case failed != nil && (failed.Kind == "timeout" || failed.Kind == "transport_error"):
		return s, fmt.Errorf("a tool was not reached: %s: %.500s", failed.Kind, failed.Message)
	case failed != nil:
		s.Message.Content = "Error: " + failed.Message
	case len(value) == 0 || strictjson.Unmarshal(value, &s.Message.Content) == nil:
	case strictjson.Unmarshal(value, &made) == nil && len(made.Content) > 0:
		var parts []string
		for _, part := range made.Content {
			if part.Type != "text" {
				part.Text = "[" + part.Type + "]"
			}
			parts = append(parts, part.Text)
		}
		s.Message.Content = strings.Join(parts, "\n")
	default:
		s.Message.Content = string(value)
	}
	return s, nil
}
