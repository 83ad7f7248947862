package exact_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
)

// What a template drops of a message is an error that names it.
func TestDroppedPiecesAreErrors(t *testing.T) {
	t.Parallel()
	const (
		onlyText = `{% for m in messages %}[{{ m.role }}]{{ m.content if m.content is string else '' }}{% endfor %}`
		parts    = `{% for m in messages %}[{{ m.role }}]{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}`
		firstOne = `{% for m in messages %}[{{ m.role }}]{{ m.content if m.content is string else m.content[0].text }}{% endfor %}`
		noTools  = `{% for m in messages if m.role != 'tool' %}[{{ m.role }}]{{ m.content }}{% endfor %}`
		quoted   = `{% for m in messages %}[{{ m.role }}]{{ m.content | trim | tojson }}{% endfor %}`
		short    = `{% for m in messages %}[{{ m.role }}]{{ m.content[:40] }}{% endfor %}`
		calls    = `{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}{{ tools }}`
		oneCall  = `{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% if m.tool_calls %}{{ m.tool_calls[0].function.name }}{% endif %}{% endfor %}{{ tools }}`
		noWords  = `{% for m in messages %}[{{ m.role }}]{% if m.tool_calls %}{% for c in m.tool_calls %}{{ c | tojson }}{% endfor %}{% else %}{{ m.content }}{% endif %}{% endfor %}{{ tools }}`
		thoughts = `{% for m in messages %}[{{ m.role }}]{{ m.content.split('</think>')[-1] }}{% endfor %}`
		strict   = `{% for m in messages %}{{ m.content if m.content in ['hi', ''] else raise_exception('no') }}{% endfor %}`
	)
	long := strings.Repeat("a long text ", 9)
	say := func(role string, texts ...string) quintain.Message {
		if len(texts) == 1 {
			return quintain.Message{Role: role, Content: texts[0]}
		}
		m := quintain.Message{Role: role}
		for _, text := range texts {
			m.Parts = append(m.Parts, quintain.Part{Type: quintain.PartText, Text: text})
		}
		return m
	}
	call := func(content string, names ...string) quintain.Message {
		m := quintain.Message{Role: quintain.RoleAssistant, Content: content}
		for i, name := range names {
			m.ToolCalls = append(m.ToolCalls, quintain.ToolCall{ID: fmt.Sprint(i), Name: name, Arguments: fmt.Sprintf(`{"a": %d}`, i)})
		}
		return m
	}
	for _, test := range []struct {
		why, template string
		talk          []quintain.Message
		field, says   string // empty: no error
	}{
		{"a short text", onlyText, []quintain.Message{say("user", "a")}, "", ""},
		{"nothing", onlyText, []quintain.Message{say("user", ""), say("user", " \n")}, "", ""},
		{"parts, for a template of texts", onlyText, []quintain.Message{say("user", "hi"), say("user", "a", "b")}, "messages[1].content[0]", `the text "a" of the role user`},
		{"parts of a tool's result", onlyText, []quintain.Message{say("user", "hi"), say("tool", long, "b")}, "messages[1].content[0]", "of the role tool"},
		{"parts, for one of parts", parts, []quintain.Message{say("user", "a", "b"), say("tool", long, "b")}, "", ""},
		{"the second part", firstOne, []quintain.Message{say("user", long, "b")}, "messages[0].content[1]", `the text "b"`},
		{"a part that stands elsewhere", firstOne, []quintain.Message{say("user", long, long)}, "messages[0].content[1]", "a long text"},
		{"tools' results", noTools, []quintain.Message{say("user", "hi"), say("tool", "22"), say("user", "22")}, "messages[1]", `the text "22" of the role tool`},
		{"in quotes", quoted, []quintain.Message{say("user", " \"hi\"\n"), say("tool", long+"\n\""+long)}, "", ""},
		{"the end of a text", short, []quintain.Message{say("user", "hi"), say("user", long)}, "messages[1]", "the text"},
		{"calls without names", calls, []quintain.Message{say("user", "hi"), call("", "f", "g"), say("tool", "1")}, "", ""},
		{"the second call", oneCall, []quintain.Message{say("user", "hi"), call("", "f", "f")}, "messages[1]", `the call of "f" of the role assistant`},
		{"all calls", onlyText + "{{ tools }}", []quintain.Message{say("user", "hi"), call("so", "f")}, "messages[1]", `the call of "f"`},
		{"words beside a call", noWords, []quintain.Message{say("user", "hi"), call("I look", "f")}, "messages[1]", `the text "I look"`},
		{"thoughts of earlier replies", thoughts, []quintain.Message{say("user", "hi"), say("assistant", "<think>hm</think>yes"), say("user", "so?")}, "", ""},
		{"thoughts alone", thoughts, []quintain.Message{say("user", "hi"), say("assistant", "<think>hm</think>"), say("user", "so?")}, "", ""},
		{"a template that takes no marks", strict, []quintain.Message{say("user", "hi")}, "", ""},
	} {
		_, err := chat(t, test.template).Render(quintain.Request{Messages: test.talk, N: 1})
		lost, ok := errors.AsType[*policy.UnreadError](err)
		if ok != (test.field != "") || !ok && err != nil || ok && (lost.Field() != test.field || !strings.Contains(lost.Why, test.says) || !errors.Is(err, quintain.ErrFinal)) {
			t.Errorf("%s: %v, want %s: %s", test.why, err, test.field, test.says)
		}
	}
}

// A policy that gets tokens reads no images, wherever they stand; texts in parts are read by all.
func TestImagesAreNotRead(t *testing.T) {
	t.Parallel()
	image := quintain.Part{Type: "image_url", Raw: []byte(`{"type":"image_url","image_url":{"url":"data:x"}}`)}
	text := quintain.Part{Type: quintain.PartText, Text: "What is this?"}
	for _, role := range []string{quintain.RoleUser, quintain.RoleTool} {
		p := exact.New(nil, exact.Bytes{})
		_, err := p.Sample(t.Context(), quintain.Request{N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "hi"}, {Role: role, Parts: []quintain.Part{text, image}}}})
		lost, ok := errors.AsType[*policy.UnreadError](err)
		if !ok || lost.Field() != "messages[1].content[1]" || !errors.Is(err, quintain.ErrFinal) {
			t.Errorf("%s: error %v", role, err)
		}
	}
	read, err := exact.Bytes{}.Render(quintain.Request{N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Parts: []quintain.Part{text, text}}}})
	if err != nil || !strings.Contains(read.Text, "What is this?What is this?") {
		t.Errorf("%q, error %v", read.Text, err)
	}
}
