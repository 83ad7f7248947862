package toolcall

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// plain is our own form, for models whose chat template knows no tools, and for vocabularies
// without a template: each call is a JSON object with name and arguments between <call> and </call>. [Plainly]
// tells a model of it.
var plain = Format{
	name: "plain", think: thinkTags,
	marks: []string{openCall}, read: func(r *reader) { r.each(func() bool { return r.tagged(openCall, closeCall) }) },
}

const openCall, closeCall = "<call>", "</call>"

// Plain is the format plain.
func Plain() *Format {
	f := plain
	return &f
}

// IsPlain reports whether f is the format plain.
func (f *Format) IsPlain() bool { return f != nil && f.name == plain.name }

// AppendPlain appends calls in the form plain to the text of a reply.
func AppendPlain(text string, calls []quintain.ToolCall) string {
	for _, c := range calls {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		one := append(strictjson.AppendLegible([]byte(openCall+`{"name": `), c.Name), `, "arguments": `...)
		if notObject(c.Arguments) == "" {
			one = append(one, c.Arguments...)
		} else {
			one = strictjson.AppendLegible(one, c.Arguments)
		}
		text += string(one) + "}" + closeCall
	}
	return text
}

// Plainly writes a conversation with tools for a model that knows none: it describes the tools in
// the first message, calls are text of the assistant, and a user says their results. Messages
// of the same tools give the same messages, whatever follows them.
func Plainly(tools json.RawMessage, talk []quintain.Message) []quintain.Message {
	all := make([]quintain.Message, 0, len(talk))
	for i, m := range talk {
		switch {
		case i == 0 && len(tools) > 0:
			m.Content, m.Parts = describe(m, string(tools)), nil
		case m.Role == quintain.RoleTool:
			result := "<result>\n" + m.Text() + "\n</result>"
			if last := len(all) - 1; i > 0 && talk[i-1].Role == quintain.RoleTool {
				all[last].Content += "\n" + result
				continue
			}
			m = quintain.Message{Role: quintain.RoleUser, Content: result}
		case len(m.ToolCalls) > 0:
			m.Content, m.Parts, m.ToolCalls = AppendPlain(m.Text(), m.ToolCalls), nil, nil
		}
		all = append(all, m)
	}
	return all
}

// describe is the text of a first message with tools: after one of the system, before any other.
func describe(first quintain.Message, tools string) string {
	text := "You can call these tools:\n\n" + tools + "\n\nTo call one, write its name and its arguments as a JSON object:\n\n" +
		openCall + `{"name": "NAME", "arguments": {}}` + closeCall + "\n\nEnd your reply after your calls; you then get the results."
	if first.Role == quintain.RoleSystem {
		return first.Text() + "\n\n" + text
	}
	return text + "\n\n" + first.Text()
}
