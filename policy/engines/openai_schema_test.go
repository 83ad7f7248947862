package engines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/policytest"
)

func TestSchemasAndForcedTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, schema, choice string
		format, tool        string // sent
	}{
		{"neither", "", "", "<nil>", "<nil>"},
		{"a schema", `{"type":"object"}`, "", "map[json_schema:map[name:reply schema:map[type:object] strict:true] type:json_schema]", "<nil>"},
		{"any tool", "", "required", "<nil>", "required"},
		{"a tool by name", "", "add", "<nil>", "map[function:map[name:add] type:function]"},
	} {
		s := &policytest.Server{TokenIDs: true}
		r := request(1)
		r.Tools, r.Schema, r.ToolChoice = json.RawMessage(`[{"type":"function"}]`), json.RawMessage(test.schema), test.choice
		if _, err := client(t, s, nil).Sample(t.Context(), r); err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if sent := s.Requests()[0]; fmt.Sprint(sent["response_format"]) != test.format || fmt.Sprint(sent["tool_choice"]) != test.tool {
			t.Errorf("%s: sent %v", test.why, sent)
		}
	}
}

// A schema that nobody keeps to is refused: by the client, or in the words of the server.
func TestUnguided(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		change func(*quintain.Request, *engines.OpenAIConfig)
		fault  policytest.Fault
		asked  int
		is     bool
	}{
		{"a schema for a text", func(r *quintain.Request, c *engines.OpenAIConfig) {
			r.Schema = json.RawMessage(`{}`)
			c.Prompt = func(quintain.Request) (string, error) { return "?", nil }
		}, nil, 0, true},
		{"a tool for a text", func(r *quintain.Request, c *engines.OpenAIConfig) {
			r.ToolChoice = "required"
			c.Prompt = func(quintain.Request) (string, error) { return "?", nil }
		}, nil, 0, true},
		{"a schema that the server refuses", func(r *quintain.Request, _ *engines.OpenAIConfig) { r.Schema = json.RawMessage(`{"x":1}`) }, policytest.Status(http.StatusBadRequest), 1, true},
		{"a tool that the server refuses", func(r *quintain.Request, _ *engines.OpenAIConfig) { r.ToolChoice = "add" }, policytest.Status(http.StatusUnprocessableEntity), 1, true},
		{"a wrong key", func(r *quintain.Request, _ *engines.OpenAIConfig) { r.Schema = json.RawMessage(`{}`) }, policytest.Status(http.StatusUnauthorized), 1, false},
		{"a request without a schema", func(*quintain.Request, *engines.OpenAIConfig) {}, policytest.Status(http.StatusBadRequest), 1, false},
	} {
		s := failing(test.fault)
		r := request(1)
		c := client(t, s, func(c *engines.OpenAIConfig) { test.change(&r, c) })
		if _, err := c.Sample(t.Context(), r); err == nil || errors.Is(err, quintain.ErrUnguided) != test.is || !errors.Is(err, quintain.ErrFinal) || len(s.Requests()) != test.asked {
			t.Errorf("%s: asked %d times, error %v", test.why, len(s.Requests()), err)
		}
	}
}
