package quintain_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestMessageIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, want string }{
		{"a text", `{"role":"user","content":"a < b"}`, ""},
		{"parts", `{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:,x","detail":"low"}}]}`, ""},
		{"a text part with another field", `{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}`, ""},
		{"no parts", `{"role":"user","content":[]}`, ""},
		{"reasoning", `{"role":"assistant","content":"4","reasoning_content":"2+2"}`, ""},
		{"reasoning, under its other name", `{"role":"assistant","content":"4","reasoning":"2+2"}`, `{"role":"assistant","content":"4","reasoning_content":"2+2"}`},
		{"a call", `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]}`, ""},
		{"a call of another type", `{"role":"assistant","content":"I add.","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"add","input":"1"}}]}`, ""},
		{"a result", `{"role":"tool","content":"3","tool_call_id":"c1","name":"add"}`, ""},
		{"unknown fields, in the order of their names", `{"z":[1,{"a":null}],"role":"assistant","content":"x","audio":{"id":"1"}}`, `{"role":"assistant","content":"x","audio":{"id":"1"},"z":[1,{"a":null}]}`},
		{"no content", `{"role":"assistant","content":null}`, `{"role":"assistant","content":""}`},
	} {
		var m quintain.Message
		if err := json.Unmarshal([]byte(test.text), &m); err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if test.want == "" {
			test.want = test.text
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m); err != nil || strings.TrimSpace(b.String()) != test.want {
			t.Errorf("%s: written as\n%s, error %v, want\n%s", test.why, b.String(), err, test.want)
		}
		var again quintain.Message
		if err := json.Unmarshal([]byte(b.String()), &again); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%s: read again as %+v, error %v, want %+v", test.why, again, err, m)
		}
	}
}

func TestMessageRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`5`, "message"},
		{`{"role":5,"content":"a"}`, "role"},
		{`{"role":"user","content":5}`, "content"},
		{`{"role":"user","content":[5]}`, "content"},
		{`{"role":"user","content":[{"text":"a"}]}`, "type"},
		{`{"role":"user","content":[{"type":"text","text":5}]}`, "text"},
		{`{"role":"assistant","tool_calls":[{"id":5}]}`, "tool call"},
	} {
		var m quintain.Message
		if err := json.Unmarshal([]byte(test.text), &m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one about %s", test.text, err, test.want)
		}
	}
}

func TestMessageText(t *testing.T) {
	t.Parallel()
	parts := []quintain.Part{{Type: quintain.PartText, Text: "a"}, {Type: "image_url"}, {Type: quintain.PartText, Text: "b"}}
	for want, m := range map[string]quintain.Message{"x": {Content: "x"}, "ab": {Parts: parts}, "": {}} {
		if got := m.Text(); got != want {
			t.Errorf("text %q, want %q", got, want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(`{"role":"user","content":[{"type":"text","text":"a"}],"name":"n"}`)
	f.Add(`{"role":"assistant","content":null,"reasoning":"r","tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":""}}],"x":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var m quintain.Message
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", text, err)
		}
		var again quintain.Message
		if err := json.Unmarshal(out, &again); err != nil || again.Text() != m.Text() || again.Role != m.Role {
			t.Errorf("%q, written as %s, is read again as %+v, error %v", text, out, again, err)
		}
	})
}

// A conversation is appended as encoding/json writes it, whatever its texts are.
func TestAppendMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `[]`, `[{"role":"user","content":"a < b && c\u2028é\n\""},{"role":"assistant","content":""}]`, `[{},{"role":"tool","content":"3","tool_call_id":"<c1>"}]`,
		`[{"role":"a","role":"b","content":"x"}]`, `[{"content":"x","Role":"y"}]`, `[{"role":"","role":"c","content":null}]`, `[{"role":"user","content":[{"type":"text","text":"<"}]},{"role":"a\u0062","content":"\ud800"}]`,
	} {
		var talk []quintain.Message
		if err := json.Unmarshal([]byte(text), &talk); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(talk)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := quintain.AppendMessages([]byte("x"), talk); err != nil || string(got) != "x"+string(want) {
			t.Errorf("%s: appended as %s, error %v; want %s", text, got, err, want)
		}
	}
	if _, err := quintain.AppendMessages(nil, []quintain.Message{{Extra: map[string]json.RawMessage{"x": json.RawMessage("{")}}}); err == nil {
		t.Error("a field that is not JSON is appended")
	}
}
