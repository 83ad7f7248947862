package dialect

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain"
)

// Encode implements [Dialect].
func (responses) Encode(q *Request, r *Reply) []byte {
	return write(response(q, r, r.status()))
}

// The states of a response and its items.
const (
	stateUnderWay   = "in_progress"
	stateDone       = "completed"
	stateIncomplete = "incomplete"
	stateFailed     = "failed"
)

// status is the state of a whole reply.
func (r *Reply) status() string {
	if r.Choices[0].Finish == quintain.Stop {
		return stateDone
	}
	return stateIncomplete
}

// response writes a reply in a state. Only a whole one has items and a usage.
func response(q *Request, r *Reply, state string) object {
	repeated := func(name, otherwise string) member {
		if text, is := q.sent[name]; is {
			return member{name, text}
		}
		return member{name, json.RawMessage(otherwise)}
	}
	out := object{
		{"id", ResponseID(r.Call)}, {"object", "response"}, {"created_at", r.Created.Unix()}, {"status", state},
		{"background", false}, {"error", nil}, {"incomplete_details", nil},
		repeated("instructions", "null"), repeated("max_output_tokens", "null"), {"model", r.Model}, {"output", list{}},
		repeated("parallel_tool_calls", "true"), repeated("previous_response_id", "null"),
		repeated("reasoning", `{"effort":null,"summary":null}`), repeated("store", "true"), repeated("temperature", "null"),
		repeated("text", `{"format":{"type":"text"}}`), repeated("tool_choice", `"auto"`), repeated("tools", "[]"),
		repeated("top_p", "null"), {"truncation", "disabled"}, {"usage", nil}, repeated("user", "null"), repeated("metadata", "{}"),
	}
	if state != stateDone && state != stateIncomplete {
		return out
	}
	if state == stateIncomplete {
		out.set("incomplete_details", object{{"reason", "max_output_tokens"}})
	}
	out.set("output", items(q, r))
	out.set("usage", object{
		{"input_tokens", r.Usage.Prompt}, {"input_tokens_details", object{{"cached_tokens", r.Usage.Cached}}},
		{"output_tokens", r.Usage.Completed}, {"output_tokens_details", object{{"reasoning_tokens", r.Usage.Reasoning}}},
		{"total_tokens", r.Usage.Prompt + r.Usage.Completed},
	})
	return out
}

// set replaces the value of a member.
func (o object) set(name string, to any) {
	for i := range o {
		if o[i].name == name {
			o[i].value = to
		}
	}
}

// items are those of a whole reply: reasoning, text, tool calls.
func items(q *Request, r *Reply) list {
	c := &r.Choices[0]
	var out list
	if c.Reasoning != "" {
		out = append(out, reasoningItem(r.Call, c.Reasoning, stateDone))
	}
	if c.hasText() {
		out = append(out, messageItem(r.Call, c, r.status()))
	}
	for _, call := range c.ToolCalls {
		out = append(out, callItem(q, call, call.Arguments, stateDone))
	}
	return out
}

// hasText reports whether a reply shows a text, be it empty.
func (c *Choice) hasText() bool { return c.Content != "" || len(c.ToolCalls) == 0 }

// reasoningItem is the item of reasoning; text is empty at its beginning.
func reasoningItem(call, text, state string) object {
	content := list{}
	if text != "" {
		content = append(content, reasoningPart(text))
	}
	id := prefixReasoning + call
	return object{
		{"id", id}, {"type", "reasoning"}, {"summary", list{}}, {"content", content}, {"encrypted_content", id}, {"status", state},
	}
}

func reasoningPart(text string) object { return object{{"type", "reasoning_text"}, {"text", text}} }

// messageItem is the item of a text; under way, it has none yet.
func messageItem(call string, c *Choice, state string) object {
	content := list{}
	if state != stateUnderWay {
		content = append(content, textPart(c.Content, c.LogProbs))
	}
	return object{
		{"id", prefixMessage + call}, {"type", "message"}, {"role", quintain.RoleAssistant}, {"status", state}, {"content", content},
	}
}

func textPart(text string, probs []LogProb) object {
	return object{{"type", "output_text"}, {"text", text}, {"annotations", list{}}, {"logprobs", logProbs(probs)}}
}

// callItem is the item of a tool call with some of its arguments.
func callItem(q *Request, call quintain.ToolCall, arguments, state string) object {
	id := prefixFunction + strings.TrimPrefix(call.ID, prefixCall)
	if q.free[call.Name] {
		return object{
			{"id", id}, {"type", "custom_tool_call"}, {"call_id", call.ID}, {"name", call.Name}, {"input", freeInput(arguments)}, {"status", state},
		}
	}
	item := object{
		{"id", id}, {"type", "function_call"}, {"call_id", call.ID}, {"name", call.Name}, {"arguments", arguments}, {"status", state},
	}
	if spaced, is := q.spaced[call.Name]; is {
		item.set("name", spaced[1])
		item = append(item, member{"namespace", spaced[0]})
	}
	return item
}

