package toolcall

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// writers write a call as the chat templates of the formats do. Those of tags write
// strings bare, as their templates do.
var writers = map[string]func(calls []quintain.ToolCall) string{
	"hermes": lines("\n", func(c quintain.ToolCall) string {
		return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", c.Name, c.Arguments)
	}),
	"plain": func(calls []quintain.ToolCall) string { return AppendPlain("", calls) },
	"llama3_json": lines("; ", func(c quintain.ToolCall) string {
		return fmt.Sprintf(`{"name": %q, "parameters": %s}`, c.Name, c.Arguments)
	}),
	"mistral": lines("", func(c quintain.ToolCall) string { return "[TOOL_CALLS]" + c.Name + "[ARGS]" + c.Arguments }),
	"deepseek": lines("", func(c quintain.ToolCall) string {
		return deepseekCall + "function" + deepseekSep + c.Name + "\n```json\n" + c.Arguments + "\n```" + deepseekCallEnd
	}),
	"kimi": lines("", func(c quintain.ToolCall) string {
		return kimiCall + "functions." + c.Name + ":0" + kimiArgument + c.Arguments + kimiCallEnd
	}),
	"gpt_oss": lines("<|call|><|start|>assistant", func(c quintain.ToolCall) string {
		return "<|channel|>commentary to=functions." + c.Name + " <|constrain|>json<|message|>" + c.Arguments
	}),
	"qwen3_coder": lines("\n", func(c quintain.ToolCall) string {
		return "<tool_call>\n<function=" + c.Name + ">\n" + tags(c, "<parameter=%s>\n%s\n</parameter>\n") + "</function>\n</tool_call>"
	}),
	"glm": lines("\n", func(c quintain.ToolCall) string {
		return "<tool_call>" + c.Name + "\n" + tags(c, "<arg_key>%s</arg_key>\n<arg_value>%s</arg_value>\n") + "</tool_call>"
	}),
}

func lines(between string, one func(quintain.ToolCall) string) func([]quintain.ToolCall) string {
	return func(list []quintain.ToolCall) string {
		var texts []string
		for _, c := range list {
			texts = append(texts, one(c))
		}
		return strings.Join(texts, between)
	}
}

// tags writes each argument with a format that takes its name and its text.
func tags(c quintain.ToolCall, format string) string {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.Arguments), &object); err != nil {
		panic(err)
	}
	var b strings.Builder
	for _, name := range []string{"city", "days", "near", "at"} {
		if raw, has := object[name]; has {
			text := string(raw)
			if unquoted(text) != "" || text == `""` {
				text = unquoted(text)
			}
			fmt.Fprintf(&b, format, name, text)
		}
	}
	return b.String()
}

func TestWhatTemplatesWriteIsReadBack(t *testing.T) {
	for name, write := range writers {
		format, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			var want []quintain.ToolCall
			for range 1 + r.IntN(3) {
				want = append(want, call("get_weather", drawArguments(r)))
			}
			text := write(want)
			got := format.Parse(text, Context{Tools: json.RawMessage(tools)})
			for i := range got.Calls {
				got.Calls[i].ID = ""
			}
			if got.Malformed || got.Content != "" || !reflect.DeepEqual(values(t, got.Calls), values(t, want)) {
				t.Fatalf("%s: %q is read as %#v", name, text, got)
			}
		}
	}
}

func drawArguments(r *rand.Rand) string {
	text := func() string {
		return []string{"", "Paris", " a\nb ", "日本 😀", `"q" \ </b>`, "12", "null", "</tool_call>", "[1]", "x</parameter>y</arg_value>z"}[r.IntN(9)]
	}
	quote := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(out)
	}
	var parts []string
	for name, value := range map[string]any{
		"city": text(), "days": r.IntN(100) - 50, "near": map[string]any{"a": []any{text(), nil, true, 1.5}}, "at": []any{text(), []any{}},
	} {
		if r.IntN(3) > 0 {
			parts = append(parts, fmt.Sprintf("%q: %s", name, quote(value)))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// values returns names and arguments as values.
func values(t *testing.T, list []quintain.ToolCall) (all []any) {
	t.Helper()
	for _, c := range list {
		var v any
		if err := json.Unmarshal([]byte(c.Arguments), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Name, v)
	}
	return all
}

func TestCallsBeyondTheLimitStayContent(t *testing.T) {
	texts := map[string]string{"pythonic": "[" + strings.Repeat("now(), ", maxCalls+2) + "]", "mistral/array": "[TOOL_CALLS][" + strings.Repeat(`{"name": "now"}, `, maxCalls+2) + "]"}
	many := make([]quintain.ToolCall, maxCalls+2)
	for i := range many {
		many[i] = call("now", "{}")
	}
	for name, write := range writers {
		texts[name] = write(many)
	}
	for name, text := range texts {
		format, err := Named(strings.TrimSuffix(name, "/array"))
		if err != nil {
			t.Fatal(err)
		}
		got := format.Parse(text, Context{Tools: json.RawMessage(tools)})
		if len(got.Calls) != maxCalls || !strings.Contains(got.Why, "more than 128 calls") || !strings.Contains(got.Content, "now") {
			t.Errorf("%s: %d calls, why %q, content %q", name, len(got.Calls), got.Why, got.Content)
		}
	}
}
