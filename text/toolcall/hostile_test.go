package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// FuzzParse: no text makes a format panic or look at it more often than a few times, and
// what the model wrote is in the reply.
func FuzzParse(f *testing.F) {
	for _, list := range readings {
		for _, c := range list {
			f.Add(c.text, c.thinking)
		}
	}
	f.Fuzz(func(t *testing.T, text string, thinking bool) {
		for i, name := range append(Formats(), Formats()...) {
			format, _ := Named(name)
			in := Context{Tools: json.RawMessage(tools), Thinking: thinking, Cut: i >= len(formats)}
			r := format.parse(text, in)
			checkWork(t, format, r)
			checkReply(t, name, text, r.out)
			if out := r.out; !thinking && len(out.Calls) == 0 && out.Content != text && !strings.Contains(text, format.think[0]) {
				t.Errorf("%s: the content of %q is %q", name, text, out.Content)
			}
			if got := format.Parse(text, in); fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", r.out) {
				t.Errorf("%s: read again it is %#v, not %#v", name, got, r.out)
			}
		}
	})
}

func checkWork(t *testing.T, format *Format, r *reader) {
	t.Helper()
	if limit := 16 * (len(r.text) + 1); r.work > limit {
		t.Errorf("%s: looks at %d bytes of a text of %d", format, r.work, len(r.text))
	}
}

// checkReply checks that content and reasoning were written in this order, that calls
// have names that were written, and that arguments are JSON unless the reply says otherwise.
func checkReply(t *testing.T, name, text string, got Reply) {
	t.Helper()
	if len(got.Calls) > maxCalls {
		t.Errorf("%s: %d calls", name, len(got.Calls))
	}
	if !within(got.Content, text) || !within(got.Reasoning, text) {
		t.Errorf("%s: %q was not written in %q", name, got.Content+"|"+got.Reasoning, text)
	}
	for _, c := range got.Calls {
		if c.Name == "" {
			t.Errorf("%s: a call of %q without a name", name, text)
		}
		if !got.Malformed && (!json.Valid([]byte(c.Arguments)) || c.Arguments[0] != '{') {
			t.Errorf("%s: arguments %q of %q, and the reply is not malformed", name, c.Arguments, text)
		}
	}
}

// within reports whether the signs of part, without white space, are in text in their order.
func within(part, text string) bool {
	rest := text
	for _, c := range []byte(part) {
		if unicode.IsSpace(rune(c)) {
			continue
		}
		i := strings.IndexByte(rest, c)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// TestHostileTextsCostLittle: texts that make a careless reader start again and again.
func TestHostileTextsCostLittle(t *testing.T) {
	pieces := []string{
		"<tool_call>", `<tool_call>{"a`, `<tool_call>{", `, `<tool_call>{"name": "f", "arguments": {"a": "`, "</tool_call>", "<tool_call>\n<function=f>\n<parameter=a>", "<function=f><parameter=a></parameter>",
		"</parameter>", "<tool_call>f<arg_key>a</arg_key><arg_value>", "</arg_value>", `{"name": "f", "parameters": {`, `{"name": "f", "parameters": {}};`, "[TOOL_CALLS]", `[TOOL_CALLS][{"name": "f"},`, `[TOOL_CALLS]f[ARGS]{"`,
		deepseekCall, deepseekCall + "f" + deepseekSep, deepseekCall + "function" + deepseekSep, dsmlInvoke, dsmlInvoke + `f">` + dsmlParameter + `a" string="true">`, kimiCall, kimiCall + "f:0" + kimiArgument + `{"`,
		harmonyStart, harmonyChannel, harmonyMessage, harmonyChannel + "final" + harmonyMessage, "[f(a=", "f(a=[", "[f(),", pythonStart, pythonStart + "[f(a='", "[f(a=b), ", "f(a=(), ", `{"name": "f", "parameters": x};`, `{"name": "f", "arguments": {x},`, "<parameter=city>", "<arg_key>city</arg_key><arg_value>", dsmlParameter + `city" string="true">`, "<think>", "[", "{", `"`, `\`, " ", "\n", "(",
	}
	const size = 1 << 15
	for _, name := range Formats() {
		format, _ := Named(name)
		for _, piece := range pieces {
			for _, first := range []string{"", `{"name": "f", "parameters": {"a": "`, "[f(a=1", "[TOOL_CALLS][", kimiSection, "<tool_call>\n<function=f>", "<tool_call>\n<function=get_weather>\n<parameter=days>", "<tool_call>get_weather<arg_key>days</arg_key><arg_value>"} {
				r := format.parse(first+strings.Repeat(piece, size/len(piece)), Context{Tools: json.RawMessage(tools)})
				checkWork(t, format, r)
				if len(r.out.Calls) > maxCalls {
					t.Errorf("%s: %d calls of %q", name, len(r.out.Calls), piece)
				}
			}
		}
	}
}

// TestWhatIsWrittenIsInTheReply: a word anywhere in a reply, even inside a tag, is in the
// reasoning, the content or a call. Harmony's headers, the attributes of DSML and other
// members of a call's object say something about a call, and are not part of it.
func TestWhatIsWrittenIsInTheReply(t *testing.T) {
	const word = "Qq"
	for name, list := range readings {
		format, _ := Named(name)
		for _, c := range list {
			if name == "gpt_oss" || strings.Contains(c.text, "DSML") || strings.Contains(c.text, `"id"`) {
				continue
			}
			for at := range c.text {
				text := c.text[:at] + word + c.text[at:]
				got := format.Parse(text, Context{Tools: json.RawMessage(tools), Thinking: c.thinking})
				said := got.Reasoning + "\n" + got.Content
				for _, call := range got.Calls {
					said += "\n" + call.ID + "\n" + call.Name + "\n" + call.Arguments
				}
				if !strings.Contains(said, word) {
					t.Errorf("%s: %q loses %s: %#v", name, text, word, got)
				}
			}
		}
	}
}