// Stream implements [Dialect].
func (responses) Stream(q *Request, head Reply) Stream { return &responseStream{q: q, head: head} }

// A responseStream writes a reply as events of Responses.
type responseStream struct {
	q      *Request
	head   Reply
	number int // of the next event
}

// event appends an event.
func (s *responseStream) event(dst []byte, kind string, members ...member) []byte {
	data := append(object{{"type", kind}, {"sequence_number", s.number}}, members...)
	s.number++
	return appendEvent(dst, kind, data)
}

// Begin implements [Stream].
func (s *responseStream) Begin() []byte {
	begun := response(s.q, &s.head, stateUnderWay)
	out := s.event(nil, "response.created", member{"response", begun})
	return s.event(out, "response.in_progress", member{"response", begun})
}

// KeepAlive implements [Stream].
func (s *responseStream) KeepAlive() []byte { return []byte(keepAlive) }

// Reply implements [Stream].
func (s *responseStream) Reply(r *Reply) (out []byte) {
	c := &r.Choices[0]
	n := 0
	if c.Reasoning != "" {
		out = s.reasoning(out, r)
		n++
	}
	if c.hasText() {
		out = s.text(out, r, n)
		n++
	}
	for i, call := range c.ToolCalls {
		out = s.toolCall(out, call, n+i)
	}
	return out
}

// reasoning appends the events of the reasoning, the first item.
func (s *responseStream) reasoning(out []byte, r *Reply) []byte {
	at := object{{"item_id", prefixReasoning + r.Call}, {"output_index", 0}, {"content_index", 0}}
	text := r.Choices[0].Reasoning
	out = s.event(out, "response.output_item.added", at[1], member{"item", reasoningItem(r.Call, "", stateUnderWay)})
	out = s.event(out, "response.content_part.added", append(at, member{"part", reasoningPart("")})...)
	out = s.event(out, "response.reasoning_text.delta", append(at, member{"delta", text})...)
	out = s.event(out, "response.reasoning_text.done", append(at, member{"text", text})...)
	out = s.event(out, "response.content_part.done", append(at, member{"part", reasoningPart(text)})...)
	return s.event(out, "response.output_item.done", at[1], member{"item", reasoningItem(r.Call, text, stateDone)})
}

// text appends the events of the text, item n.
func (s *responseStream) text(out []byte, r *Reply, n int) []byte {
	at := object{{"item_id", prefixMessage + r.Call}, {"output_index", n}, {"content_index", 0}}
	c := &r.Choices[0]
	probs := member{"logprobs", logProbs(c.LogProbs)}
	out = s.event(out, "response.output_item.added", at[1], member{"item", messageItem(r.Call, c, stateUnderWay)})
	out = s.event(out, "response.content_part.added", append(at, member{"part", textPart("", nil)})...)
	if c.Content != "" {
		out = s.event(out, "response.output_text.delta", append(at, member{"delta", c.Content}, probs)...)
	}
	out = s.event(out, "response.output_text.done", append(at, member{"text", c.Content}, probs)...)
	out = s.event(out, "response.content_part.done", append(at, member{"part", textPart(c.Content, c.LogProbs)})...)
	return s.event(out, "response.output_item.done", at[1], member{"item", messageItem(r.Call, c, r.status())})
}

// toolCall appends the events of a tool call, item n.
func (s *responseStream) toolCall(out []byte, call quintain.ToolCall, n int) []byte {
	item := callItem(s.q, call, call.Arguments, stateDone)
	at := object{{"item_id", item[0].value}, {"output_index", n}}
	kind, name, text := "response.function_call_arguments", "arguments", call.Arguments
	if s.q.free[call.Name] {
		kind, name, text = "response.custom_tool_call_input", "input", freeInput(text)
	}
	out = s.event(out, "response.output_item.added", at[1], member{"item", callItem(s.q, call, "", stateUnderWay)})
	if text != "" {
		out = s.event(out, kind+".delta", append(at, member{"delta", text})...)
	}
	out = s.event(out, kind+".done", append(at, member{name, text})...)
	return s.event(out, "response.output_item.done", at[1], member{"item", item})
}

// End implements [Stream].
func (s *responseStream) End(r *Reply) []byte {
	return s.event(nil, "response."+r.status(), member{"response", response(s.q, r, r.status())})
}

// Fail implements [Stream].
func (s *responseStream) Fail(e *Error) []byte {
	failed := response(s.q, &s.head, stateFailed)
	what := openAIError(e)
	failed.set("error", object{{"code", what.get("code")}, {"message", what.get("message")}})
	return s.event(nil, "response.failed", member{"response", failed})
}

// get returns the value of a member.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}
