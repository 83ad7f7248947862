package dialect_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// What a dialect reads, chat completions can say: the messages are the same again.
func fuzzDecode(f *testing.F, d dialect.Dialect, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		may := dialect.StandardLimits()
		may.Guided = true
		if q, e := d.Decode(body, may); e == nil && q.Schema != nil && (q.Schema[0] != '{' || strictjson.Check(q.Schema, may.Depth) != nil || q.SchemaField == "") {
			t.Fatalf("the schema %s of the field %q", q.Schema, q.SchemaField)
		}
		q, e := d.Decode(body, dialect.StandardLimits())
		if e != nil {
			if e.Status != 400 || e.Message == "" || q != nil {
				t.Fatalf("refused with %+v", e)
			}
			if status, text := d.ErrorBody(e); status != 400 || strictjson.Check(text, 64) != nil {
				t.Fatalf("error body %s", text)
			}
			return
		}
		if len(q.Anchors) != len(q.Messages) {
			t.Fatalf("%d anchors of %d messages", len(q.Anchors), len(q.Messages))
		}
		r := reply(dialect.Choice{Content: "x", Finish: quintain.Stop})
		if text := d.Encode(q, r); strictjson.Check(text, 99) != nil {
			t.Fatalf("reply %s", text)
		}
		events(t, played(d, q, r))
		for _, m := range q.Messages {
			if m.Role == "" {
				return // only the gateway knows the message
			}
		}
		if len(q.Messages) > 0 {
			sameAgain(t, q)
		}
	})
}

// sameAgain writes the messages for chat completions and compares what these read.
func sameAgain(t *testing.T, q *dialect.Request) {
	t.Helper()
	text, err := strictjson.Legible(map[string]any{"messages": q.Messages, "tools": q.Tools})
	if err != nil {
		t.Fatal(err)
	}
	limits := dialect.StandardLimits()
	limits.Messages, limits.Elements, limits.ToolBytes = 1<<30, 1<<30, 1<<30
	again, e := dialect.Chat().Decode(text, limits)
	if e != nil {
		t.Fatalf("%s: %v", text, e)
	}
	if !reflect.DeepEqual(again.Messages, q.Messages) || string(again.Tools) != string(q.Tools) {
		t.Fatalf("%+v %s\nagain\n%+v %s", q.Messages, q.Tools, again.Messages, again.Tools)
	}
}

func FuzzChat(f *testing.F) {
	fuzzDecode(f, dialect.Chat(),
		`{"model":"m","messages":[{"role":"developer","content":[{"type":"text","text":"a"}]},{"role":"user","content":"x"},{"role":"assistant","content":null,"reasoning_content":"r","tool_calls":[{"id":"call_c_0","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_c_0","content":"42"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"auto","stream":true,"stream_options":{"include_usage":true},"stop":["a"],"n":2,"logprobs":true,"metadata":{"branch":"b"}}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}],"chat_template_kwargs":{"x":1},"temperature":0.5}`,
		`{"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}}`)
}

func FuzzCompletions(f *testing.F) {
	fuzzDecode(f, dialect.Completions(), `{"prompt":"x","n":2,"logprobs":1,"stop":"a","max_tokens":5}`, `{"prompt":["x"],"stream":true}`)
}

func FuzzResponses(f *testing.F) {
	fuzzDecode(f, dialect.Responses(),
		`{"instructions":"i","input":[{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"u"}]},{"type":"reasoning","id":"rs_c","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"rs_c"},{"type":"message","id":"msg_c","role":"assistant","content":[{"type":"output_text","text":"y"}]},{"type":"function_call","id":"fc_c_0","call_id":"call_c_0","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_c_0","output":"z"},{"type":"custom_tool_call","call_id":"1","name":"p","input":"x"},{"type":"custom_tool_call_output","call_id":"1","output":"z"}],"tools":[{"type":"function","name":"f","parameters":{}},{"type":"custom","name":"p"}],"reasoning":{"effort":"low"},"store":false}`,
		`{"input":[{"type":"item_reference","id":"msg_c"}],"previous_response_id":"resp_c"}`)
}

func FuzzMessages(f *testing.F) {
	fuzzDecode(f, dialect.Messages(),
		`{"max_tokens":5,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"rs_c"},{"type":"text","text":"y"},{"type":"tool_use","id":"call_c_0","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_c_0","content":[{"type":"text","text":"z"}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"thinking":{"type":"enabled","budget_tokens":5},"tool_choice":{"type":"any"}}`,
		`{"messages":[{"role":"user","content":"x"}],"tool_choice":{"type":"none","disable_parallel_tool_use":true}}`,
		`{"messages":[{"role":"user","content":"x"}],"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"enum":[1]}}}}`)
}

// Ten million bytes of each sort.
func BenchmarkDecode(b *testing.B) {
	const size = 10_000_000
	fill := func(begin, each, end string) string {
		return begin + strings.Repeat(each+",", (size-len(begin)-len(end))/(len(each)+1)-1) + each + end
	}
	words := strings.Repeat("some words of a prompt, ", 40)
	call := `{"type":"function_call","call_id":"call_c_0","name":"f","arguments":"` + words + `"}`
	one := func(text string) string { return `{"messages":[{"role":"user","content":"` + text + `"}]}` }
	for _, test := range []struct {
		why  string
		d    dialect.Dialect
		body string
	}{
		{"one text", dialect.Chat(), one(strings.Repeat(words, size/len(words)))},
		{"one text of escapes", dialect.Chat(), one(strings.Repeat(`\u00e9\n`, size/8))},
		{"messages", dialect.Chat(), fill(`{"messages":[`, `{"role":"user","content":"`+words+words+`"}`, `]}`)},
		{"parts", dialect.Chat(), fill(`{"messages":[{"role":"user","content":[`, `{"type":"text","text":"`+words[:100]+`"}`, `]}]}`)},
		{"tools", dialect.Chat(), fill(`{"messages":[{"role":"user"}],"tools":[`, `{"type":"function","function":{"name":"f","description":"`+strings.Repeat(words, 25)+`"}}`, `]}`)},
		{"empty lists", dialect.Chat(), fill(`{"messages":[{"role":"user"}],"x":[`, `[]`, `]}`)},
		{"nested lists", dialect.Chat(), fill(`{"messages":[{"role":"user"}],"x":[`, strings.Repeat("[", 60)+strings.Repeat("]", 60), `]}`)},
		{"items of one reply", dialect.Responses(), fill(`{"input":[`, call, `]}`)},
		{"parts of reasoning", dialect.Responses(), fill(`{"input":[{"type":"reasoning","summary":[`, `{"type":"summary_text","text":"`+words[:100]+`"}`, `]}]}`)},
		{"blocks of a reply", dialect.Messages(), fill(`{"messages":[{"role":"assistant","content":[`, `{"type":"thinking","thinking":"`+words[:100]+`"}`, `]},{"role":"user","content":"x"}]}`)},
	} {
		b.Run(test.why, func(b *testing.B) {
			text := []byte(test.body)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, e := test.d.Decode(text, dialect.StandardLimits()); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}
