package dialect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reply makes a reply of choices.
func reply(choices ...dialect.Choice) *dialect.Reply {
	return &dialect.Reply{
		Call: "c7", Model: "policy", Created: time.Unix(1_700_000_000, 0), Choices: choices,
		Usage: dialect.Usage{Prompt: 20, Cached: 5, Completed: 9, Reasoning: 3},
	}
}

// call makes a tool call of that reply.
func call(i int, name, arguments string) quintain.ToolCall {
	return quintain.ToolCall{ID: dialect.CallID("c7", i), Name: name, Arguments: arguments}
}

// bodies are requests of each dialect with a tool, and what further fields say.
func body(name, fields string) string {
	switch name {
	case "completions":
		return `{"prompt":"x"` + fields + `}`
	case "responses":
		return `{"input":"x","tools":[{"type":"function","name":"mul"},{"type":"custom","name":"patch"}]` + fields + `}`
	case "messages":
		return `{"messages":[{"role":"user","content":"x"}],"tools":[{"name":"mul"}]` + fields + `}`
	}
	return `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"mul"}},{"type":"custom","custom":{"name":"patch"}}]` + fields + `}`
}

// played is the whole stream of a reply.
func played(d dialect.Dialect, q *dialect.Request, r *dialect.Reply) string {
	s := d.Stream(q, dialect.Reply{Call: r.Call, Model: r.Model, Created: r.Created})
	return string(s.Begin()) + string(s.KeepAlive()) + string(s.Reply(r)) + string(s.End(r))
}

func TestReplies(t *testing.T) {
	probs := []dialect.LogProb{{Token: "4", Bytes: []byte("4"), Value: -0.5}, {Token: "é", Bytes: []byte("é"), Value: math.Inf(-1)}}
	for name, fields := range map[string]string{
		"chat":        `,"stream_options":{"include_usage":true}`,
		"completions": `,"stream_options":{"include_usage":true}`,
		"responses":   `,"instructions":"calc","store":false,"temperature":0.5`,
		"messages":    `,"thinking":{"type":"adaptive"}`,
	} {
		d := dialectOf(t, name)
		var out bytes.Buffer
		for _, test := range []struct {
			why    string
			fields string
			reply  *dialect.Reply
		}{
			{"a text", fields, reply(dialect.Choice{Content: "42 <b>", Finish: quintain.Stop})},
			{"reasoning, a text and tool calls", fields, reply(dialect.Choice{Content: "I call", Reasoning: "let me see", Finish: quintain.Stop, ToolCalls: []quintain.ToolCall{call(0, "mul", `{"a":6}`), call(1, "mul", `{a`), call(2, "patch", `{"input":"*** Begin"}`)}})},
			{"a text that was cut", "", reply(dialect.Choice{Content: "4", Reasoning: "hidden where nobody asked", Finish: quintain.Length})},
			{"a text that was stopped", "", reply(dialect.Choice{Content: "4", Finish: quintain.Stop, Stopped: "\n"})},
			{"nothing, with log-probabilities", "", reply(dialect.Choice{Finish: quintain.Stop, LogProbs: probs})},
		} {
			q := decode(t, name, body(name, test.fields))
			fmt.Fprintf(&out, "## %s, whole\n%s\n\n## %s, streamed\n%s\n", test.why, d.Encode(q, test.reply), test.why, played(d, q, test.reply))
		}
		s := d.Stream(decode(t, name, body(name, "")), *reply())
		s.Begin()
		fmt.Fprintf(&out, "## an engine that fails\n%s", s.Fail(dialect.Errorf(503, "the engine is down")))
		golden(t, name, out.Bytes())
	}
}

// golden compares text with a file.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s differs:\n%s", path, text)
	}
}

