package nemogym

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Observation is the reply to /reset and, with the other members of [Stepped], to /step.
type Observation struct {
	Observation *string        `json:"observation"` // nil: none
	Info        map[string]any `json:"info"`
}

// A Stepped is the reply to /step.
type Stepped struct {
	Observation
	Reward     *float64 `json:"reward"` // nil: missing
	Terminated bool     `json:"terminated"`
	Truncated  bool     `json:"truncated"`
}

// An Item is one of the input or output of OpenAI's Responses API.
type Item struct {
	Type      string          `json:"type"` // empty: message
	ID        string          `json:"id,omitempty"`
	Role      string          `json:"role,omitempty"`
	Status    string          `json:"status,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"` // of a message: a text or parts
	Name      string          `json:"name,omitempty"`    // of a function_call
	Arguments string          `json:"arguments,omitempty"`
	CallID    string          `json:"call_id,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"` // of a function_call_output
}

// text returns the text of a message.
func (i *Item) text() (text string, err error) {
	if strictjson.Unmarshal(i.Content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := strictjson.Unmarshal(i.Content, &parts); err != nil {
		return "", errors.New("content: want a text or a list of parts")
	}
	var all strings.Builder
	for _, p := range parts {
		if p.Type != "input_text" && p.Type != "output_text" && p.Type != "text" {
			return "", fmt.Errorf("content: has a part of type %.40q, and only texts are played", p.Type)
		}
		all.WriteString(p.Text)
	}
	return all.String(), nil
}

// said returns the item of a text of the assistant.
func said(n int, text string) Item {
	return Item{Type: "message", ID: fmt.Sprintf("msg_%d", n), Role: "assistant", Status: "completed", Content: raw([]map[string]any{{"type": "output_text", "text": text, "annotations": []string{}}})}
}

// raw writes plain values.
func raw(v any) json.RawMessage {
	text, err := strictjson.Legible(v)
	if err != nil {
		panic("nemogym: " + err.Error()) // texts and lists
	}
	return text
}

// response returns a response of OpenAI's Responses API.
func response(items []Item, cut bool) json.RawMessage {
	all := map[string]any{
		"id": "resp_1", "object": "response", "created_at": 0, "model": "policy", "status": "completed", "output": items,
		"parallel_tool_calls": true, "tool_choice": "auto", "tools": []string{}, "incomplete_details": nil, "usage": nil,
	}
	if cut {
		all["status"], all["incomplete_details"] = "incomplete", map[string]string{"reason": "max_output_tokens"}
	}
	return raw(all)
}
