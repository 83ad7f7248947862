package dialect

import (
	"github.com/quintain-rl/quintain"
)

// Encode implements [Dialect].
func (chat) Encode(q *Request, r *Reply) []byte {
	choices := make(list, len(r.Choices))
	for k, c := range r.Choices {
		message := object{{"role", quintain.RoleAssistant}, {"content", c.chatContent()}, {"refusal", nil}}
		if c.Reasoning != "" {
			message = append(message, member{"reasoning_content", c.Reasoning})
		}
		if len(c.ToolCalls) > 0 {
			message = append(message, member{"tool_calls", chatCalls(q, c.ToolCalls)})
		}
		choices[k] = object{
			{"index", k}, {"message", message}, {"logprobs", c.chatLogProbs()}, {"finish_reason", c.chatFinish()},
		}
	}
	return write(append(chatHead(r, "chat.completion"), member{"choices", choices}, member{"usage", chatUsage(r.Usage)}))
}

// chatHead is the beginning of a reply, or of a chunk.
func chatHead(r *Reply, kind string) object {
	return object{{"id", CompletionID(r.Call)}, {"object", kind}, {"created", r.Created.Unix()}, {"model", r.Model}}
}

// chatContent is the content of a message: null beside tool calls.
func (c *Choice) chatContent() any {
	if c.Content == "" && len(c.ToolCalls) > 0 {
		return nil
	}
	return c.Content
}

