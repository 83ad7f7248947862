package quintain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// The roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one entry of a conversation. Its JSON form is that of OpenAI's chat
// completions; unknown fields are kept and written again.
//
// A Message is plain data: do not change its slices and maps once it is shared.
type Message struct {
	Role       string     // RoleSystem, RoleUser, RoleAssistant or RoleTool
	Content    string     // the text; empty if the content is in Parts
	Parts      []Part     // the content in parts; nil: it is in Content
	Reasoning  string     // what the model thought before it answered, if its server separates the two
	ToolCalls  []ToolCall // tools that the assistant calls
	ToolCallID string     // in a message from a tool: ID of the call that it answers
	Name       string     // of the speaker or the tool; empty: none

	Extra map[string]json.RawMessage // all other fields, by name; nil: none
}

// A Part is one piece of a message's content: a text, an image, a sound.
type Part struct {
	Type string          // PartText, "image_url", "input_audio", …
	Text string          // if the part has a text
	Raw  json.RawMessage // the whole part as it was read, if it is more than a text; it is written unchanged
}

// PartText is the type of a part that is a text.
const PartText = "text"

// A ToolCall is a call of a tool that the assistant asks for.
type ToolCall struct {
	ID        string
	Name      string          // of the function
	Arguments string          // as the model wrote them: meant to be a JSON object, but perhaps not one
	Raw       json.RawMessage // the whole call as it was read, if it has more than these fields; it is written unchanged
}

// Text returns the text of m: its Content, or the texts of its Parts joined.
func (m Message) Text() string {
	if m.Parts == nil {
		return m.Content
	}
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// messageJSON lists the fields of a message in the order in which they are written.
type messageJSON struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Reasoning  string          `json:"reasoning_content,omitempty"`
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Name       string          `json:"name,omitempty"`
}

// plainMessage is the form of most messages.
type plainMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// MarshalJSON implements [json.Marshaler]. If a message calls tools and has no text, its
// content is null, as with OpenAI.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.Parts == nil && m.Reasoning == "" && m.ToolCalls == nil && m.ToolCallID == "" && m.Name == "" && m.Extra == nil {
		return jsonform.MarshalLegible(plainMessage{m.Role, m.Content})
	}
	out := messageJSON{
		Role: m.Role, Content: []byte("null"), Reasoning: m.Reasoning,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Name: m.Name,
	}
	var err error
	switch {
	case m.Parts != nil:
		out.Content, err = jsonform.MarshalLegible(m.Parts)
	case m.Content != "" || m.ToolCalls == nil:
		out.Content, err = jsonform.MarshalLegible(m.Content)
	}
	if err != nil {
		return nil, err
	}
	return withExtra(out, m.Extra)
}

// UnmarshalJSON implements [json.Unmarshaler]. Reasoning is read from
// reasoning_content, or from reasoning, as some servers call it.
func (m *Message) UnmarshalJSON(data []byte) error {
	fields := map[string]json.RawMessage{}
	if err := jsonform.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	*m = Message{}
	for _, f := range []struct {
		name string
		into any
	}{
		{"role", &m.Role}, {"reasoning", &m.Reasoning}, {"reasoning_content", &m.Reasoning},
		{"tool_calls", &m.ToolCalls}, {"tool_call_id", &m.ToolCallID}, {"name", &m.Name},
	} {
		raw, has := fields[f.name]
		delete(fields, f.name)
		if !has || isNull(raw) {
			continue
		}
		if err := jsonform.Unmarshal(raw, f.into); err != nil {
			return fmt.Errorf("message: %s: %w", f.name, err)
		}
	}
	if err := m.readContent(fields["content"]); err != nil {
		return fmt.Errorf("message: content: %w", err)
	}
	delete(fields, "content")
	if len(fields) > 0 {
		m.Extra = fields
	}
	return nil
}

// readContent reads the content: a text, a list of parts, null, or absent.
func (m *Message) readContent(raw json.RawMessage) error {
	switch {
	case raw == nil || isNull(raw):
		return nil
	case raw[0] == '[':
		m.Parts = []Part{}
		return jsonform.Unmarshal(raw, &m.Parts)
	}
	return jsonform.Unmarshal(raw, &m.Content)
}

// MarshalJSON implements [json.Marshaler].
func (p Part) MarshalJSON() ([]byte, error) {
	if p.Raw != nil {
		return p.Raw, nil
	}
	return jsonform.MarshalLegible(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{p.Type, p.Text})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := jsonform.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("part: %w", err)
	}
	*p = Part{}
	if err := jsonform.Unmarshal(fields["type"], &p.Type); err != nil {
		return fmt.Errorf("part: type: want a string")
	}
	if raw, has := fields["text"]; has {
		if err := jsonform.Unmarshal(raw, &p.Text); err != nil {
			return fmt.Errorf("part: text: %w", err)
		}
	}
	if p.Type != PartText || len(fields) != 2 {
		p.Raw = bytes.Clone(data)
	}
	return nil
}

// callJSON lists the fields of a call in the order in which they are written.
type callJSON struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionJSON `json:"function"`
}

type functionJSON struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// MarshalJSON implements [json.Marshaler].
func (c ToolCall) MarshalJSON() ([]byte, error) {
	if c.Raw != nil {
		return c.Raw, nil
	}
	return jsonform.MarshalLegible(callJSON{c.ID, functionType, functionJSON{c.Name, c.Arguments}})
}

// functionType is the type of a tool call that calls a function.
const functionType = "function"

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var in callJSON
	if err := jsonform.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("tool call: %w", err)
	}
	*c = ToolCall{ID: in.ID, Name: in.Function.Name, Arguments: in.Function.Arguments}
	dec := jsonform.NewDecoder(data)
	dec.DisallowUnknownFields()
	if dec.Decode(&in) != nil || in.Type != functionType {
		c.Raw = bytes.Clone(data)
	}
	return nil
}

// withExtra writes the struct v, with the fields of extra after its own.
func withExtra(v any, extra map[string]json.RawMessage) ([]byte, error) {
	text, err := jsonform.MarshalLegible(v)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	text = text[:len(text)-1]
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		quoted, err := jsonform.MarshalLegible(name)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, ','), quoted...), ':')
		text = append(text, extra[name]...)
	}
	return append(text, '}'), nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }
