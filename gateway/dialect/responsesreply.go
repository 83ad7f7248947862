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
		if text, ok := q.sent[name]; ok {
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
	if spaced, ok := q.spaced[call.Name]; ok {
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
	told   told
	open   string // prefix of the ID of the item under way; empty: none
	n      int    // items that are done
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

// Live implements [Stream].
func (s *responseStream) Live(reasoning, content string) []byte {
	return s.texts(nil, &Choice{Reasoning: reasoning, Content: content})
}

// texts appends what is not written yet of the texts of a choice.
func (s *responseStream) texts(out []byte, c *Choice) []byte {
	if more := rest(&s.told.reasoning, c.Reasoning); more != "" {
		out = s.begin(out, prefixReasoning, reasoningItem(s.head.Call, "", stateUnderWay), reasoningPart(""))
		out = s.event(out, "response.reasoning_text.delta", append(s.at(), member{"delta", more})...)
	}
	if more := rest(&s.told.content, c.Content); more != "" {
		out = s.beginText(out)
		out = s.event(out, "response.output_text.delta", append(s.at(), member{"delta", more}, member{"logprobs", logProbs(c.LogProbs)})...)
	}
	return out
}

// Reply implements [Stream].
func (s *responseStream) Reply(r *Reply) []byte {
	c := &r.Choices[0]
	out := s.texts(nil, c)
	if c.hasText() {
		out = s.beginText(out)
	}
	if s.open == prefixMessage {
		out = s.endText(out, r)
	}
	out = s.endReasoning(out)
	for _, call := range c.ToolCalls {
		out = s.toolCall(out, call, s.n)
		s.n++
	}
	return out
}

// at says where the item under way stands.
func (s *responseStream) at() object {
	return object{{"item_id", s.open + s.head.Call}, {"output_index", s.n}, {"content_index", 0}}
}

// begin appends the events with which an item begins, unless it is under way.
func (s *responseStream) begin(out []byte, prefix string, item, part object) []byte {
	if s.open == prefix {
		return out
	}
	s.open = prefix
	out = s.event(out, "response.output_item.added", s.at()[1], member{"item", item})
	return s.event(out, "response.content_part.added", append(s.at(), member{"part", part})...)
}

// end appends the events with which the item under way ends, after its own.
func (s *responseStream) end(out []byte, item, part object) []byte {
	out = s.event(out, "response.content_part.done", append(s.at(), member{"part", part})...)
	out = s.event(out, "response.output_item.done", s.at()[1], member{"item", item})
	s.open = ""
	s.n++
	return out
}

// endReasoning appends the end of the reasoning, if it is under way.
func (s *responseStream) endReasoning(out []byte) []byte {
	if s.open != prefixReasoning {
		return out
	}
	text := s.told.reasoning
	out = s.event(out, "response.reasoning_text.done", append(s.at(), member{"text", text})...)
	return s.end(out, reasoningItem(s.head.Call, text, stateDone), reasoningPart(text))
}

// beginText appends the beginning of the text, unless it is under way, after the end of the
// reasoning.
func (s *responseStream) beginText(out []byte) []byte {
	out = s.endReasoning(out)
	return s.begin(out, prefixMessage, messageItem(s.head.Call, &Choice{}, stateUnderWay), textPart("", nil))
}

// endText appends the end of the text.
func (s *responseStream) endText(out []byte, r *Reply) []byte {
	c := &r.Choices[0]
	out = s.event(out, "response.output_text.done", append(s.at(), member{"text", c.Content}, member{"logprobs", logProbs(c.LogProbs)})...)
	return s.end(out, messageItem(s.head.Call, c, r.status()), textPart(c.Content, c.LogProbs))
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