// chatFinish says why the reply ended.
func (c *Choice) chatFinish() string {
	switch {
	case c.Finish != quintain.Stop:
		return "length"
	case len(c.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func chatCalls(q *Request, calls []quintain.ToolCall) list {
	out := make(list, len(calls))
	for i, call := range calls {
		out[i] = chatCallForm(q, call, object{{"id", call.ID}}, call.Arguments)
	}
	return out
}

// chatCallForm writes a tool call with some arguments of it after what head begins with.
func chatCallForm(q *Request, call quintain.ToolCall, head object, arguments string) object {
	if q.free[call.Name] {
		return append(head, member{"type", "custom"}, member{"custom", object{{"name", call.Name}, {"input", freeInput(arguments)}}})
	}
	return append(head, member{"type", "function"}, member{"function", object{{"name", call.Name}, {"arguments", arguments}}})
}

// chatLogProbs writes the log-probabilities of a choice.
func (c *Choice) chatLogProbs() any {
	if c.LogProbs == nil {
		return nil
	}
	return object{{"content", logProbs(c.LogProbs)}, {"refusal", nil}}
}

// logProbs writes log-probabilities as chat completions and Responses do.
func logProbs(tokens []LogProb) list {
	out := make(list, len(tokens))
	for i, t := range tokens {
		var bytes any
		if t.Bytes != nil {
			all := make(list, len(t.Bytes))
			for k, b := range t.Bytes {
				all[k] = int(b)
			}
			bytes = all
		}
		out[i] = object{{"token", t.Token}, {"logprob", t.value()}, {"bytes", bytes}, {"top_logprobs", list{}}}
	}
	return out
}

// value is the log-probability, as OpenAI writes that of an impossible token.
func (t LogProb) value() float64 { return max(t.Value, -9999) }

func chatUsage(u Usage) object {
	return object{
		{"prompt_tokens", u.Prompt}, {"completion_tokens", u.Completed}, {"total_tokens", u.Prompt + u.Completed},
		{"prompt_tokens_details", object{{"cached_tokens", u.Cached}}},
		{"completion_tokens_details", object{{"reasoning_tokens", u.Reasoning}}},
	}
}

// ErrorBody implements [Dialect].
func (openAIModels) ErrorBody(e *Error) (int, []byte) {
	return e.Status, write(object{{"error", openAIError(e)}})
}

// Stream implements [Dialect].
func (chat) Stream(q *Request, head Reply) Stream { return &chatStream{q: q, head: head} }

// A chatStream writes a reply in chunks.
type chatStream struct {
	q    *Request
	head Reply
	told told
}

// chunk appends an event for a choice; finish is nil before the last.
func (s *chatStream) chunk(dst []byte, k int, delta object, finish any) []byte {
	choice := object{{"index", k}, {"delta", delta}, {"logprobs", nil}, {"finish_reason", finish}}
	return s.event(dst, list{choice}, nil)
}

// event appends an event.
func (s *chatStream) event(dst []byte, choices list, usage any) []byte {
	data := append(chatHead(&s.head, "chat.completion.chunk"), member{"choices", choices})
	if s.q.Usage {
		data = append(data, member{"usage", usage})
	}
	return appendEvent(dst, "", data)
}

// Begin implements [Stream].
func (s *chatStream) Begin() (out []byte) {
	for k := range max(s.q.N, 1) {
		out = s.chunk(out, k, object{{"role", quintain.RoleAssistant}, {"content", ""}}, nil)
	}
	return out
}

// KeepAlive implements [Stream].
func (s *chatStream) KeepAlive() []byte { return []byte(keepAlive) }

// Live implements [Stream].
func (s *chatStream) Live(reasoning, content string) []byte {
	return s.texts(nil, 0, &Choice{Reasoning: reasoning, Content: content})
}

// texts appends what is not written yet of the texts of a choice.
func (s *chatStream) texts(out []byte, k int, c *Choice) []byte {
	reasoning, content := s.told.of(k, c)
	if reasoning != "" {
		out = s.chunk(out, k, object{{"reasoning_content", reasoning}}, nil)
	}
	if content != "" || c.LogProbs != nil {
		choice := object{{"index", k}, {"delta", object{{"content", content}}}, {"logprobs", c.chatLogProbs()}, {"finish_reason", nil}}
		out = s.event(out, list{choice}, nil)
	}
	return out
}

// Reply implements [Stream].
func (s *chatStream) Reply(r *Reply) (out []byte) {
	for k, c := range r.Choices {
		out = s.texts(out, k, &c)
		for i, call := range c.ToolCalls {
			first := chatCallForm(s.q, call, object{{"index", i}, {"id", call.ID}}, "")
			out = s.chunk(out, k, object{{"tool_calls", list{first}}}, nil)
			kind, rest := "function", object{{"arguments", call.Arguments}}
			if s.q.free[call.Name] {
				kind, rest = "custom", object{{"input", freeInput(call.Arguments)}}
			}
			out = s.chunk(out, k, object{{"tool_calls", list{object{{"index", i}, {kind, rest}}}}}, nil)
		}
	}
	return out
}

// chatDone is the last event of a stream.
const chatDone = "data: [DONE]\n\n"

// End implements [Stream].
func (s *chatStream) End(r *Reply) (out []byte) {
	for k, c := range r.Choices {
		out = s.chunk(out, k, object{}, c.chatFinish())
	}
	if s.q.Usage {
		out = s.event(out, list{}, chatUsage(r.Usage))
	}
	return append(out, chatDone...)
}

// Fail implements [Stream].
func (s *chatStream) Fail(e *Error) []byte {
	return appendEvent(nil, "", object{{"error", openAIError(e)}})
}

// openAIModels describes models, and errors, as OpenAI does.
type openAIModels struct{}

func (openAIModels) model(m Model) object {
	return object{{"id", m.ID}, {"object", "model"}, {"created", m.Created.Unix()}, {"owned_by", "quintain"}, {"max_model_len", orNone(m.Context)}}
}

// Model implements [Dialect].
func (o openAIModels) Model(m Model) []byte { return write(o.model(m)) }

// Models implements [Dialect].
func (o openAIModels) Models(models []Model) []byte {
	data := make(list, len(models))
	for i, m := range models {
		data[i] = o.model(m)
	}
	return write(object{{"object", "list"}, {"data", data}})
}

// orNone writes 0 as null.
func orNone(n int) any {
	if n == 0 {
		return nil
	}
	return n
}
