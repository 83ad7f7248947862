package exact

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// messages converts a conversation for templates.
func messages(talk []quintain.Message) ([]chattemplate.Vars, error) {
	all := make([]chattemplate.Vars, len(talk))
	for i, m := range talk {
		var err error
		if all[i], err = message(m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
	}
	return all, nil
}

// message converts a message for templates: its JSON form, with the arguments of tool calls
// as objects where they are objects.
func message(m quintain.Message) (v chattemplate.Vars, err error) {
	if m.Parts == nil && m.Reasoning == "" && m.ToolCalls == nil && m.ToolCallID == "" && m.Name == "" && m.Extra == nil {
		if err := v.Set("role", m.Role); err != nil {
			return v, err
		}
		return v, v.Set("content", m.Content)
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, call := range m.ToolCalls {
		if call.Raw != nil || !isObject(call.Arguments) {
			continue
		}
		form := callForm{ID: call.ID, Type: "function"}
		form.Function.Name, form.Function.Arguments = call.Name, json.RawMessage(call.Arguments)
		if m.ToolCalls[i].Raw, err = json.Marshal(form); err != nil {
			return v, err
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return v, err
	}
	return chattemplate.ParseVars(text)
}

// isObject reports whether text is a JSON object.
func isObject(text string) bool {
	var members map[string]json.RawMessage
	return strictjson.Unmarshal([]byte(text), &members) == nil && members != nil
}

// A callForm is a tool call in a template.
type callForm struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}
