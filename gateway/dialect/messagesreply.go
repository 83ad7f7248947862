package dialect

import (
	"encoding/json"
	"time"

	"github.com/quintain-rl/quintain"
)

// Encode implements [Dialect].
func (messages) Encode(q *Request, r *Reply) []byte {
	c := &r.Choices[0]
	content := list{}
	if q.Thinking && c.Reasoning != "" {
		content = append(content, object{{"type", "thinking"}, {"thinking", c.Reasoning}, {"signature", prefixReasoning + r.Call}})
	}
	if c.Content != "" {
		content = append(content, object{{"type", "text"}, {"text", c.Content}})
	}
	for _, call := range c.ToolCalls {
		content = append(content, object{
			{"type", "tool_use"}, {"id", call.ID}, {"name", call.Name}, {"input", json.RawMessage(inputOf(call.Arguments))},
		})
	}
	reason, text := c.stopReason()
	return write(append(messageHead(r, content), member{"stop_reason", reason}, member{"stop_sequence", text}, member{"usage", messagesUsage(r.Usage)}))
}

// messageHead is the beginning of a reply.
func messageHead(r *Reply, content list) object {
	return object{
		{"id", prefixMessage + r.Call}, {"type", "message"}, {"role", quintain.RoleAssistant}, {"model", r.Model}, {"content", content},
	}
}

// stopReason says why a reply ended, and by what text of the client.
func (c *Choice) stopReason() (reason string, text any) {
	switch {
	case c.Finish != quintain.Stop:
		return "max_tokens", nil
	case len(c.ToolCalls) > 0:
		return "tool_use", nil
	case c.Stopped != "":
		return "stop_sequence", c.Stopped
	}
	return "end_turn", nil
}

func messagesUsage(u Usage) object {
	return object{
		{"input_tokens", u.Prompt - u.Cached}, {"cache_creation_input_tokens", 0}, {"cache_read_input_tokens", u.Cached},
		{"output_tokens", u.Completed},
	}
}

// CountTokens writes the reply to a request of Messages to count the tokens of its prompt.
func CountTokens(n int) []byte { return write(object{{"input_tokens", n}}) }

// ErrorBody implements [Dialect].
func (messages) ErrorBody(e *Error) (int, []byte) {
	status, body := anthropicError(e)
	return status, write(body)
}

// Model implements [Dialect].
func (messages) Model(m Model) []byte { return write(messagesModel(m)) }

func messagesModel(m Model) object {
	return object{
		{"type", "model"}, {"id", m.ID}, {"display_name", m.ID}, {"created_at", m.Created.UTC().Format(time.RFC3339)},
		{"max_input_tokens", orNone(m.Context)},
	}
}

// Models implements [Dialect].
func (messages) Models(models []Model) []byte {
	data := make(list, len(models))
	var first, last any
	for i, m := range models {
		data[i] = messagesModel(m)
		if i == 0 {
			first = m.ID
		}
		last = m.ID
	}
	return write(object{{"data", data}, {"has_more", false}, {"first_id", first}, {"last_id", last}})
}

// Stream implements [Dialect].
func (messages) Stream(q *Request, head Reply) Stream { return &messageStream{q, head} }

// A messageStream writes a reply as events of Messages.
type messageStream struct {
	q    *Request
	head Reply
}

// messagesEvent appends an event.
func messagesEvent(dst []byte, kind string, members ...member) []byte {
	return appendEvent(dst, kind, append(object{{"type", kind}}, members...))
}

// Begin implements [Stream]. The number of tokens read is told at the end.
func (s *messageStream) Begin() []byte {
	message := append(messageHead(&s.head, list{}), member{"stop_reason", nil}, member{"stop_sequence", nil}, member{"usage", messagesUsage(Usage{})})
	return messagesEvent(nil, "message_start", member{"message", message})
}

// KeepAlive implements [Stream].
func (s *messageStream) KeepAlive() []byte { return messagesEvent(nil, "ping") }

// Reply implements [Stream].
func (s *messageStream) Reply(r *Reply) (out []byte) {
	c := &r.Choices[0]
	n := 0
	block := func(begun object, deltas ...object) {
		index := member{"index", n}
		out = messagesEvent(out, "content_block_start", index, member{"content_block", begun})
		for _, d := range deltas {
			out = messagesEvent(out, "content_block_delta", index, member{"delta", d})
		}
		out = messagesEvent(out, "content_block_stop", index)
		n++
	}
	if s.q.Thinking && c.Reasoning != "" {
		block(object{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}},
			object{{"type", "thinking_delta"}, {"thinking", c.Reasoning}},
			object{{"type", "signature_delta"}, {"signature", prefixReasoning + r.Call}})
	}
	if c.Content != "" {
		block(object{{"type", "text"}, {"text", ""}}, object{{"type", "text_delta"}, {"text", c.Content}})
	}
	for _, call := range c.ToolCalls {
		block(object{{"type", "tool_use"}, {"id", call.ID}, {"name", call.Name}, {"input", object{}}},
			object{{"type", "input_json_delta"}, {"partial_json", string(inputOf(call.Arguments))}})
	}
	return out
}

// End implements [Stream].
func (s *messageStream) End(r *Reply) []byte {
	reason, text := r.Choices[0].stopReason()
	out := messagesEvent(nil, "message_delta",
		member{"delta", object{{"stop_reason", reason}, {"stop_sequence", text}}}, member{"usage", messagesUsage(r.Usage)})
	return messagesEvent(out, "message_stop")
}

// Fail implements [Stream].
func (s *messageStream) Fail(e *Error) []byte {
	_, body := anthropicError(e)
	return appendEvent(nil, "error", body)
}
