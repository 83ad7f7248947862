package calls

import (
	"strings"

	"github.com/quintain-rl/quintain"
)

var (
	paris = call("get_weather", `{"city": "Paris"}`)
	now   = call("now", "{}")
)

// readings are by format.
var readings = map[string][]reading{
	"none": {
		{why: "text is content, untouched", text: "\n a <tool_call>\n", want: Reply{Content: "\n a <tool_call>\n"}},
		{why: "thinking is cut off", text: "<think>\nHm.\n</think>\n\nYes.", want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "thinking may begin in the prompt", text: "Hm.\n</think>\n\nYes.", thinking: true, want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "a model may open what the prompt opened", text: "<think>Hm.</think>Yes.", thinking: true, want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "thinking without end is all there is", text: "<think>Hm", want: Reply{Reasoning: "Hm"}},
		{why: "thinking is only at the beginning", text: "a <think>b</think>", want: Reply{Content: "a <think>b</think>"}},
		{why: "the first end counts", text: "<think>a</think>b</think>c", want: Reply{Reasoning: "a", Content: "b</think>c"}},
		{why: "nothing is nothing", text: ""},
	},
	"hermes": {
		{why: "a call", text: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>", want: Reply{Calls: calls(paris)}},
		{
			why: "thinking, content and two calls", text: "<think>\nHm.\n</think>\n\nI look.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"arguments\": {\"city\": \"Paris\"}, \"name\": \"get_weather\"}\n</tool_call>\nDone.",
			want: Reply{Reasoning: "Hm.", Content: "I look.\nDone.", Calls: calls(now, paris)},
		},
		{why: "a call in thinking is none", text: "<think>I write <tool_call>{\"name\": \"now\"}</tool_call></think>No.", want: Reply{Reasoning: `I write <tool_call>{"name": "now"}</tool_call>`, Content: "No."}},
		{why: "an unknown tool is passed on", text: `<tool_call>{"name": "nope", "arguments": {"a": 1}}</tool_call>`, want: Reply{Calls: calls(call("nope", `{"a": 1}`))}},
		{why: "arguments stay as they are written", text: `<tool_call>{"name":"f","arguments":{"b":1.50,"a":"\u00e9 </tool_call>\\"}}</tool_call>`, want: Reply{Calls: calls(call("f", `{"b":1.50,"a":"\u00e9 </tool_call>\\"}`))}},
		{why: "no arguments are an empty object", text: `<tool_call>{"name": "now"}</tool_call>`, want: Reply{Calls: calls(now)}},
		{why: "other members are no arguments", text: `<tool_call>{"name": "f", "args": {"a": 1}}</tool_call>`, want: Reply{Calls: calls(call("f", `{"name": "f", "args": {"a": 1}}`)), Why: "it has no arguments"}},
		{why: "arguments may be the text of an object", text: `<tool_call>{"name": "f", "arguments": "{\"a\": 1}"}</tool_call>`, want: Reply{Calls: calls(call("f", `{"a": 1}`))}},
		{why: "arguments are an object", text: `<tool_call>{"name": "f", "arguments": [1]}</tool_call>`, want: Reply{Calls: calls(call("f", "[1]")), Why: "not a JSON object"}},
		{why: "the last end may be missing", text: `<tool_call>{"name": "now", "arguments": {}}`, want: Reply{Calls: calls(now)}},
		{why: "the end may be missing before another call", text: `<tool_call>{"name": "now"}<tool_call>{"name": "now"}</tool_call>`, want: Reply{Calls: calls(now, now)}},
		{why: "broken arguments are passed on", text: "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1,}}</tool_call> ok", want: Reply{Content: " ok", Calls: calls(call("f", `{"a": 1,}}`)), Why: "call 1: invalid JSON at byte 46"}},
		{why: "a missing brace leaves the arguments", text: `<tool_call>{"name": "f", "arguments": {"a": 1}</tool_call>`, want: Reply{Calls: calls(call("f", `{"a": 1}`)), Why: "invalid JSON"}},
		{why: "a brace too many is in the arguments", text: `<tool_call>{"name": "f", "arguments": {"a": 1}}}</tool_call>`, want: Reply{Calls: calls(call("f", `{"a": 1}}}`)), Why: "invalid JSON"}},
		{why: "cut arguments are passed on", text: `<tool_call>{"name": "f", "arguments": {"a": "x`, want: Reply{Calls: calls(call("f", `{"a": "x`)), Why: "the JSON ends early"}},
		{why: "a call without a name stays content", text: "a <tool_call>\nf(1)\n</tool_call> b", want: Reply{Content: "a <tool_call>\nf(1)\n</tool_call> b", Why: "want a JSON object"}},
		{why: "after a broken call others are read", text: `<tool_call>oops</tool_call><tool_call>{"name": "now"}</tool_call>`, want: Reply{Content: "<tool_call>oops</tool_call>", Calls: calls(now), Why: "want a JSON object"}},
		{why: "a line end in a string is broken JSON", text: "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\"}}</tool_call>", want: Reply{Calls: calls(call("f", "{\"a\": \"x\ny\"}}")), Why: "invalid JSON"}},
		{why: "depth has a limit", text: `<tool_call>{"name": "f", "arguments": {"a": ` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}}</tool_call>", want: Reply{Calls: calls(call("f", `{"a": `+strings.Repeat("[", 64)+strings.Repeat("]", 64)+"}}")), Why: "deeper than 64"}},
	},
	"qwen3_coder": {
		{
			why: "types come from the schema", text: "I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\n12\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=wind>\nTrue\n</parameter>\n<parameter=near>\n{\"a\": [1]}\n</parameter>\n<parameter=at>\n['x', None]\n</parameter>\n</function>\n</tool_call>",
			want: Reply{Content: "I look.", Calls: calls(call("get_weather", `{"city": "12", "days": 3, "wind": true, "near": {"a": [1]}, "at": ["x", null]}`))},
		},
		{why: "one newline at each side is no text", text: "<tool_call>\n<function=get_weather>\n<parameter=city>\n\n a <b> \"c\"\\n\n\n</parameter>\n</function>\n</tool_call>", want: Reply{Calls: calls(call("get_weather", `{"city": "\n a <b> \"c\"\\n\n"}`))}},
		{why: "a text may hold the closing tag", text: "<tool_call>\n<function=get_weather>\n<parameter=city>\n</parameter> x\n</parameter>\n</function>\n</tool_call>", want: Reply{Calls: calls(call("get_weather", `{"city": "</parameter> x"}`))}},
		{why: "a broken end makes the number a text", text: "<tool_call><function=get_weather><parameter=days>3</parameter><par=x>5</parameter></function></tool_call>", want: Reply{Calls: calls(call("get_weather", `{"days": "3</parameter><par=x>5"}`)), Why: "argument days is not of type integer"}},
		{why: "no arguments are an empty object", text: "<tool_call>\n<function=now>\n</function>\n</tool_call>", want: Reply{Calls: calls(now)}},
		{why: "another type is passed on as text", text: "<tool_call><function=get_weather><parameter=days>two</parameter></function></tool_call>", want: Reply{Calls: calls(call("get_weather", `{"days": "two"}`)), Why: "argument days is not of type integer"}},
		{why: "a union takes what the text looks like", text: "<tool_call><function=get_weather><parameter=limit>null</parameter><parameter=share>0.5</parameter><parameter=unit>C</parameter></function></tool_call>", want: Reply{Calls: calls(call("get_weather", `{"limit": null, "share": 0.5, "unit": "C"}`))}},
		{why: "without a schema a number is a text", text: "<tool_call><function=nope><parameter=a>5</parameter><parameter=b>{\"x\": 1}</parameter></function></tool_call>", want: Reply{Calls: calls(call("nope", `{"a": "5", "b": {"x": 1}}`))}},
		{why: "the outer tag may be missing", text: "a\n<function=now>\n</function>\n</tool_call>\nb", want: Reply{Content: "a\nb", Calls: calls(now)}},
		{why: "a cut call is passed on as written", text: "<tool_call>\n<function=get_weather>\n<parameter=city>\nPar", want: Reply{Calls: calls(call("get_weather", "<parameter=city>\nPar")), Why: "a parameter has no end"}},
		{why: "a parameter twice is a fault", text: "<tool_call><function=f><parameter=a>x</parameter><parameter=a>y</parameter></function></tool_call>", want: Reply{Calls: calls(call("f", "<parameter=a>x</parameter><parameter=a>y</parameter></function>")), Why: "parameter a is written twice"}},
		{why: "without a function it stays content", text: "<tool_call>\n{}\n</tool_call>", want: Reply{Content: "<tool_call>\n{}\n</tool_call>", Why: "want <function="}},
	},
	"llama3_json": {
		{why: "the reply is a call", text: `{"name": "get_weather", "parameters": {"city": "Paris"}}`, want: Reply{Calls: calls(paris)}},
		{why: "several, with semicolons", text: `{"name": "now", "parameters": {}}; {"name": "get_weather", "parameters": {"city": "Paris"}}`, want: Reply{Calls: calls(now, paris)}},
		{why: "the tag may stand before", text: `<|python_tag|>{"name": "now", "parameters": {}}`, want: Reply{Calls: calls(now)}},
		{why: "content before the tag is kept", text: `I look. <|python_tag|>{"name": "now", "parameters": {}}`, want: Reply{Content: "I look. ", Calls: calls(now)}},
		{why: "text after the call is kept", text: `{"name": "now", "parameters": {}} ok`, want: Reply{Content: " ok", Calls: calls(now)}},
		{why: "built-in tools look like Python", text: `<|python_tag|>brave_search.call(query="a \"b\"")`, want: Reply{Calls: calls(call("brave_search", `{"query": "a \"b\""}`))}},
		{why: "other JSON is an answer", text: `{"answer": 4}`, want: Reply{Content: `{"answer": 4}`}},
		{why: "JSON with a name is an answer without parameters", text: `{"name": "Ann"}`, want: Reply{Content: `{"name": "Ann"}`}},
		{why: "JSON within a text is content", text: `As in {"name": "now", "parameters": {}}.`, want: Reply{Content: `As in {"name": "now", "parameters": {}}.`}},
		{why: "cut parameters are passed on", text: `{"name": "get_weather", "parameters": {"city": "Pa`, want: Reply{Calls: calls(call("get_weather", `{"city": "Pa`)), Why: "the JSON ends early"}},
		{why: "what breaks before the parameters is passed on whole", text: `{"name": "now", "parameters": {}}; {"name": "f", "b", "parameters": {}}`, want: Reply{Calls: calls(now, call("f", `{"name": "f", "b", "parameters": {}}`)), Why: "call 2: invalid JSON"}},
		{why: "code behind the tag stays content", text: "<|python_tag|>print(1)", want: Reply{Content: "<|python_tag|>print(1)", Why: "want a JSON object"}},
	},
	"mistral": {
		{why: "a list of objects", text: `[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "abcdefghi"}, {"name": "now", "arguments": {}}]`, want: Reply{Calls: calls(quintain.ToolCall{ID: "abcdefghi", Name: "get_weather", Arguments: `{"city": "Paris"}`}, now)}},
		{why: "names and arguments", text: `I look.[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]get_weather[CALL_ID]abc[ARGS]{"city": "Paris"}`, want: Reply{Content: "I look.", Calls: calls(now, quintain.ToolCall{ID: "abc", Name: "get_weather", Arguments: `{"city": "Paris"}`})}},
		{why: "a name may hold odd signs", text: `[TOOL_CALLS]a[b]{}`, want: Reply{Calls: calls(call("a[b]", "{}"))}},
		{why: "a name right before the arguments", text: `[TOOL_CALLS]now{}`, want: Reply{Calls: calls(now)}},
		{why: "thinking has its own tags", text: `[THINK]Hm.[/THINK]Yes.`, want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "a cut list", text: `[TOOL_CALLS][{"name": "now", "arguments": {}}, {"name": "f", "arguments": {"a"`, want: Reply{Calls: calls(now, call("f", `{"a"`)), Why: "call 2: the JSON ends early"}},
		{why: "a broken element stays content", text: `[TOOL_CALLS][{"name": "now", "arguments": {}}, 5]`, want: Reply{Content: "5]", Calls: calls(now), Why: "call 2: want a JSON object"}},
		{why: "broken arguments are passed on", text: `[TOOL_CALLS]f[ARGS]{"a": }[TOOL_CALLS]now[ARGS]{}`, want: Reply{Calls: calls(call("f", `{"a": }`), now), Why: "arguments of f"}},
		{why: "a tag alone stays content", text: "a[TOOL_CALLS]b", want: Reply{Content: "a[TOOL_CALLS]b", Why: "want a name"}},
	},
	"deepseek": {
		{why: "V3: a code block", text: "I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Paris\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", want: Reply{Content: "I look.", Calls: calls(paris, now)}},
		{why: "V3.1: name and arguments", text: "<think>Hm.</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Paris\"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", want: Reply{Reasoning: "Hm.", Calls: calls(paris, now)}},
		{why: "a tool may be called function", text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", want: Reply{Calls: calls(call("function", "{}"))}},
		{
			why:  "V3.2: tags with types",
			text: "I look.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\"> 1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"now\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
			want: Reply{Content: "I look.", Calls: calls(call("get_weather", `{"city": " 1", "days": 3}`), now)},
		},
		{why: "a cut call", text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":", want: Reply{Calls: calls(call("f", `{"a":`)), Why: "arguments of f"}},
		{why: "a section without a call stays content", text: "a<｜tool▁calls▁begin｜>b", want: Reply{Content: "a<｜tool▁calls▁begin｜>b", Why: "want <｜tool▁call▁begin｜>"}},
		{why: "a value that says JSON and is not", text: "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" string=\"false\">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>", want: Reply{Calls: calls(call("f", `{"a": "x"}`)), Why: "a is not JSON"}},
	},
	"glm": {
		{why: "4.5: lines", text: "I look.\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>", want: Reply{Content: "I look.", Calls: calls(call("get_weather", `{"city": "Paris", "days": 3}`), now)}},
		{why: "4.7: no lines", text: "<think>Hm.</think><tool_call>get_weather<arg_key>city</arg_key><arg_value>\nParis </arg_value></tool_call><tool_call>now</tool_call>", want: Reply{Reasoning: "Hm.", Calls: calls(call("get_weather", `{"city": "\nParis "}`), now)}},
		{why: "a text may hold the closing tag", text: "<tool_call>get_weather<arg_key>city</arg_key><arg_value></arg_value>x</arg_value></tool_call>", want: Reply{Calls: calls(call("get_weather", `{"city": "</arg_value>x"}`))}},
		{why: "a cut call is passed on as written", text: "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Par", want: Reply{Calls: calls(call("get_weather", "<arg_key>city</arg_key>\n<arg_value>Par")), Why: "an argument has no end"}},
		{why: "a call in JSON is none", text: `<tool_call>{"name": "now"}</tool_call>`, want: Reply{Content: `<tool_call>{"name": "now"}</tool_call>`, Why: "want a function's name"}},
	},
	"kimi": {
		{why: "the model writes IDs", text: "I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Paris\"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", want: Reply{Content: "I look.", Calls: calls(quintain.ToolCall{ID: "functions.get_weather:0", Name: "get_weather", Arguments: `{"city": "Paris"}`}, quintain.ToolCall{ID: "functions.now:1", Name: "now", Arguments: "{}"})}},
		{why: "a name alone is no ID", text: "<|tool_calls_section_begin|><|tool_call_begin|>now<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", want: Reply{Calls: calls(now)}},
		{why: "a cut call", text: "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a", want: Reply{Calls: calls(quintain.ToolCall{ID: "functions.f:0", Name: "f", Arguments: `{"a`}), Why: "arguments of f"}},
		{why: "a call without arguments stays content", text: "<|tool_call_begin|>functions.f:0", want: Reply{Content: "<|tool_call_begin|>functions.f:0", Why: "want an ID"}},
	},
	"gpt_oss": {
		{why: "channels", text: "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "a call", text: "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Paris\"}", want: Reply{Reasoning: "Hm.", Calls: calls(paris)}},
		{why: "the recipient may come first", text: " to=functions.now<|channel|>commentary json<|message|>{}<|call|>", want: Reply{Calls: calls(now)}},
		{why: "a preamble is content", text: "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.now<|channel|>commentary<|message|>{}", want: Reply{Content: "I look.", Calls: calls(now)}},
		{why: "another recipient keeps its name", text: "<|channel|>analysis to=python code<|message|>print(1)", want: Reply{Calls: calls(call("python", "print(1)")), Why: "arguments of python"}},
		{why: "the prompt may have begun the analysis", text: "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", thinking: true, want: Reply{Reasoning: "Hm.", Content: "Yes."}},
		{why: "arguments may hold an end in a string", text: "<|channel|>commentary to=functions.f<|message|>{\"a\": \"<|end|>\"}<|call|>", want: Reply{Calls: calls(call("f", `{"a": "<|end|>"}`))}},
		{why: "text without channels is content", text: " Yes.", want: Reply{Content: " Yes."}},
		{why: "a header without a message stays content", text: "<|channel|>final<|message|>Yes.<|end|><|start|>assistant", want: Reply{Content: "Yes.\n<|start|>assistant", Why: "without a header"}},
		{why: "cut arguments are passed on", text: "<|channel|>commentary to=functions.f<|message|>{\"a\"", want: Reply{Calls: calls(call("f", `{"a"`)), Why: "arguments of f"}},
	},
	"pythonic": {
		{why: "a list of calls", text: `[get_weather(city="Paris"), now()]`, want: Reply{Calls: calls(paris, now)}},
		{why: "literals become JSON", text: `[f(a=-1.5, b=[True, None, 'x\'y'], c={"k": ("t", 1)}, d="""é"""),]`, want: Reply{Calls: calls(call("f", `{"a": -1.5, "b": [true, null, "x'y"], "c": {"k": ["t", 1]}, "d": "é"}`))}},
		{why: "Llama 4 has tags", text: "I look.<|python_start|>[now()]<|python_end|>", want: Reply{Content: "I look.", Calls: calls(now)}},
		{why: "a list is no call", text: "[1, 2]", want: Reply{Content: "[1, 2]"}},
		{why: "a formula is no call", text: "[f(x)] = 2", want: Reply{Content: "[f(x)] = 2"}},
		{why: "broken arguments are passed on", text: `[f(a=1, b=`, want: Reply{Calls: calls(call("f", "a=1, b=")), Why: "invalid arguments"}},
		{why: "a call in thinking is none", text: "<think>[now()]</think>[now()]", want: Reply{Reasoning: "[now()]", Calls: calls(now)}},
	},
}
