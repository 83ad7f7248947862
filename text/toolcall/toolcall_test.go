package toolcall

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A reading is a text and what it says.
type reading struct {
	why      string // the rule that the case shows
	text     string
	thinking bool
	cut      bool // a limit cut it
	want     Reply
}

// tools are those of the readings: get_weather has typed parameters, now has none.
const tools = `[{"type": "function", "function": {"name": "get_weather", "description": "", "parameters": {"type": "object", "properties": {
	"city": {"type": "string"}, "days": {"type": "integer"}, "wind": {"type": "boolean"}, "near": {"type": "object"}, "at": {"type": "array"},
	"limit": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "unit": {"enum": ["C", "F"]}, "share": {"type": ["number", "string"]}, "any": {}}}}},
	{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]`

func call(name, arguments string) quintain.ToolCall {
	return quintain.ToolCall{Name: name, Arguments: arguments}
}

func calls(list ...quintain.ToolCall) []quintain.ToolCall { return list }

func TestFormatsReadWhatModelsWrite(t *testing.T) {
	for name, list := range readings {
		format, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			t.Run(name+"/"+c.why, func(t *testing.T) {
				got := format.Parse(c.text, Context{Tools: json.RawMessage(tools), Thinking: c.thinking, Cut: c.cut})
				if got.Malformed != (got.Why != "") {
					t.Errorf("malformed is %v, but why is %q", got.Malformed, got.Why)
				}
				if !strings.Contains(got.Why, c.want.Why) || (got.Why == "") != (c.want.Why == "") {
					t.Errorf("why is %q, want %q", got.Why, c.want.Why)
				}
				c.want.Malformed, c.want.Why, c.want.Thought = got.Malformed, got.Why, got.Thought
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("%q:\n got %#v\nwant %#v", c.text, got, c.want)
				}
			})
		}
	}
}

func TestEveryFormatHasReadings(t *testing.T) {
	for _, name := range Formats() {
		if len(readings[name]) == 0 {
			t.Errorf("%s has none", name)
		}
	}
}

func TestAnUnknownFormatIsRefusedWithTheNearest(t *testing.T) {
	if _, err := Named("hermas"); err == nil || !strings.Contains(err.Error(), "hermes") {
		t.Errorf("got %v", err)
	}
}

func TestTemplatesSayTheirFormat(t *testing.T) {
	for template, want := range map[string]string{
		"{{ messages }}": "none",
		"{% for m in messages %}<tool_call>\n{{ m }}":     "hermes",
		"<tool_call>\n<function=":                         "qwen3_coder",
		"<tool_call>{{ name }}<arg_key>":                  "glm",
		"[AVAILABLE_TOOLS] … [TOOL_CALLS]":                "mistral",
		"<｜tool▁calls▁begin｜>":                            "deepseek",
		"<｜DSML｜function_calls>":                          "deepseek",
		"<|tool_calls_section_begin|><|tool_call_begin|>": "kimi",
		"<|channel|>analysis<|message|>":                  "gpt_oss",
		"<|python_tag|>":                                  "llama3_json",
		`Respond in the format {"name": function name, "parameters": …}<|python_start|>`: "llama3_json",
		"[func_name1(params_name1=params_value1)]":                                       "pythonic",
	} {
		if got := Detect(template).String(); got != want {
			t.Errorf("%q is %s, want %s", template, got, want)
		}
	}
}
