package dialect

import "github.com/quintain-rl/quintain"

// chat is OpenAI's chat completions.
type chat struct{ openAIModels }

func (chat) Name() string { return "chat" }

// Decode implements [Dialect].
func (chat) Decode(text []byte, limits Limits) (*Request, *Error) {
	f := readBody(text, limits)
	q := &Request{}
	q.openAI(&f)
	q.format(f.get("response_format"), "json_schema")
	q.limitTokens(&f, "max_tokens", "max_completion_tokens")
	q.LogProbs = f.get("logprobs").bool()
	q.readTools(f.get("tools"), chatTool)
	q.openAIChoice(f.get("tool_choice"))
	q.readMessages(f.get("messages"), func(one fields) { q.add(chatMessage(one), "") })
	if f.failed() {
		return nil, f.body.fault
	}
	return q, nil
}

// readMessages reads a list of messages, each with read.
func (q *Request) readMessages(v value, read func(fields)) {
	before := len(q.Messages)
	v.elements(func(i int, one value) {
		if i >= v.body.limits.Messages {
			v.refuse(CodeValue, "want at most %d messages", v.body.limits.Messages)
			return
		}
		read(one.fields())
	})
	if len(q.Messages) == before && !v.failed() {
		v.want("a message at least")
	}
}

// add adds a message and its anchor.
func (q *Request) add(m quintain.Message, anchor string) {
	if _, _, ours := Anchor(anchor); !ours {
		anchor = ""
	}
	q.Messages, q.Anchors = append(q.Messages, m), append(q.Anchors, anchor)
}

// chatTool reads a tool of chat completions.
func chatTool(f fields) tool {
	kind := f.get("type").string()
	if kind != "function" && kind != "custom" {
		return f.refuseTool(kind)
	}
	inner := f.get(kind).fields()
	t := tool{name: inner.get("name").string(), description: inner.get("description"), free: kind == "custom"}
	t.parameters = inner.get("parameters").schema()
	return t
}

// role reads a role. Some name the system developer.
func (v value) role() string {
	switch role := v.string(); role {
	case "developer":
		return quintain.RoleSystem
	case quintain.RoleSystem, quintain.RoleUser, quintain.RoleAssistant, quintain.RoleTool:
		return role
	}
	if !v.failed() {
		v.want("system, developer, user, assistant or tool")
	}
	return ""
}

// chatMessage reads a message of chat completions.
func chatMessage(f fields) quintain.Message {
	m := quintain.Message{Role: f.get("role").role(), Name: f.get("name").string()}
	m.Content, m.Parts = f.get("content").content()
	switch m.Role {
	case quintain.RoleAssistant:
		if refusal := f.get("refusal"); refusal.given() && m.Content == "" {
			m.Content = refusal.string()
		}
		if old := f.get("function_call"); !old.neutral() {
			old.refuse(CodeField, "it has been replaced by tool_calls: use these")
		}
		m.Reasoning = chatReasoning(f)
		f.get("tool_calls").elements(func(_ int, one value) {
			m.ToolCalls = append(m.ToolCalls, chatCall(one.fields()))
		})
	case quintain.RoleTool:
		m.ToolCallID = f.get("tool_call_id").string()
	}
	return m
}

// chatReasoning reads the reasoning of a message, by the names that servers give it.
func chatReasoning(f fields) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if v := f.get(name); v.is('"') {
			return v.string()
		}
	}
	return ""
}

// chatCall reads a tool call of chat completions.
func chatCall(f fields) quintain.ToolCall {
	id := f.get("id").string()
	if custom := f.get("custom").fields(); custom.given() {
		return freeCall(id, custom.get("name").string(), custom.get("input").string())
	}
	function := f.get("function").fields()
	call := quintain.ToolCall{ID: id, Name: function.get("name").string()}
	if arguments := function.get("arguments"); arguments.is('{') {
		call.Arguments = string(arguments.compact())
	} else {
		call.Arguments = arguments.string()
	}
	if call.Name == "" && !f.failed() {
		f.want("a tool call with a name")
	}
	return call
}