// Codex puts its tools for sub-agents into a namespace.
func TestToolsOfNamespaces(t *testing.T) {
	q := decode(t, "responses", `{"input":"x","tools":[{"type":"function","name":"f"},{"type":"namespace","name":"multi_agent_v1","description":"d","tools":[{"type":"function","name":"spawn_agent","strict":false,"parameters":{"type":"object"}}]}]}`)
	if want := `[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"multi_agent_v1__spawn_agent","parameters":{"type":"object"}}}]`; string(q.Tools) != want {
		t.Errorf("%s\nwant\n%s", q.Tools, want)
	}
	text := string(dialect.Responses().Encode(q, reply(dialect.Choice{ToolCalls: []quintain.ToolCall{call(0, "multi_agent_v1__spawn_agent", "{}"), call(1, "f", "{}")}})))
	for _, want := range []string{`"name":"spawn_agent","arguments":"{}","status":"completed","namespace":"multi_agent_v1"}`, `"name":"f","arguments":"{}","status":"completed"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestErrors(t *testing.T) {
	ended := dialect.Errorf(410, "the session has ended")
	ended.Code = dialect.CodeEnded
	field := &dialect.Error{Status: 400, Code: dialect.CodeField, Field: "tools[0]", Message: "no"}
	for _, test := range []struct {
		why    string
		e      *dialect.Error
		status int // in Messages
		openAI string
		own    string
	}{
		{"a field", field, 400, `{"error":{"message":"tools[0]: no","type":"invalid_request_error","param":"tools[0]","code":"unsupported_parameter"}}`, `{"type":"error","error":{"type":"invalid_request_error","message":"tools[0]: no","code":"unsupported_parameter"}}`},
		{"a long prompt", &dialect.Error{Status: 400, Code: dialect.CodeContext, Message: "5 tokens > 4 maximum"}, 400, `{"error":{"message":"This model's maximum context length is exceeded: 5 tokens > 4 maximum","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5 tokens > 4 maximum"}}`},
		{"no key", dialect.Errorf(401, "m"), 401, `{"error":{"message":"m","type":"authentication_error","param":null,"code":"invalid_api_key"}}`, `{"type":"error","error":{"type":"authentication_error","message":"m"}}`},
		{"another session", dialect.Errorf(403, "m"), 403, `{"error":{"message":"m","type":"permission_error","param":null,"code":"forbidden"}}`, `{"type":"error","error":{"type":"permission_error","message":"m"}}`},
		{"no such thing", dialect.Errorf(404, "m"), 404, `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"not_found"}}`, `{"type":"error","error":{"type":"not_found_error","message":"m"}}`},
		{"the end", ended, 410, `{"error":{"message":"the session has ended","type":"invalid_request_error","param":null,"code":"session_ended"}}`, `{"type":"error","error":{"type":"invalid_request_error","message":"the session has ended","code":"session_ended"}}`},
		{"a large body", dialect.Errorf(413, "m"), 413, `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":null}}`, `{"type":"error","error":{"type":"request_too_large","message":"m"}}`},
		{"too much at once", dialect.Errorf(429, "m"), 429, `{"error":{"message":"m","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`, `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`},
		{"a fault", dialect.Errorf(507, "m"), 507, `{"error":{"message":"m","type":"server_error","param":null,"code":"server_error"}}`, `{"type":"error","error":{"type":"api_error","message":"m"}}`},
		{"no engine", dialect.Errorf(503, "m"), 529, `{"error":{"message":"m","type":"server_error","param":null,"code":"server_error"}}`, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`},
	} {
		for _, d := range []dialect.Dialect{dialect.Chat(), dialect.Completions(), dialect.Responses(), dialect.Messages()} {
			status, want := test.e.Status, test.openAI
			if d.Name() == "messages" {
				status, want = test.status, test.own
			}
			if is, got := d.ErrorBody(test.e); is != status || string(got) != want {
				t.Errorf("%s, %s: %d %s\nwant %d %s", test.why, d.Name(), is, got, status, want)
			}
		}
	}
	if got := field.Error(); got != "tools[0]: no" {
		t.Error(got)
	}
}

func TestModels(t *testing.T) {
	models := []dialect.Model{{ID: "policy", Created: time.Unix(0, 0), Context: 4096}, {ID: "b", Created: time.Unix(0, 0)}}
	for _, test := range []struct{ why, got, want string }{
		{"OpenAI's", string(dialect.Responses().Models(models)), `{"object":"list","data":[{"id":"policy","object":"model","created":0,"owned_by":"quintain","max_model_len":4096},{"id":"b","object":"model","created":0,"owned_by":"quintain","max_model_len":null}]}`},
		{"one of OpenAI", string(dialect.Chat().Model(models[0])), `{"id":"policy","object":"model","created":0,"owned_by":"quintain","max_model_len":4096}`},
		{"Anthropic's", string(dialect.Messages().Models(models)), `{"data":[{"type":"model","id":"policy","display_name":"policy","created_at":"1970-01-01T00:00:00Z","max_input_tokens":4096},{"type":"model","id":"b","display_name":"b","created_at":"1970-01-01T00:00:00Z","max_input_tokens":null}],"has_more":false,"first_id":"policy","last_id":"b"}`},
		{"one of Anthropic", string(dialect.Messages().Model(models[1])), `{"type":"model","id":"b","display_name":"b","created_at":"1970-01-01T00:00:00Z","max_input_tokens":null}`},
		{"a count of tokens", string(dialect.CountTokens(12)), `{"input_tokens":12}`},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s\nwant %s", test.why, test.got, test.want)
		}
	}
}

// echo makes the next request of a client that sends a whole reply back.
func echo(t testing.TB, name string, whole []byte) string {
	t.Helper()
	var r struct {
		Choices []struct{ Message json.RawMessage }
		Output  json.RawMessage
		Content json.RawMessage
	}
	if err := strictjson.Unmarshal(whole, &r); err != nil {
		t.Fatalf("%s: %v", whole, err)
	}
	switch name {
	case "responses":
		return `{"input":` + string(r.Output) + `}`
	case "messages":
		return `{"messages":[{"role":"assistant","content":` + string(r.Content) + `},{"role":"user","content":"x"}]}`
	}
	return `{"messages":[` + string(r.Choices[0].Message) + `]}`
}

// events returns the data of a stream's events, and fails at a line that is none.
func events(t testing.TB, stream string) (data []map[string]any) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		kind := ""
		for line := range strings.SplitSeq(block, "\n") {
			switch name, rest, _ := strings.Cut(line, ": "); name {
			case "":
			case "event":
				kind = rest
			case "data":
				one := map[string]any{}
				if rest != "[DONE]" && strictjson.Unmarshal([]byte(rest), &one) != nil {
					t.Fatalf("%q is no JSON", rest)
				}
				if kind != "" && one["type"] != kind {
					t.Fatalf("event %s is a %v", kind, one["type"])
				}
				data = append(data, one)
			default:
				t.Fatalf("line %q", line)
			}
		}
	}
	return data
}

// A reply sent back is the same message, with its anchors; a stream says what the whole says.
func FuzzReplies(f *testing.F) {
	f.Add("I call", "let me see", "mul", `{"a":6,"b":"<é\u2028>"}`, true)
	f.Add("", "", "patch", `{"input":"*** Begin\n"}`, true)
	f.Add("42\r\n\n: data: [DONE]", "", "", "", false)
	f.Add("\xff", "\x00", "f", "{a", true)
	f.Fuzz(func(t *testing.T, content, reasoning, tool, arguments string, stopped bool) {
		content, reasoning, tool, arguments = clean(content), clean(reasoning), clean(tool), clean(arguments)
		c := dialect.Choice{Content: content, Reasoning: reasoning, Finish: quintain.Length}
		if tool != "" {
			c.ToolCalls = []quintain.ToolCall{call(0, tool, arguments), call(1, tool, arguments)}
		}
		if stopped {
			c.Finish = quintain.Stop
		}
		r := reply(c)
		for _, name := range []string{"chat", "responses", "messages"} {
			d := dialectOf(t, name)
			q := decode(t, name, body(name, `,"thinking":{"type":"adaptive"}`))
			whole := d.Encode(q, r)
			if !json.Valid(whole) {
				t.Fatalf("%s: no JSON: %s", name, whole)
			}
			stream := events(t, played(d, q, r))
			if name == "responses" {
				sameResponse(t, stream, whole)
			}
			again := decode(t, name, echo(t, name, whole))
			if content == "" && reasoning == "" && tool == "" {
				continue // a client may leave an empty reply out
			}
			sameReply(t, name, again, c)
		}
	})
}

// clean makes UTF-8 of a text.
func clean(text string) string { return strings.ToValidUTF8(text, "?") }

// sameReply compares the first message of a request with the reply that it repeats.
func sameReply(t *testing.T, name string, q *dialect.Request, c dialect.Choice) {
	t.Helper()
	m := q.Messages[0]
	if m.Role != quintain.RoleAssistant || m.Content != c.Content || m.Reasoning != c.Reasoning || len(m.ToolCalls) != len(c.ToolCalls) {
		t.Fatalf("%s: %+v came back as %+v", name, c, m)
	}
	if name == "responses" && len(c.ToolCalls) == 0 || name == "messages" && c.Reasoning != "" {
		if owner, _, ours := dialect.Anchor(q.Anchors[0]); !ours || owner != "c7" {
			t.Fatalf("%s: anchor %q", name, q.Anchors[0])
		}
	}
	for i, got := range m.ToolCalls {
		want := c.ToolCalls[i]
		same := got.Arguments == want.Arguments || sameJSON(got.Arguments, want.Arguments)
		if free := want.Name == "patch" && name != "messages"; free {
			same = true // a text that was no {"input":…} becomes one
		}
		if got.ID != want.ID || got.Name != want.Name || !same {
			t.Fatalf("%s: call %+v came back as %+v", name, want, got)
		}
	}
}

// sameJSON compares JSON by its values, and their order.
func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && x.String() == y.String()
}

// sameResponse checks the numbers of the events, and that the last holds the whole reply.
func sameResponse(t *testing.T, stream []map[string]any, whole []byte) {
	t.Helper()
	for i, e := range stream {
		if e["sequence_number"] != float64(i) {
			t.Fatalf("event %d has number %v", i, e["sequence_number"])
		}
	}
	var want map[string]any
	_ = strictjson.Unmarshal(whole, &want)
	got, _ := json.Marshal(stream[len(stream)-1]["response"])
	wanted, _ := json.Marshal(want)
	if !bytes.Equal(got, wanted) {
		t.Fatalf("the stream ends with\n%s\nwant\n%s", got, wanted)
	}
}

// A stream of chat completions or Messages, put together as SDKs do, is the whole reply.
func TestStreamsMakeTheWholeReply(t *testing.T) {
	c := dialect.Choice{
		Content: "I call", Reasoning: "let me see", Finish: quintain.Stop,
		ToolCalls: []quintain.ToolCall{call(0, "mul", `{"a":6}`), call(1, "mul", `{"b":[]}`)},
	}
	q := decode(t, "chat", body("chat", ""))
	said := map[string]string{}
	for _, e := range events(t, played(dialect.Chat(), q, reply(c))) {
		choices, _ := e["choices"].([]any)
		for _, one := range choices {
			delta := one.(map[string]any)["delta"].(map[string]any)
			for _, name := range []string{"content", "reasoning_content"} {
				text, _ := delta[name].(string)
				said[name] += text
			}
			calls, _ := delta["tool_calls"].([]any)
			for _, one := range calls {
				function := one.(map[string]any)["function"].(map[string]any)
				said[fmt.Sprint(one.(map[string]any)["index"])] += fmt.Sprint(function["name"], function["arguments"], ";")
			}
		}
	}
	for name, want := range map[string]string{"content": "I call", "reasoning_content": "let me see", "0": `mul;<nil>{"a":6};`, "1": `mul;<nil>{"b":[]};`} {
		if said[name] != want {
			t.Errorf("chat: %s is %q, want %q", name, said[name], want)
		}
	}
	q = decode(t, "messages", body("messages", `,"thinking":{"type":"enabled"}`))
	var blocks []string
	for _, e := range events(t, played(dialect.Messages(), q, reply(c))) {
		switch e["type"] {
		case "content_block_start":
			blocks = append(blocks, e["content_block"].(map[string]any)["type"].(string)+" ")
		case "content_block_delta":
			delta := e["delta"].(map[string]any)
			for _, name := range []string{"text", "thinking", "signature", "partial_json"} {
				text, _ := delta[name].(string)
				blocks[len(blocks)-1] += text
			}
		}
	}
	if got := strings.Join(blocks, "; "); got != `thinking let me seers_c7; text I call; tool_use {"a":6}; tool_use {"b":[]}` {
		t.Errorf("messages: %s", got)
	}
}
