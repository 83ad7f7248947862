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
func (messages) Stream(q *Request, head Reply) Stream { return &messageStream{q: q, head: head} }

// A messageStream writes a reply as events of Messages.
type messageStream struct {
	q    *Request
	head Reply
	told told
	open string // type of the block under way; empty: none
	n    int    // blocks that are closed
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

// begin appends the start of a block of a type, unless it is under way, after the end of the
// one before.
func (s *messageStream) begin(out []byte, kind string, fields ...member) []byte {
	if s.open == kind {
		return out
	}
	out = s.close(out)
	s.open = kind
	return messagesEvent(out, "content_block_start", member{"index", s.n}, member{"content_block", append(object{{"type", kind}}, fields...)})
}

// delta appends a part of the block under way.
func (s *messageStream) delta(out []byte, kind, name, text string) []byte {
	return messagesEvent(out, "content_block_delta", member{"index", s.n}, member{"delta", object{{"type", kind}, {name, text}}})
}

// close appends the end of the block under way, if there is one.
func (s *messageStream) close(out []byte) []byte {
	if s.open == "" {
		return out
	}
	if s.open == "thinking" {
		out = s.delta(out, "signature_delta", "signature", prefixReasoning+s.head.Call)
	}
	out = messagesEvent(out, "content_block_stop", member{"index", s.n})
	s.open = ""
	s.n++
	return out
}

// Live implements [Stream].
func (s *messageStream) Live(reasoning, content string) (out []byte) {
	if more := rest(&s.told.reasoning, reasoning); s.q.Thinking && more != "" {
		out = s.begin(out, "thinking", member{"thinking", ""}, member{"signature", ""})
		out = s.delta(out, "thinking_delta", "thinking", more)
	}
	if more := rest(&s.told.content, content); more != "" {
		out = s.begin(out, "text", member{"text", ""})
		out = s.delta(out, "text_delta", "text", more)
	}
	return out
}

// Reply implements [Stream].
func (s *messageStream) Reply(r *Reply) []byte {
	c := &r.Choices[0]
	out := s.close(s.Live(c.Reasoning, c.Content))
	for _, call := range c.ToolCalls {
		out = s.begin(out, "tool_use", member{"id", call.ID}, member{"name", call.Name}, member{"input", object{}})
		out = s.close(s.delta(out, "input_json_delta", "partial_json", string(inputOf(call.Arguments))))
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
