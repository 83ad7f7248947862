package quintain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// The roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one entry of a conversation. Its JSON form is that of OpenAI's chat
// completions; unknown fields survive a round trip.
//
// A Message is plain data: do not change its slices and maps once you share it.
type Message struct {
	Role       string     // RoleSystem, RoleUser, RoleAssistant or RoleTool
	Content    string     // the text; empty if Parts holds the content
	Parts      []Part     // the content in parts; nil: Content holds it
	Reasoning  string     // thoughts before the answer, if the server separates them
	ToolCalls  []ToolCall // calls that the assistant makes
	ToolCallID string     // in a tool's message: ID of the call it answers
	Name       string     // of the speaker or the tool; empty: none

	Extra map[string]json.RawMessage // all other fields by name; nil: none
}

// A Part is one piece of a message's content: a text, an image, a sound.
type Part struct {
	Type string          // PartText, "image_url", "input_audio", …
	Text string          // empty if the part has none
	Raw  json.RawMessage // the whole part as read, unless it is plain text; written back unchanged
}

// PartText is the type of a text part.
const PartText = "text"

// A ToolCall is a call that the assistant asks for.
type ToolCall struct {
	ID        string
	Name      string          // of the function
	Arguments string          // as the model wrote them: meant to be a JSON object, perhaps not one
	Raw       json.RawMessage // the whole call as read, if it has other fields; written back unchanged
}

// Text returns Content, or the joined texts of Parts.
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

// messageJSON lists a message's fields in their written order.
type messageJSON struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Reasoning  string          `json:"reasoning_content,omitempty"`
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Name       string          `json:"name,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. The content of a message with tool calls and no
// text is null, as with OpenAI.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.plain() {
		text := strictjson.AppendLegible([]byte(`{"role":`), m.Role)
		return append(strictjson.AppendLegible(append(text, `,"content":`...), m.Content), '}'), nil
	}
	out := messageJSON{
		Role: m.Role, Content: []byte("null"), Reasoning: m.Reasoning,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Name: m.Name,
	}
	var err error
	switch {
	case m.Parts != nil:
		out.Content, err = strictjson.Legible(m.Parts)
	case m.Content != "" || m.ToolCalls == nil:
		out.Content, err = strictjson.Legible(m.Content)
	}
	if err != nil {
		return nil, err
	}
	return withExtra(out, m.Extra)
}

// plain reports whether m has a role and a text only.
func (m *Message) plain() bool {
	return m.Parts == nil && m.Reasoning == "" && m.ToolCalls == nil && m.ToolCallID == "" && m.Name == "" && m.Extra == nil
}

// AppendMessages appends a conversation as [json.Marshal] writes it, in a fraction of the time.
func AppendMessages(b []byte, talk []Message) ([]byte, error) {
	if talk == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i := range talk {
		if i > 0 {
			b = append(b, ',')
		}
		if m := &talk[i]; m.plain() {
			b = strictjson.AppendText(append(b, `{"role":`...), m.Role)
			b = append(strictjson.AppendText(append(b, `,"content":`...), m.Content), '}')
			continue
		}
		text, err := json.Marshal(talk[i])
		if err != nil {
			return nil, err
		}
		b = append(b, text...)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It reads Reasoning from reasoning_content
// or, as some servers call it, reasoning.
func (m *Message) UnmarshalJSON(data []byte) error {
	if plain, ok := readPlain(data); ok {
		*m = plain
		return nil
	}
	fields := map[string]json.RawMessage{}
	if err := strictjson.Unmarshal(data, &fields); err != nil {
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
		if err := strictjson.Unmarshal(raw, f.into); err != nil {
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

// readPlain reads the form of most messages, a role and a text. It leaves everything else to
// encoding/json.
func readPlain(data []byte) (m Message, ok bool) {
	ok = strictjson.Members(data, func(name, value []byte) (plain bool) {
		switch {
		case string(name) == "role" && m.Role == "":
			m.Role, plain = strictjson.Text(value)
		case string(name) == "content" && m.Content == "":
			m.Content, plain = strictjson.Text(value)
		}
		return plain
	})
	return m, ok
}

// readContent reads the content: a text, a list of parts, null, or nothing.
func (m *Message) readContent(raw json.RawMessage) error {
	switch {
	case raw == nil || isNull(raw):
		return nil
	case raw[0] == '[':
		m.Parts = []Part{}
		return strictjson.Unmarshal(raw, &m.Parts)
	}
	return strictjson.Unmarshal(raw, &m.Content)
}

// MarshalJSON implements [json.Marshaler].
func (p Part) MarshalJSON() ([]byte, error) {
	if p.Raw != nil {
		return p.Raw, nil
	}
	return strictjson.Legible(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{p.Type, p.Text})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := strictjson.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("part: %w", err)
	}
	*p = Part{}
	if err := strictjson.Unmarshal(fields["type"], &p.Type); err != nil {
		return fmt.Errorf("part: type: want a string")
	}
	if raw, has := fields["text"]; has {
		if err := strictjson.Unmarshal(raw, &p.Text); err != nil {
			return fmt.Errorf("part: text: %w", err)
		}
	}
	if p.Type != PartText || len(fields) != 2 {
		p.Raw = bytes.Clone(data)
	}
	return nil
}

// callJSON lists a call's fields in their written order.
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
	return strictjson.Legible(callJSON{c.ID, functionType, functionJSON{c.Name, c.Arguments}})
}

// functionType is the type of a function call.
const functionType = "function"

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var in callJSON
	if err := strictjson.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("tool call: %w", err)
	}
	*c = ToolCall{ID: in.ID, Name: in.Function.Name, Arguments: in.Function.Arguments}
	if strictjson.UnmarshalKnown(data, &in) != nil || in.Type != functionType {
		c.Raw = bytes.Clone(data)
	}
	return nil
}

// withExtra writes the struct v and appends the fields of extra.
func withExtra(v any, extra map[string]json.RawMessage) ([]byte, error) {
	text, err := strictjson.Legible(v)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	text = text[:len(text)-1]
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		quoted, err := strictjson.Legible(name)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, ','), quoted...), ':')
		text = append(text, extra[name]...)
	}
	return append(text, '}'), nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }
