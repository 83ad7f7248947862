package dialect

import (
	"strings"

	"github.com/quintain-rl/quintain"
)

// responses is OpenAI's Responses.
type responses struct{ openAIModels }

func (responses) Name() string { return "responses" }

// Decode implements [Dialect].
func (responses) Decode(text []byte, limits Limits) (*Request, *Error) {
	f := readBody(text, limits)
	q := &Request{}
	q.openAI(&f)
	q.limitTokens(&f, "max_output_tokens")
	if prompt := f.get("prompt"); prompt.given() {
		prompt.refuse(CodeField, "stored prompts are not served: send the text")
	}
	format := f.get("text").fields()
	q.format(format.get("format"), "")
	reasoning := f.get("reasoning").fields()
	q.effort(reasoning.get("effort"))
	f.get("include").elements(func(_ int, one value) {
		q.LogProbs = q.LogProbs || one.string() == "message.output_text.logprobs"
	})
	q.Previous = f.get("previous_response_id").string()
	q.Store = !f.get("store").given() || f.get("store").bool()
	q.readTools(f.get("tools"), responsesTool)
	q.openAIChoice(f.get("tool_choice"))
	q.instructions(f.get("instructions"))
	q.input(f.get("input"))
	q.keep(&f, "instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "previous_response_id", "reasoning",
		"store", "temperature", "text", "tool_choice", "tools", "top_p", "user")
	if f.failed() {
		return nil, f.body.fault
	}
	return q, nil
}

// responsesTool reads a tool of Responses.
func responsesTool(f fields) tool {
	t := tool{name: f.get("name").string(), description: f.get("description")}
	switch kind := f.get("type").string(); kind {
	case "function":
		t.parameters = f.get("parameters").schema()
	case "custom":
		t.free = true
	default:
		return f.refuseTool(kind)
	}
	return t
}

// instructions reads the system message of one reply.
func (q *Request) instructions(v value) {
	if text := v.string(); text != "" {
		q.Instructed = true
		q.add(quintain.Message{Role: quintain.RoleSystem, Content: text}, "")
	}
}

// input reads the conversation: a text of the user, or items.
func (q *Request) input(v value) {
	if v.is('"') {
		q.add(quintain.Message{Role: quintain.RoleUser, Content: v.string()}, "")
		return
	}
	t := transcript{q: q, last: -1}
	before := len(q.Messages)
	v.elements(func(i int, one value) {
		if i >= v.body.limits.Messages {
			v.refuse(CodeValue, "want at most %d items", v.body.limits.Messages)
			return
		}
		t.item(one.fields())
	})
	if len(q.Messages) == before && q.Previous == "" && !v.failed() {
		v.want("a text, or an item at least")
	}
}

// A transcript makes messages of items: a reply of ours has several.
type transcript struct {
	q    *Request
	last int    // index of the last message of the assistant; -1: none
	call string // of which reply that message is; empty: unknown
}

// item reads an item.
func (t *transcript) item(f fields) {
	kind := f.get("type")
	switch name := kind.string(); name {
	case "", "message":
		t.message(f)
	case "reasoning":
		t.reasoning(f)
	case "function_call":
		name := t.q.full(f.get("namespace").string(), f.get("name").string())
		call := quintain.ToolCall{ID: f.get("call_id").string(), Name: name, Arguments: f.get("arguments").string()}
		t.toolCall(f, call)
	case "custom_tool_call":
		t.toolCall(f, freeCall(f.get("call_id").string(), f.get("name").string(), f.get("input").string()))
	case "function_call_output", "custom_tool_call_output":
		m := quintain.Message{Role: quintain.RoleTool, ToolCallID: f.get("call_id").string()}
		m.Content, m.Parts = f.get("output").content()
		t.q.add(m, "")
	case "item_reference":
		t.reference(f.get("id"))
	default:
		if !kind.failed() {
			kind.refuse(CodeField, "an item of type %q was not made here, and is not served", name)
		}
	}
}

// anchor is the id of ours by which an item names its reply; empty: none.
func (f *fields) anchor() string {
	for _, name := range []string{"id", "encrypted_content"} {
		if id := f.get(name).string(); isOurs(id) {
			return id
		}
	}
	return ""
}

func isOurs(id string) bool {
	_, _, ours := Anchor(id)
	return ours
}

// message reads a message.
func (t *transcript) message(f fields) {
	m := quintain.Message{Role: f.get("role").role()}
	m.Content, m.Parts = f.get("content").content()
	if m.Role != quintain.RoleAssistant {
		t.q.add(m, "")
		t.last = -1
		return
	}
	into := t.join(f.anchor(), func(last *quintain.Message) bool { return isBare(last) && last.ToolCalls == nil })
	into.Content, into.Parts = m.Content, m.Parts
}

// isBare reports whether a message has no content.
func isBare(m *quintain.Message) bool { return m.Content == "" && m.Parts == nil }

// reasoning reads the reasoning of a reply: its text, or a summary.
func (t *transcript) reasoning(f fields) {
	text := f.get("content")
	if text.neutral() {
		text = f.get("summary")
	}
	into := t.join(f.anchor(), func(last *quintain.Message) bool {
		return isBare(last) && last.ToolCalls == nil && last.Reasoning == ""
	})
	into.Reasoning, _ = text.content()
}

// toolCall reads a tool call.
func (t *transcript) toolCall(f fields, call quintain.ToolCall) {
	if call.Name == "" && !f.failed() {
		f.want("a tool call with a name")
	}
	anchor := f.anchor()
	if anchor == "" && isOurs(call.ID) {
		anchor = call.ID
	}
	into := t.join(anchor, func(*quintain.Message) bool { return true })
	into.ToolCalls = append(into.ToolCalls, call)
}

// reference stands for the whole reply that id names.
func (t *transcript) reference(id value) {
	anchor := id.string()
	call, _, ours := Anchor(anchor)
	if !ours || isCall(anchor) {
		id.refuse(CodeValue, "the item %q was not made here", anchor)
		return
	}
	if t.last < 0 || call != t.call {
		t.begin(anchor)
	}
	t.q.Messages[t.last].Role = ""
}

// join returns the message to which an item of the assistant belongs: the last one, if that
// is open for it and both are of one call, or nobody knows and they are neighbours; else a new
// one. A tool's results may stand between the calls of one reply.
func (t *transcript) join(anchor string, open func(last *quintain.Message) bool) *quintain.Message {
	q := t.q
	call, _, ours := Anchor(anchor)
	if t.last < 0 || !open(&q.Messages[t.last]) || !t.continues(call) {
		return t.begin(anchor)
	}
	if ours {
		t.call = call
	}
	if ours && !isCall(anchor) && q.Anchors[t.last] == "" {
		q.Anchors[t.last] = anchor
	}
	return &q.Messages[t.last]
}

// continues reports whether an item of a call can belong to the last message.
func (t *transcript) continues(call string) bool {
	if call != "" && t.call != "" {
		return call == t.call
	}
	return t.last == len(t.q.Messages)-1
}

// begin begins a message.
func (t *transcript) begin(anchor string) *quintain.Message {
	t.last = len(t.q.Messages)
	t.call, _, _ = Anchor(anchor)
	if isCall(anchor) {
		anchor = "" // the message will contain it
	}
	t.q.add(quintain.Message{Role: quintain.RoleAssistant}, anchor)
	return &t.q.Messages[t.last]
}

// isCall reports whether an id of ours is that of a tool call.
func isCall(id string) bool { return strings.HasPrefix(id, prefixCall) }
