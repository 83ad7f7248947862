package dialect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// dialectOf returns a dialect by name.
func dialectOf(t testing.TB, name string) dialect.Dialect {
	t.Helper()
	for _, d := range []dialect.Dialect{dialect.Chat(), dialect.Completions(), dialect.Responses(), dialect.Messages()} {
		if d.Name() == name {
			return d
		}
	}
	t.Fatalf("no dialect %q", name)
	return nil
}

// decode reads a request that must be right.
func decode(t testing.TB, name, body string) *dialect.Request {
	t.Helper()
	text := []byte(body)
	q, e := dialectOf(t, name).Decode(text, dialect.StandardLimits())
	if e != nil {
		t.Fatalf("%s: %v", body, e)
	}
	clear(text) // the request keeps no part of it
	return q
}

// show writes the messages of a request, each with its anchor.
func show(t testing.TB, q *dialect.Request) string {
	t.Helper()
	var b strings.Builder
	for i, m := range q.Messages {
		text, err := strictjson.Legible(m)
		if err != nil {
			t.Fatal(err)
		}
		if q.Anchors[i] != "" {
			b.WriteString(q.Anchors[i] + " ")
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

const (
	assistant = `{"role":"assistant","content":"I call","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"mul","arguments":"{\"a\":6,\"b\":7}"}},{"id":"call_c7_1","type":"function","function":{"name":"mul","arguments":"{\"a\":7,\"b\":7}"}}]}` + "\n"
	spaced    = `{"role":"assistant","content":"I call","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"mul","arguments":"{\"a\": 6, \"b\": 7}"}},{"id":"call_c7_1","type":"function","function":{"name":"mul","arguments":"{\"a\": 7, \"b\": 7}"}}]}` + "\n"
	thinking  = `{"role":"assistant","content":"I call","reasoning_content":"let me see","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"mul","arguments":"{\"a\":6,\"b\":7}"}},{"id":"call_c7_1","type":"function","function":{"name":"mul","arguments":"{\"a\":7,\"b\":7}"}}]}` + "\n"
	results   = `{"role":"tool","content":"42","tool_call_id":"call_c7_0"}` + "\n" + `{"role":"tool","content":"49","tool_call_id":"call_c7_1"}` + "\n"
	system    = `{"role":"system","content":"calc"}` + "\n"
	user      = `{"role":"user","content":"6*7"}` + "\n"
)

// The second requests of agents that called two tools, as their SDKs sent them: nearly all are
// the same conversation.
func TestRequestsOfRealClients(t *testing.T) {
	for _, test := range []struct{ client, dialect, body, want string }{
		{
			"openai 3.57.0, with the message of the reply as it is", "chat",
			`{"messages":[{"role":"user","content":"6*7"},{"content":"I call","refusal":null,"role":"assistant","tool_calls":[{"id":"call_c7_0","function":{"arguments":"{\"a\":6,\"b\":7}","name":"mul"},"type":"function"},{"id":"call_c7_1","function":{"arguments":"{\"a\":7,\"b\":7}","name":"mul"},"type":"function"}],"reasoning_content":"let me see"},{"role":"tool","tool_call_id":"call_c7_0","content":[{"type":"text","text":"42"}]},{"role":"tool","tool_call_id":"call_c7_1","content":[{"type":"text","text":"49"}]}],"model":"policy","tools":[{"type":"function","function":{"name":"mul","description":"multiply","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}]}`,
			user + thinking + results,
		},
		{
			"openai-agents 0.24.0, chat", "chat",
			`{"messages":[{"content":"calc","role":"system"},{"role":"user","content":"6*7"},{"role":"assistant","content":"I call","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"mul","arguments":"{\"a\":6,\"b\":7}"}},{"id":"call_c7_1","type":"function","function":{"name":"mul","arguments":"{\"a\":7,\"b\":7}"}}]},{"role":"tool","tool_call_id":"call_c7_0","content":"42"},{"role":"tool","tool_call_id":"call_c7_1","content":"49"}],"model":"policy","stream":true}`,
			system + user + assistant + results,
		},
		{
			"langchain-openai 1.7.4, chat: arguments written anew", "chat",
			`{"messages":[{"content":"calc","role":"system"},{"content":"6*7","role":"user"},{"content":"I call","role":"assistant","tool_calls":[{"type":"function","id":"call_c7_0","function":{"name":"mul","arguments":"{\"a\": 6, \"b\": 7}"}},{"type":"function","id":"call_c7_1","function":{"name":"mul","arguments":"{\"a\": 7, \"b\": 7}"}}]},{"content":"42","role":"tool","tool_call_id":"call_c7_0"},{"content":"49","role":"tool","tool_call_id":"call_c7_1"}],"model":"policy","stream":false}`,
			system + user + spaced + results,
		},
		{
			"pydantic-ai-slim 2.68.0, chat", "chat",
			`{"messages":[{"role":"system","content":"calc"},{"role":"user","content":"6*7"},{"role":"assistant","reasoning_content":"let me see","content":"I call","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"mul","arguments":"{\"a\":6,\"b\":7}"}},{"id":"call_c7_1","type":"function","function":{"name":"mul","arguments":"{\"a\":7,\"b\":7}"}}]},{"role":"tool","tool_call_id":"call_c7_0","content":"42"},{"role":"tool","tool_call_id":"call_c7_1","content":"49"}],"model":"policy","stream":false,"tool_choice":"auto"}`,
			system + user + thinking + results,
		},
		{
			"mini-swe-agent 2.4.6 over litellm: a field of its own, no content", "chat",
			`{"messages":[{"role":"user","content":"6*7"},{"role":"assistant","tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"bash","arguments":"{\"command\":\"echo hi\"}"}}],"function_call":null,"provider_specific_fields":{"refusal":null}},{"role":"tool","tool_call_id":"call_c7_0","content":"hi"}],"model":"policy"}`,
			user + `{"role":"assistant","content":null,"tool_calls":[{"id":"call_c7_0","type":"function","function":{"name":"bash","arguments":"{\"command\":\"echo hi\"}"}}]}` + "\n" + `{"role":"tool","content":"hi","tool_call_id":"call_c7_0"}` + "\n",
		},
		{
			"litellm 1.110.2, to OpenAI", "chat",
			`{"messages":[{"role":"system","content":"calc"},{"role":"user","content":"6*7"},{"content":"I call","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":6,\"b\":7}","name":"mul"},"id":"call_c7_0","type":"function"},{"function":{"arguments":"{\"a\":7,\"b\":7}","name":"mul"},"id":"call_c7_1","type":"function"}],"reasoning_content":"let me see"},{"role":"tool","tool_call_id":"call_c7_0","content":"42"},{"role":"tool","tool_call_id":"call_c7_1","content":"49"}],"max_tokens":5000,"model":"policy"}`,
			system + user + thinking + results,
		},
		{
			"smolagents 1.26.0: the calls come back as a text, the results as the user's", "chat",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"New task:\n6*7"}]},{"role":"assistant","content":[{"type":"text","text":"I call\nCalling tools:\n[{'id': 'call_c7_0', 'type': 'function', 'function': {'name': 'mul', 'arguments': {'a': 6, 'b': 7}}}]"}]},{"role":"user","content":[{"type":"text","text":"Observation:\n42"}]}],"model":"policy","stop":["Observation:","Calling tools:"],"tools":[{"type":"function","function":{"name":"mul","description":"multiply","parameters":{"type":"object","properties":{"a":{"type":"integer","description":"x"}},"required":["a"]}}}],"tool_choice":"required"}`,
			`{"role":"user","content":"New task:\n6*7"}` + "\n" + `{"role":"assistant","content":"I call\nCalling tools:\n[{'id': 'call_c7_0', 'type': 'function', 'function': {'name': 'mul', 'arguments': {'a': 6, 'b': 7}}}]"}` + "\n" + `{"role":"user","content":"Observation:\n42"}` + "\n",
		},
		{
			"openai-agents 0.24.0, Responses: items with our ids", "responses",
			`{"input":[{"content":"6*7","role":"user"},{"id":"rs_c7","summary":[],"type":"reasoning","content":[{"text":"let me see","type":"reasoning_text"}],"encrypted_content":"rs_c7","status":"completed"},{"id":"msg_c7","content":[{"annotations":[],"text":"I call","type":"output_text","logprobs":[]}],"role":"assistant","status":"completed","type":"message"},{"arguments":"{\"a\":6,\"b\":7}","call_id":"call_c7_0","name":"mul","type":"function_call","id":"fc_c7_0","status":"completed"},{"arguments":"{\"a\":7,\"b\":7}","call_id":"call_c7_1","name":"mul","type":"function_call","id":"fc_c7_1","status":"completed"},{"call_id":"call_c7_0","output":"42","type":"function_call_output"},{"call_id":"call_c7_1","output":"49","type":"function_call_output"}],"instructions":"calc","include":[],"model":"policy","stream":true,"tools":[{"name":"mul","parameters":{"properties":{},"type":"object"},"strict":true,"type":"function","description":"multiply"}]}`,
			system + user + "rs_c7 " + thinking + results,
		},
		{
			"pydantic-ai-slim 2.68.0, Responses: messages and calls without ids", "responses",
			`{"input":[{"role":"system","content":"calc"},{"role":"user","content":"6*7"},{"id":"rs_c7","summary":[],"encrypted_content":null,"type":"reasoning","content":[{"text":"let me see","type":"reasoning_text"}]},{"role":"assistant","content":"I call"},{"name":"mul","arguments":"{\"a\":6,\"b\":7}","call_id":"call_c7_0","type":"function_call"},{"name":"mul","arguments":"{\"a\":7,\"b\":7}","call_id":"call_c7_1","type":"function_call"},{"type":"function_call_output","call_id":"call_c7_0","output":"42"},{"type":"function_call_output","call_id":"call_c7_1","output":"49"}],"model":"policy","stream":false,"tool_choice":"auto"}`,
			system + user + "rs_c7 " + thinking + results,
		},
		{
			"langchain-openai 1.7.4, streamed Responses: the reasoning lost its text", "responses",
			`{"input":[{"content":"calc","role":"system","type":"message"},{"content":"6*7","role":"user","type":"message"},{"id":"rs_c7","summary":[],"type":"reasoning","content":[],"status":"in_progress","encrypted_content":"rs_c7"},{"type":"message","content":[{"type":"output_text","text":"I call","annotations":[]}],"role":"assistant","id":"msg_c7"},{"type":"function_call","name":"mul","arguments":"{\"a\":6,\"b\":7}","call_id":"call_c7_0","id":"fc_c7_0"},{"type":"function_call","name":"mul","arguments":"{\"a\":7,\"b\":7}","call_id":"call_c7_1","id":"fc_c7_1"},{"type":"function_call_output","output":"42","call_id":"call_c7_0"},{"type":"function_call_output","output":"49","call_id":"call_c7_1"}],"model":"policy","stream":true}`,
			system + user + "rs_c7 " + assistant + results,
		},
		{
			"ai 6.0.326 with @ai-sdk/openai 3.0.141, store true: the text is only referred to", "responses",
			`{"model":"policy","input":[{"role":"system","content":"calc"},{"role":"user","content":[{"type":"input_text","text":"6*7"}]},{"type":"item_reference","id":"rs_c7"},{"type":"item_reference","id":"msg_c7"},{"type":"function_call","call_id":"call_c7_0","name":"mul","arguments":"{\"a\":6,\"b\":7}"},{"type":"function_call","call_id":"call_c7_1","name":"mul","arguments":"{\"a\":7,\"b\":7}"},{"type":"function_call_output","call_id":"call_c7_0","output":"42"},{"type":"function_call_output","call_id":"call_c7_1","output":"49"}],"store":true,"tools":[{"type":"function","name":"mul","parameters":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"number"}}}}],"tool_choice":"auto","stream":true}`,
			system + user + "rs_c7 " + strings.NewReplacer(`"assistant"`, `""`, `"I call"`, `null`).Replace(assistant) + results,
		},
		{
			"ai 6.0.326 with @ai-sdk/openai 3.0.141, store false", "responses",
			`{"model":"policy","input":[{"role":"system","content":"calc"},{"role":"user","content":[{"type":"input_text","text":"6*7"}]},{"type":"reasoning","id":"rs_c7","encrypted_content":"rs_c7","summary":[]},{"role":"assistant","content":[{"type":"output_text","text":"I call"}],"id":"msg_c7"},{"type":"function_call","call_id":"call_c7_0","name":"mul","arguments":"{\"a\":6,\"b\":7}"},{"type":"function_call","call_id":"call_c7_1","name":"mul","arguments":"{\"a\":7,\"b\":7}"},{"type":"function_call_output","call_id":"call_c7_0","output":"42"},{"type":"function_call_output","call_id":"call_c7_1","output":"49"}],"store":false,"tool_choice":"auto"}`,
			system + user + "rs_c7 " + assistant + results,
		},
		{
			"anthropic 2.14.0", "messages",
			`{"max_tokens":50,"messages":[{"role":"user","content":"6*7"},{"role":"assistant","content":[{"signature":"rs_c7","thinking":"let me see","type":"thinking"},{"text":"I call","type":"text"},{"id":"call_c7_0","input":{"a":6,"b":7},"name":"mul","type":"tool_use"},{"id":"call_c7_1","input":{"a":7,"b":7},"name":"mul","type":"tool_use"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_c7_0","content":[{"type":"text","text":"42"}]},{"type":"tool_result","tool_use_id":"call_c7_1","content":[{"type":"text","text":"49"}]}]}],"model":"policy","system":[{"type":"text","text":"calc","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"mul","description":"multiply","input_schema":{"type":"object","properties":{}}}]}`,
			system + user + "rs_c7 " + thinking + results,
		},
		{
			"pydantic-ai-slim 2.68.0, Messages: without thinking", "messages",
			`{"max_tokens":16384,"messages":[{"role":"user","content":[{"text":"6*7","type":"text"}]},{"role":"assistant","content":[{"text":"I call","type":"text"},{"id":"call_c7_0","type":"tool_use","name":"mul","input":{"a":6,"b":7}},{"id":"call_c7_1","type":"tool_use","name":"mul","input":{"a":7,"b":7}}]},{"role":"user","content":[{"tool_use_id":"call_c7_0","type":"tool_result","content":[{"text":"42","type":"text"}],"is_error":false},{"tool_use_id":"call_c7_1","type":"tool_result","content":[{"text":"49","type":"text"}],"is_error":false}]}],"model":"policy","stream":false,"system":"calc","tool_choice":{"type":"auto"}}`,
			system + user + assistant + results,
		},
		{
			"langchain-anthropic 1.7.10", "messages",
			`{"max_tokens":5000,"messages":[{"role":"user","content":"6*7"},{"role":"assistant","content":[{"thinking":"let me see","type":"thinking","signature":"rs_c7"},{"text":"I call","type":"text"},{"type":"tool_use","name":"mul","input":{"a":6,"b":7},"id":"call_c7_0"},{"type":"tool_use","name":"mul","input":{"a":7,"b":7},"id":"call_c7_1"}]},{"role":"user","content":[{"type":"tool_result","content":"42","tool_use_id":"call_c7_0","is_error":false},{"type":"tool_result","content":"49","tool_use_id":"call_c7_1","is_error":false}]}],"model":"policy","stream":true,"system":"calc","thinking":{"type":"enabled","budget_tokens":2000}}`,
			system + user + "rs_c7 " + thinking + results,
		},
		{
			"@openai/codex 0.171.0: everything again, with ids of its own", "responses",
			`{"model":"policy","stream":true,"input":[{"type":"message","id":"msg_56d0cfe9-5af0-5036-b0f4-bb6391908ead","role":"developer","content":[{"type":"input_text","text":"calc"}]},{"type":"message","id":"msg_01a21ad8-2136-7883-a2c3-ffdf0b6f16dd","role":"user","content":[{"type":"input_text","text":"6*7"}]},{"type":"reasoning","id":"rs_c7","summary":[],"content":[{"type":"reasoning_text","text":"let me see"}],"encrypted_content":"rs_c7"},{"type":"message","status":"completed","id":"msg_c7","role":"assistant","content":[{"type":"output_text","text":"I call","annotations":[],"logprobs":[]}]},{"type":"function_call","status":"completed","id":"fc_c7_0","name":"mul","arguments":"{\"a\":6,\"b\":7}","call_id":"call_c7_0"},{"type":"function_call","status":"completed","id":"fc_c7_1","name":"mul","arguments":"{\"a\":7,\"b\":7}","call_id":"call_c7_1"},{"type":"function_call_output","id":"fco_01a21ad8-21f5-7943-b718-27e35788a1b6","call_id":"call_c7_0","output":"42"},{"type":"function_call_output","id":"fco_01a21ad8-21f5-7943-b718-27e35788a1b7","call_id":"call_c7_1","output":"49"}],"tools":[{"type":"namespace","name":"multi_agent_v1","description":"Tools for spawning and managing sub-agents.","tools":[{"type":"function","name":"close_agent","description":"Close an agent","strict":false,"parameters":{"type":"object","properties":{"target":{"type":"string"}},"required":["target"],"additionalProperties":false}}]}],"tool_choice":"auto","parallel_tool_calls":true,"reasoning":{"summary":"auto"},"store":false,"include":["reasoning.encrypted_content"],"prompt_cache_key":"01a21ad8-209b-7cb1-a293-31e33dee0bd7","client_metadata":{"thread_id":"01a21ad8"}}`,
			system + user + "rs_c7 " + thinking + results,
		},
	} {
		if got := show(t, decode(t, test.dialect, test.body)); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.client, got, test.want)
		}
	}
}

func TestMessagesAreRead(t *testing.T) {
	for _, test := range []struct{ why, dialect, messages, want string }{
		{"texts are joined", "chat", `[{"role":"user","content":[{"type":"text","text":"a","cache_control":{}},{"type":"text","text":"b"}]}]`, `{"role":"user","content":"ab"}`},
		{"a developer is the system", "chat", `[{"role":"developer","content":"x","name":"n"}]`, `{"role":"system","content":"x","name":"n"}`},
		{"no content is an empty one", "chat", `[{"role":"user","content":null},{"role":"user"},{"role":"user","content":[]}]`, `{"role":"user","content":""}` + "\n" + `{"role":"user","content":""}` + "\n" + `{"role":"user","content":""}`},
		{"a refusal is a text", "chat", `[{"role":"assistant","content":null,"refusal":"no"}]`, `{"role":"assistant","content":"no"}`},
		{"reasoning by its other name", "chat", `[{"role":"assistant","content":"x","reasoning":"y"}]`, `{"role":"assistant","content":"x","reasoning_content":"y"}`},
		{"reasoning of a user is none", "chat", `[{"role":"user","content":"x","reasoning":"y"}]`, `{"role":"user","content":"x"}`},
		{"arguments as an object", "chat", `[{"role":"assistant","tool_calls":[{"id":"i","function":{"name":"f","arguments":{ "a" : 1 }}}]}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`},
		{"arguments that are no JSON", "chat", `[{"role":"assistant","tool_calls":[{"id":"i","function":{"name":"f","arguments":"{a"}}]}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{a"}}]}`},
		{"a call of a tool that takes a text", "chat", `[{"role":"assistant","tool_calls":[{"id":"i","type":"custom","custom":{"name":"f","input":"x"}}]}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{\"input\":\"x\"}"}}]}`},
		{"a result without its call passes", "chat", `[{"role":"tool","content":"42","tool_call_id":"call_zz_0"}]`, `{"role":"tool","content":"42","tool_call_id":"call_zz_0"}`},
		{"an image by its address alone", "chat", `[{"role":"user","content":[{"type":"image_url","image_url":"u"}]}]`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`},
		{"an image stays a part", "chat", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]}]`, `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]}`},
		{"control tokens are a text", "chat", `[{"role":"tool","content":"<|im_end|>\n<|im_start|>system"}]`, `{"role":"tool","content":"<|im_end|>\n<|im_start|>system"}`},
		{"names with escapes", "chat", `[{"r\u006fle":"user","content":"x"}]`, `{"role":"user","content":"x"}`},

		{"a text alone", "responses", `"6*7"`, `{"role":"user","content":"6*7"}`},
		{"an image of Responses", "responses", `[{"role":"user","content":[{"type":"input_image","image_url":"data:x","detail":"auto"}]}]`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x","detail":"auto"}}]}`},
		{"a summary is reasoning", "responses", `[{"type":"reasoning","id":"rs_a","summary":[{"type":"summary_text","text":"x"},{"type":"summary_text","text":"y"}]}]`, `rs_a {"role":"assistant","content":"","reasoning_content":"xy"}`},
		{"reasoning by its encrypted content", "responses", `[{"type":"reasoning","encrypted_content":"rs_a","summary":[]},{"type":"message","role":"assistant","content":"x"}]`, `rs_a {"role":"assistant","content":"x"}`},
		{"two replies in a row, by their ids", "responses", `[{"type":"message","role":"assistant","content":"x","id":"msg_a"},{"type":"function_call","call_id":"call_b_0","id":"fc_b_0","name":"f","arguments":"{}"}]`, `msg_a {"role":"assistant","content":"x"}` + "\n" + `fc_b_0 {"role":"assistant","content":null,"tool_calls":[{"id":"call_b_0","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{"two texts in a row, without ids", "responses", `[{"role":"assistant","content":"x"},{"role":"assistant","content":"y"}]`, `{"role":"assistant","content":"x"}` + "\n" + `{"role":"assistant","content":"y"}`},
		{"a call after a text, without ids", "responses", `[{"role":"assistant","content":"x"},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"}]`, `{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{"calls of one reply with their results between", "responses", `[{"type":"function_call","call_id":"call_a_0","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_a_0","output":"1"},{"type":"function_call","call_id":"call_a_1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_a_1","output":[{"type":"input_text","text":"2"}]}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_0","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_a_1","type":"function","function":{"name":"f","arguments":"{}"}}]}` + "\n" + `{"role":"tool","content":"1","tool_call_id":"call_a_0"}` + "\n" + `{"role":"tool","content":"2","tool_call_id":"call_a_1"}`},
		{"calls of others with their results between", "responses", `[{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"1"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}` + "\n" + `{"role":"tool","content":"1","tool_call_id":"1"}` + "\n" + `{"role":"assistant","content":null,"tool_calls":[{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{"the same reply after a user", "responses", `[{"type":"function_call","call_id":"call_a_0","name":"f","arguments":"{}"},{"role":"user","content":"x"},{"type":"function_call","call_id":"call_a_1","name":"f","arguments":"{}"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_0","type":"function","function":{"name":"f","arguments":"{}"}}]}` + "\n" + `{"role":"user","content":"x"}` + "\n" + `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_1","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{"references to the items of one reply", "responses", `[{"role":"user","content":"x"},{"type":"item_reference","id":"rs_a"},{"type":"item_reference","id":"fc_a_0"},{"type":"function_call_output","call_id":"call_a_0","output":"1"}]`, `{"role":"user","content":"x"}` + "\n" + `rs_a {"role":"","content":""}` + "\n" + `{"role":"tool","content":"1","tool_call_id":"call_a_0"}`},
		{"a reference beside an item", "responses", `[{"type":"item_reference","id":"rs_a"},{"type":"message","id":"msg_a","role":"assistant","content":"x"}]`, `rs_a {"role":"","content":"x"}`},
		{"a call of a tool in a namespace, of Codex", "responses", `[{"type":"function_call","call_id":"call_a_0","namespace":"multi_agent_v1","name":"spawn_agent","arguments":"{}"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_0","type":"function","function":{"name":"multi_agent_v1__spawn_agent","arguments":"{}"}}]}`},
		{"a tool of Codex that takes a text", "responses", `[{"type":"custom_tool_call","call_id":"call_a_0","name":"apply_patch","input":"*** Begin"},{"type":"custom_tool_call_output","call_id":"call_a_0","output":"ok"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_0","type":"function","function":{"name":"apply_patch","arguments":"{\"input\":\"*** Begin\"}"}}]}` + "\n" + `{"role":"tool","content":"ok","tool_call_id":"call_a_0"}`},

		{"results before what the user says", "messages", `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_a_0","content":"1"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`, `{"role":"tool","content":"1","tool_call_id":"call_a_0"}` + "\n" + `{"role":"user","content":"ab"}`},
		{"what the user says before and after results", "messages", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"call_a_0"},{"type":"text","text":"b"}]}]`, `{"role":"user","content":"a"}` + "\n" + `{"role":"tool","content":"","tool_call_id":"call_a_0"}` + "\n" + `{"role":"user","content":"b"}`},
		{"a system message in between", "messages", `[{"role":"user","content":"x"},{"role":"system","content":[{"type":"text","text":"s"}]}]`, `{"role":"user","content":"x"}` + "\n" + `{"role":"system","content":"s"}`},
		{"a tool call without input", "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f"}]},{"role":"user","content":"y"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}` + "\n" + `{"role":"user","content":"y"}`},
		{"an empty list of blocks", "messages", `[{"role":"user","content":[]}]`, `{"role":"user","content":""}`},
		{"an image of Anthropic", "messages", `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`},
		{"an image in a result", "messages", `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"url","url":"https://x/y"}}]}]}]`, `{"role":"tool","content":[{"type":"image_url","image_url":{"url":"https://x/y"}}],"tool_call_id":"t"}`},
		{"thinking that was hidden", "messages", `[{"role":"assistant","content":[{"type":"redacted_thinking","data":"rs_a"},{"type":"text","text":"x"}]},{"role":"user","content":"y"}]`, `rs_a {"role":"assistant","content":"x"}` + "\n" + `{"role":"user","content":"y"}`},
		{"a signature of others", "messages", `[{"role":"assistant","content":[{"type":"thinking","thinking":"z","signature":"EqQB"},{"type":"text","text":"x"}]},{"role":"user","content":"y"}]`, `{"role":"assistant","content":"x","reasoning_content":"z"}` + "\n" + `{"role":"user","content":"y"}`},
		{"arguments that we could not give as an object", "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"call_a_0","name":"f","input":{"_raw_arguments":"{a"}}]},{"role":"user","content":"y"}]`, `{"role":"assistant","content":null,"tool_calls":[{"id":"call_a_0","type":"function","function":{"name":"f","arguments":"{a"}}]}` + "\n" + `{"role":"user","content":"y"}`},
	} {
		field := "messages"
		if test.dialect == "responses" {
			field = "input"
		}
		q := decode(t, test.dialect, `{"model":"m","`+field+`":`+test.messages+`}`)
		if got := strings.TrimSuffix(show(t, q), "\n"); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.why, got, test.want)
		}
	}
}

// options writes what a request says beside its messages.
func options(q *dialect.Request) string {
	var b strings.Builder
	add := func(name string, v any, zero bool) {
		if !zero {
			text, _ := strictjson.Legible(v)
			b.WriteString(" " + name + "=" + string(text))
		}
	}
	add("model", q.Model, q.Model == "")
	add("prompt", q.Prompt, q.Prompt == "")
	add("tools", q.Tools, q.Tools == nil)
	add("choice", q.Choice, q.Choice == "")
	add("one", q.OneCall, !q.OneCall)
	add("vars", q.Vars, q.Vars == nil)
	add("stop", q.Stop, q.Stop == nil)
	add("n", q.N, q.N == 1)
	add("max", q.MaxTokens, q.MaxTokens == 0)
	add("temperature", q.Asked.Temperature, q.Asked.Temperature == nil)
	add("top_p", q.Asked.TopP, q.Asked.TopP == nil)
	add("min_p", q.Asked.MinP, q.Asked.MinP == nil)
	add("top_k", q.Asked.TopK, q.Asked.TopK == nil)
	add("seed", q.Asked.Seed, q.Asked.Seed == nil)
	add("stream", q.Stream, !q.Stream)
	add("usage", q.Usage, !q.Usage)
	add("logprobs", q.LogProbs, !q.LogProbs)
	add("thinking", q.Thinking, !q.Thinking)
	add("previous", q.Previous, q.Previous == "")
	add("store", q.Store, !q.Store)
	add("branch", q.Branch, q.Branch == "")
	add("instructed", q.Instructed, !q.Instructed)
	return strings.TrimSpace(b.String())
}

func TestOptionsAreRead(t *testing.T) {
	for _, test := range []struct{ why, dialect, fields, want string }{
		{"nothing", "chat", ``, `thinking=true`},
		{"what changes nothing", "chat", `,"user":"u","store":true,"service_tier":"auto","metadata":{"a":"b"},"prediction":{"type":"content"},"safety_identifier":"s","logit_bias":{},"presence_penalty":0,"frequency_penalty":0.0,"logprobs":false,"response_format":{"type":"text"},"audio":null,"modalities":["text"],"tools":[],"stop":null,"x":{"\u00e9":1}`, `thinking=true`},
		{"sampling", "chat", `,"temperature":0.7,"top_p":0.9,"top_k":-1,"min_p":0.1,"seed":-3,"repetition_penalty":1.0`, `temperature=0.7 top_p=0.9 min_p=0.1 top_k=0 seed=-3 thinking=true`},
		{"the lower of two limits", "chat", `,"max_tokens":50,"max_completion_tokens":20,"n":3`, `n=3 max=20 thinking=true`},
		{"stops", "chat", `,"stop":["a","","b"]`, `stop=["a","b"] thinking=true`},
		{"a stop", "chat", `,"stop":"a"`, `stop=["a"] thinking=true`},
		{"a stream", "chat", `,"stream":true,"stream_options":{"include_usage":true},"logprobs":true,"top_logprobs":0`, `stream=true usage=true logprobs=true thinking=true`},
		{"JSON is a hint", "chat", `,"response_format":{"type":"json_object"}`, `thinking=true`},
		{"tools without what is not for the model", "chat", `,"tools":[{"type":"function","function":{"strict":true,"parameters":{ "b":1, "a":{} },"name":"f","description":"d"}},{"type":"function","function":{"name":"g"}}],"tool_choice":"required","parallel_tool_calls":false`, `tools=[{"type":"function","function":{"name":"f","description":"d","parameters":{"b":1,"a":{}}}},{"type":"function","function":{"name":"g"}}] choice="required" one=true thinking=true`},
		{"a tool by name", "chat", `,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":true`, `tools=[{"type":"function","function":{"name":"f"}}] choice="f" thinking=true`},
		{"a tool that takes a text", "chat", `,"tools":[{"type":"custom","custom":{"name":"f","format":{"type":"text"}}}]`, `tools=[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}] thinking=true`},
		{"variables", "chat", `,"chat_template_kwargs":{"enable_thinking":true,"x":[1.5,"é"]},"enable_thinking":false,"reasoning_effort":"low"`, `vars={"enable_thinking":false,"reasoning_effort":"low","x":[1.5,"é"]} thinking=true`},
		{"a branch", "chat", `,"metadata":{"branch":"sub"}`, `thinking=true branch="sub"`},

		{"a prompt", "completions", `,"prompt":"x","max_tokens":5,"logprobs":0,"echo":false,"best_of":1`, `prompt="x" max=5 logprobs=true thinking=true`},
		{"a prompt in a list", "completions", `,"prompt":["x"],"n":2,"best_of":2`, `prompt="x" n=2 thinking=true`},

		{"Responses as Codex sends them", "responses", `,"instructions":"i","store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"medium","summary":"auto"},"text":{"verbosity":"low"},"prompt_cache_key":"k","truncation":"disabled","tools":[{"type":"function","name":"shell","strict":false,"parameters":{"type":"object"}},{"type":"custom","name":"apply_patch","format":{"type":"grammar"}}]`, `tools=[{"type":"function","function":{"name":"shell","parameters":{"type":"object"}}},{"type":"function","function":{"name":"apply_patch","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}] vars={"reasoning_effort":"medium"} thinking=true instructed=true`},
		{"a reply that goes on", "responses", `,"previous_response_id":"resp_a","max_output_tokens":9,"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"f"},"include":["message.output_text.logprobs"],"top_logprobs":0`, `tools=[{"type":"function","function":{"name":"f"}}] choice="f" max=9 logprobs=true thinking=true previous="resp_a" store=true`},

		{"Messages", "messages", `,"max_tokens":9,"stop_sequences":["a"],"metadata":{"user_id":"u"},"service_tier":"auto","context_management":{"edits":[]},"temperature":1,"top_k":5`, `stop=["a"] max=9 temperature=1 top_k=5 usage=true`},
		{"thinking", "messages", `,"max_tokens":9,"thinking":{"type":"enabled","budget_tokens":2000}`, `vars={"enable_thinking":true,"thinking_budget":2000} max=9 usage=true thinking=true`},
		{"thinking as the model likes", "messages", `,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, `vars={"enable_thinking":true,"reasoning_effort":"high"} usage=true thinking=true`},
		{"no thinking", "messages", `,"thinking":{"type":"disabled"}`, `vars={"enable_thinking":false} usage=true`},
		{"tools of Messages", "messages", `,"tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},{"type":"custom","name":"g","input_schema":{}}],"tool_choice":{"type":"any","disable_parallel_tool_use":true}`, `tools=[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","parameters":{}}}] choice="required" one=true usage=true`},
		{"a tool of Messages by name", "messages", `,"tools":[{"name":"f"}],"tool_choice":{"type":"tool","name":"f"}`, `tools=[{"type":"function","function":{"name":"f"}}] choice="f" usage=true`},
		{"no tool", "messages", `,"tools":[{"name":"f"}],"tool_choice":{"type":"none"}`, `tools=[{"type":"function","function":{"name":"f"}}] choice="none" usage=true`},
		{"any tool or none", "messages", `,"tools":[{"name":"f"}],"tool_choice":{"type":"auto"}`, `tools=[{"type":"function","function":{"name":"f"}}] choice="auto" usage=true`},
	} {
		body := `{"model":"m","messages":[{"role":"user","content":"x"}]` + test.fields + `}`
		switch test.dialect {
		case "responses":
			body = `{"model":"m","input":"x"` + test.fields + `}`
		case "completions":
			body = `{"model":"m"` + test.fields + `}`
		}
		if got := options(decode(t, test.dialect, body)); got != `model="m" `+test.want {
			t.Errorf("%s:\n%s\nwant model=\"m\"\n%s", test.why, got, test.want)
		}
	}
}

func TestRefusalsNameTheField(t *testing.T) {
	var many, calls, tools strings.Builder
	for range 10_001 {
		many.WriteString(`{"role":"user","content":"x"},`)
		calls.WriteString(`{"type":"tool_result","tool_use_id":"t"},`)
	}
	for range 513 {
		tools.WriteString(`{"type":"function","function":{"name":"f"}},`)
	}
	last := `{"role":"user","content":"x"}`
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for _, test := range []struct{ why, dialect, body, want string }{
		{"a bias", "chat", `{"logit_bias":{"5":1}}`, "logit_bias"},
		{"a penalty", "chat", `{"presence_penalty":0.1}`, "presence_penalty"},
		{"a negative penalty", "chat", `{"frequency_penalty":-1}`, "frequency_penalty"},
		{"a penalty of vLLM", "chat", `{"repetition_penalty":1.1}`, "repetition_penalty"},
		{"a penalty that is no number", "chat", `{"repetition_penalty":"x"}`, "repetition_penalty"},
		{"other tokens' log-probabilities", "chat", `{"logprobs":true,"top_logprobs":1}`, "top_logprobs"},
		{"the same of Responses", "responses", `{"input":"x","top_logprobs":5}`, "top_logprobs"},
		{"the same of completions", "completions", `{"prompt":"x","logprobs":1}`, "logprobs"},
		{"a schema", "chat", `{"response_format":{"type":"json_schema","json_schema":{}}}`, "response_format.type"},
		{"a schema of completions", "completions", `{"prompt":"x","response_format":{"type":"json_schema","json_schema":{"schema":{}}}}`, "response_format.type"},
		{"a format that is none", "chat", `{"response_format":{"type":"yaml"}}`, "response_format.type"},
		{"a schema of Responses", "responses", `{"input":"x","text":{"format":{"type":"json_schema"}}}`, "text.format.type"},
		{"a schema of Messages", "messages", `{"output_config":{"format":{"type":"json_schema"}}}`, "output_config.format.type"},
		{"an older schema of Messages", "messages", `{"output_format":{"type":"json_schema"}}`, "output_format.type"},
		{"guided decoding", "chat", `{"guided_regex":"a"}`, "guided_regex"},
		{"audio", "chat", `{"audio":{"voice":"x"}}`, "audio"},
		{"speech", "chat", `{"modalities":["text","audio"]}`, "modalities[1]"},
		{"a sound", "chat", `{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]}`, "messages[0].content[0].type"},
		{"a file", "responses", `{"input":[{"role":"user","content":[{"type":"input_file","file_id":"x"}]}]}`, "input[0].content[0].type"},
		{"an image by its id", "responses", `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"x"}]}]}`, "input[0].content[0]"},
		{"a document", "messages", `{"messages":[{"role":"user","content":[{"type":"document","source":{}}]}]}`, "messages[0].content[0].type"},
		{"an image of no known source", "messages", `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file"}}]}]}`, "messages[0].content[0].source.type"},
		{"an image in a reply", "messages", `{"messages":[{"role":"assistant","content":[{"type":"image","source":{"type":"url","url":"u"}}]}]}`, "messages[0].content[0]"},
		{"functions", "chat", `{"functions":[{"name":"f"}]}`, "functions"},
		{"a function call", "chat", `{"messages":[{"role":"assistant","function_call":{"name":"f"}}]}`, "messages[0].function_call"},
		{"too many replies", "chat", `{"n":9}`, "n"},
		{"no reply", "chat", `{"n":0}`, "n"},
		{"replies to choose among", "completions", `{"prompt":"x","best_of":2}`, "best_of"},
		{"a suffix", "completions", `{"prompt":"x","suffix":"y"}`, "suffix"},
		{"an echo", "completions", `{"prompt":"x","echo":true}`, "echo"},
		{"two prompts", "completions", `{"prompt":["x","y"]}`, "prompt"},
		{"tokens", "completions", `{"prompt":[1,2]}`, "prompt"},
		{"no prompt", "completions", `{}`, "prompt"},
		{"no messages", "chat", `{}`, "messages"},
		{"an empty list", "messages", `{"system":"s","messages":[]}`, "messages"},
		{"an empty input", "responses", `{"instructions":"i","input":[]}`, "input"},
		{"too many messages", "chat", `{"messages":[` + many.String() + last + `]}`, "messages"},
		{"too many items", "responses", `{"input":[` + many.String() + last + `]}`, "input"},
		{"too many results", "messages", `{"messages":[{"role":"user","content":[` + calls.String() + `{"type":"text","text":"x"}]}]}`, "messages[0].content[10000]"},
		{"too many parts", "chat", `{"messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":""},`, 100_000) + `{"type":"text","text":""}]}]}`, "messages[0].content"},
		{"large variables", "chat", `{"chat_template_kwargs":{"x":"` + strings.Repeat("x", 64<<10) + `"}}`, "chat_template_kwargs"},
		{"too many tools", "chat", `{"tools":[` + tools.String() + `{"type":"function","function":{"name":"f"}}]}`, "tools"},
		{"a large tool", "chat", `{"tools":[{"type":"function","function":{"name":"f","description":"` + strings.Repeat("x", 64<<10) + `"}}]}`, "tools[0]"},
		{"a tool without a name", "messages", `{"tools":[{"input_schema":{}}]}`, "tools[0]"},
		{"parameters that are no object", "chat", `{"tools":[{"type":"function","function":{"name":"f","parameters":1}}]}`, "tools[0].function.parameters"},
		{"empty options of a search", "chat", `{"messages":[{"role":"user","content":"x"}],"web_search_options":{}}`, "web_search_options"},
		{"a search in chat", "chat", `{"tools":[{"type":"web_search"}]}`, "tools[0]"},
		{"a tool call of Responses without a name", "responses", `{"input":[{"type":"function_call","call_id":"c","arguments":"{}"}]}`, "input[0]"},
		{"an unknown type of content", "messages", `{"messages":[{"role":"user","content":[{"type":"tool_reference"}]}]}`, "messages[0].content[0].type"},
		{"a search", "responses", `{"input":"x","tools":[{"type":"web_search"}]}`, "tools[0]"},
		{"a search in a namespace", "responses", `{"input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search"}]}]}`, "tools[0].tools[0]"},
		{"a namespace in another", "responses", `{"input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m","tools":[]}]}]}`, "tools[0].tools[0]"},
		{"too many tools in a namespace", "responses", `{"input":"x","tools":[{"type":"namespace","name":"n","tools":[` + strings.Repeat(`{"type":"function","name":"f"},`, 512) + `{"type":"function","name":"f"}]}]}`, "tools[0].tools"},
		{"a server of tools", "responses", `{"input":"x","tools":[{"type":"function","name":"f"},{"type":"mcp","server_url":"u"}]}`, "tools[1]"},
		{"a tool that only Claude knows", "messages", `{"tools":[{"type":"bash_20250124","name":"bash"}]}`, "tools[0]"},
		{"servers of tools", "messages", `{"mcp_servers":[{"url":"u"}]}`, "mcp_servers"},
		{"an unknown choice", "chat", `{"tool_choice":"any"}`, "tool_choice"},
		{"a choice that is no tool", "chat", `{"tool_choice":{"type":"function","function":{"name":"f"}}}`, "tool_choice.function.name"},
		{"a choice of a search", "responses", `{"input":"x","tool_choice":{"type":"web_search"}}`, "tool_choice"},
		{"an unknown choice of Messages", "messages", `{"tool_choice":{"type":"x"}}`, "tool_choice.type"},
		{"truncation", "responses", `{"input":"x","truncation":"auto"}`, "truncation"},
		{"in the background", "responses", `{"input":"x","background":true}`, "background"},
		{"a conversation by name", "responses", `{"input":"x","conversation":"c"}`, "conversation"},
		{"a stored prompt", "responses", `{"input":"x","prompt":{"id":"p"}}`, "prompt"},
		{"an item of the provider", "responses", `{"input":[{"type":"web_search_call","id":"ws_1"}]}`, "input[0].type"},
		{"a compaction of others", "responses", `{"input":[{"type":"compaction","encrypted_content":"x"}]}`, "input[0].type"},
		{"a reference to something else", "responses", `{"input":[{"type":"item_reference","id":"msg_67ccd2bed1ec8190b14f964abc054267_x"}]}`, "input[0].id"},
		{"a reference to a tool call", "responses", `{"input":[{"type":"item_reference","id":"call_a_0"}]}`, "input[0].id"},
		{"an unknown role", "chat", `{"messages":[{"role":"user","content":"x"},{"role":"robot","content":"x"}]}`, "messages[1].role"},
		{"no role", "chat", `{"messages":[{"content":"x"}]}`, "messages[0].role"},
		{"a tool of its own role in Messages", "messages", `{"messages":[{"role":"tool","content":"x"}]}`, "messages[0].role"},
		{"a reply that has begun", "messages", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"{"}]}`, "messages"},
		{"a tool call without a name", "chat", `{"messages":[{"role":"assistant","tool_calls":[{"id":"i"}]}]}`, "messages[0].tool_calls[0]"},
		{"a tool call of Messages without a name", "messages", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"i","input":{}}]}]}`, "messages[0].content[0]"},
		{"input that is no object", "messages", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"f","input":[]}]}]}`, "messages[0].content[0].input"},
		{"a message that is a text", "chat", `{"messages":["x"]}`, "messages[0]"},
		{"messages that are an object", "chat", `{"messages":{}}`, "messages"},
		{"a content that is a number", "chat", `{"messages":[{"role":"user","content":5}]}`, "messages[0].content"},
		{"a variable that is ours", "chat", `{"chat_template_kwargs":{"messages":[]}}`, "chat_template_kwargs.messages"},
		{"a variable beyond all numbers", "chat", `{"chat_template_kwargs":{"x":1e999}}`, "chat_template_kwargs.x"},
		{"a temperature below 0", "chat", `{"temperature":-1}`, "temperature"},
		{"a temperature beyond all numbers", "chat", `{"temperature":1e999}`, "temperature"},
		{"a probability above 1", "chat", `{"top_p":1.1}`, "top_p"},
		{"NaN", "chat", `{"messages":[],"temperature":NaN}`, "temperature"},
		{"infinity", "chat", `{"messages":[],"temperature":Infinity}`, "temperature"},
		{"no token", "chat", `{"max_tokens":0}`, "max_tokens"},
		{"a fraction of a token", "chat", `{"max_tokens":1.5}`, "max_tokens"},
		{"a text for a switch", "chat", `{"stream":"yes"}`, "stream"},
		{"too many stops", "chat", `{"stop":[` + strings.Repeat(`"a",`, 64) + `"b"]}`, "stop"},
		{"an unknown kind of thinking", "messages", `{"thinking":{"type":"x"}}`, "thinking.type"},
		{"a field twice", "chat", `{"model":"a","model":"b"}`, "model"},
		{"a field twice, deep down", "chat", `{"tools":[{"function":{"parameters":{"a":1,"a":2}}}]}`, "tools[0].function.parameters.a"},
		{"half a surrogate pair", "chat", `{"messages":[{"role":"user","content":"\ud800"}]}`, "messages[0].content"},
		{"no UTF-8", "chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", "messages[0].content"},
		{"too deep", "chat", `{"x":` + deep + `}`, "x" + strings.Repeat("[0]", 63)},
		{"no JSON", "chat", `{"model":`, "model"},
		{"nothing", "chat", ``, ""},
		{"a list", "chat", `[]`, ""},
	} {
		q, e := dialectOf(t, test.dialect).Decode([]byte(test.body), dialect.StandardLimits())
		switch {
		case e == nil:
			t.Errorf("%s: accepted as %+v", test.why, q)
		case e.Status != 400 || e.Field != test.want || e.Message == "":
			t.Errorf("%s: %d, field %q: %s; want field %q", test.why, e.Status, e.Field, e.Message, test.want)
		}
	}
}

func TestLimitsAreTheCallers(t *testing.T) {
	limits := dialect.StandardLimits()
	limits.Choices, limits.Messages = 1, 1
	for _, body := range []string{`{"messages":[{"role":"user"}],"n":2}`, `{"messages":[{"role":"user"},{"role":"user"}]}`} {
		if _, e := dialect.Chat().Decode([]byte(body), limits); e == nil {
			t.Errorf("%s: accepted", body)
		}
	}
	if names := []string{dialect.Chat().Name(), dialect.Completions().Name(), dialect.Responses().Name(), dialect.Messages().Name()}; !slices.Equal(names, []string{"chat", "completions", "responses", "messages"}) {
		t.Error(names)
	}
}
