package dialect

import (
	"cmp"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// messages is Anthropic's Messages.
type messages struct{}

func (messages) Name() string { return "messages" }

// Decode implements [Dialect]. It also reads the requests to count tokens.
func (messages) Decode(text []byte, limits Limits) (*Request, *Error) {
	f := readBody(text, limits)
	f.refuseAll()
	q := &Request{Model: f.get("model").string(), N: 1, Usage: true, Stream: f.get("stream").bool()}
	q.limitTokens(&f, "max_tokens")
	q.stops(f.get("stop_sequences"))
	q.sampling(&f)
	meta, output := f.get("metadata").fields(), f.get("output_config").fields()
	q.Branch = meta.get("branch").string()
	q.vars(&f)
	q.effort(output.get("effort"))
	q.format(output.get("format"), "")
	q.format(f.get("output_format"), "")
	q.thinking(f.get("thinking").fields())
	q.readTools(f.get("tools"), messagesTool)
	q.messagesChoice(f.get("tool_choice").fields())
	if system, _ := f.get("system").content(); system != "" {
		q.add(quintain.Message{Role: quintain.RoleSystem, Content: system}, "")
	}
	list := f.get("messages")
	q.readMessages(list, q.message)
	if n := len(q.Messages); n > 0 && q.Messages[n-1].Role == quintain.RoleAssistant {
		list.refuse(CodeField, "the last message is the assistant's: a reply cannot be begun for the model")
	}
	if f.failed() {
		return nil, f.body.fault
	}
	return q, nil
}

// thinking reads whether the model is to think, and the client to see it.
func (q *Request) thinking(f fields) {
	switch kind := f.get("type"); kind.string() {
	case "":
	case "enabled", "adaptive":
		q.Thinking = true
		q.set("enable_thinking", true)
	case "disabled":
		q.set("enable_thinking", false)
	default:
		kind.want("enabled, adaptive or disabled")
	}
	if budget := f.get("budget_tokens"); budget.given() {
		q.set("thinking_budget", budget.count())
	}
}

// messagesTool reads a tool of Messages.
func messagesTool(f fields) tool {
	if kind := f.get("type").string(); kind != "" && kind != "custom" {
		return f.refuseTool(kind)
	}
	return tool{name: f.get("name").string(), description: f.get("description"), parameters: f.get("input_schema").schema()}
}

// messagesChoice reads tool_choice of Messages.
func (q *Request) messagesChoice(f fields) {
	q.OneCall = f.get("disable_parallel_tool_use").bool()
	switch kind := f.get("type"); kind.string() {
	case "":
	case "auto":
		q.Choice = ToolsAuto
	case "any":
		q.Choice = ToolsRequired
	case "none":
		q.Choice = ToolsNone
	case "tool":
		q.choose(f.get("name"))
	default:
		kind.want("auto, any, none or tool")
	}
}

// message reads a message of Messages.
func (q *Request) message(f fields) {
	content := f.get("content")
	switch role := f.get("role"); role.string() {
	case quintain.RoleAssistant:
		q.reply(content)
	case quintain.RoleUser:
		q.results(content)
	case quintain.RoleSystem:
		m := quintain.Message{Role: quintain.RoleSystem}
		m.Content, m.Parts = content.content()
		q.add(m, "")
	default:
		if !role.failed() {
			role.want("user or assistant")
		}
	}
}

// results reads what a user says, with the results of tools among it, which become messages
// of their own.
func (q *Request) results(content value) {
	m := quintain.Message{Role: quintain.RoleUser}
	if !content.is('[') {
		m.Content = content.string()
		q.add(m, "")
		return
	}
	before := len(q.Messages)
	say := func() {
		if m.Parts != nil {
			m.Content, m.Parts = joined(m.Parts)
			q.add(m, "")
		}
		m = quintain.Message{Role: quintain.RoleUser}
	}
	content.elements(func(_ int, one value) {
		block := one.fields()
		if block.get("type").string() != "tool_result" {
			m.Parts = append(m.Parts, block.part())
			return
		}
		if say(); len(q.Messages) >= one.body.limits.Messages {
			one.refuse(CodeValue, "want at most %d messages", one.body.limits.Messages)
			return
		}
		result := quintain.Message{Role: quintain.RoleTool, ToolCallID: block.get("tool_use_id").string()}
		result.Content, result.Parts = block.get("content").content()
		q.add(result, "")
	})
	if say(); len(q.Messages) == before {
		q.add(m, "")
	}
}

// reply reads a reply of the assistant.
func (q *Request) reply(content value) {
	m := quintain.Message{Role: quintain.RoleAssistant}
	if !content.is('[') {
		m.Content = content.string()
		q.add(m, "")
		return
	}
	var text, reasoning strings.Builder
	anchor := ""
	sign := func(v value) {
		if id := v.string(); anchor == "" && isOurs(id) {
			anchor = id
		}
	}
	content.elements(func(_ int, one value) {
		block := one.fields()
		switch kind := block.get("type").string(); kind {
		case "thinking":
			reasoning.WriteString(block.get("thinking").string())
			sign(block.get("signature"))
		case "redacted_thinking":
			sign(block.get("data"))
		case "tool_use":
			m.ToolCalls = append(m.ToolCalls, toolUse(block))
		default:
			part := block.part()
			if text.WriteString(part.Text); part.Type != quintain.PartText && !one.failed() {
				one.refuse(CodeValue, "want texts, thinking and tool calls in a reply")
			}
		}
	})
	m.Content, m.Reasoning = text.String(), reasoning.String()
	q.add(m, anchor)
}

// toolUse reads a tool call of Messages.
func toolUse(f fields) quintain.ToolCall {
	call := quintain.ToolCall{ID: f.get("id").string(), Name: f.get("name").string()}
	input := f.get("input")
	inner := input.fields()
	if raw := inner.get(rawArguments); len(inner.members) == 1 && raw.is('"') {
		call.Arguments = raw.string()
	} else {
		call.Arguments = cmp.Or(string(input.compact()), "{}")
	}
	if call.Name == "" && !f.failed() {
		f.want("a tool call with a name")
	}
	return call
}

// rawArguments is the member that holds arguments that are no object, because a tool call of
// Messages cannot hold them otherwise.
const rawArguments = "_raw_arguments"

// deepestInput limits the nesting of arguments so that a request with them is not too deep.
const deepestInput = 48

// inputOf writes arguments as the object that Messages wants.
func inputOf(arguments string) []byte {
	text := []byte(strings.Trim(arguments, " \t\r\n"))
	isObject := strictjson.Check(text, deepestInput) == nil && text[0] == '{'
	if isObject && !strings.Contains(arguments, rawArguments) {
		return text
	}
	return write(object{{rawArguments, arguments}})
}
