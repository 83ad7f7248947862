package dialect_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/dialect"
)

// guided reads a request of a session in which the reply may have to keep to a schema.
func guided(t testing.TB, name, fields string) (*dialect.Request, *dialect.Error) {
	body := `{"messages":[{"role":"user","content":"x"}]` + fields + `}`
	switch name {
	case "responses":
		body = `{"input":"x"` + fields + `}`
	case "completions":
		body = `{"prompt":"x"` + fields + `}`
	}
	limits := dialect.StandardLimits()
	limits.Guided = true
	return dialectOf(t, name).Decode([]byte(body), limits)
}

func TestSchemasOfGuidedRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, dialect, fields, schema, field string }{
		{"none", "chat", ``, "", ""},
		{"text", "chat", `,"response_format":{"type":"text"}`, "", ""},
		{"nothing said", "messages", `,"output_format":null,"output_config":{"effort":"low"}`, "", ""},
		{"chat, as the SDK sends it", "chat", `,"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type": "object", "properties":{"b":{},"a":{"enum":["é"]}}}}}`, `{"type":"object","properties":{"b":{},"a":{"enum":["é"]}}}`, "response_format"},
		{"completions, as vLLM takes it", "completions", `,"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`, `{}`, "response_format"},
		{"Responses", "responses", `,"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}},"verbosity":"low"}`, `{"type":"object"}`, "text.format"},
		{"Messages", "messages", `,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}`, `{"type":"object"}`, "output_config.format"},
		{"Messages, before", "messages", `,"output_format":{"type":"json_schema","schema":{"type":"object"}}`, `{"type":"object"}`, "output_format"},
		{"any object", "chat", `,"response_format":{"type":"json_object"}`, `{"type":"object"}`, "response_format"},
		{"any object of Responses", "responses", `,"text":{"format":{"type":"json_object"}}`, `{"type":"object"}`, "text.format"},
	} {
		q, e := guided(t, test.dialect, test.fields)
		if e != nil {
			t.Errorf("%s: %v", test.why, e)
		} else if string(q.Schema) != test.schema || q.SchemaField != test.field {
			t.Errorf("%s: schema %s of the field %q, want %s of %q", test.why, q.Schema, q.SchemaField, test.schema, test.field)
		}
	}
}

func TestInvalidSchemasNameTheField(t *testing.T) {
	t.Parallel()
	schema := func(s string) string {
		return `,"response_format":{"type":"json_schema","json_schema":{"schema":` + s + `}}`
	}
	for _, test := range []struct{ why, dialect, fields, want string }{
		{"no schema", "chat", `,"response_format":{"type":"json_schema","json_schema":{}}`, "response_format.json_schema.schema"},
		{"nothing at all", "chat", `,"response_format":{"type":"json_schema"}`, "response_format.json_schema.schema"},
		{"null", "chat", schema(`null`), "response_format.json_schema.schema"},
		{"a schema that is true", "chat", schema(`true`), "response_format.json_schema.schema"},
		{"a list", "responses", `,"text":{"format":{"type":"json_schema","schema":[]}}`, "text.format.schema"},
		{"a text", "messages", `,"output_config":{"format":{"type":"json_schema","schema":"{}"}}`, "output_config.format.schema"},
		{"a large one", "chat", schema(`{"x":"` + strings.Repeat("x", 64<<10) + `"}`), "response_format.json_schema.schema"},
		{"a deep one", "chat", schema(strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70)), "response_format.json_schema.schema" + strings.Repeat(".not", 61)},
		{"two", "messages", `,"output_format":{"type":"json_object"},"output_config":{"format":{"type":"json_schema","schema":{}}}`, "output_format"},
		{"another format", "responses", `,"text":{"format":{"type":"grammar"}}`, "text.format.type"},
		{"a field of vLLM's", "chat", `,"guided_json":{"type":"object"}`, "guided_json"},
	} {
		q, e := guided(t, test.dialect, test.fields)
		if e == nil {
			t.Errorf("%s: read as %s", test.why, q.Schema)
		} else if e.Status != 400 || e.Field != test.want {
			t.Errorf("%s: %d, field %q, want %q: %s", test.why, e.Status, e.Field, test.want, e.Message)
		}
	}
	just := schema(`{"x":"` + strings.Repeat("x", 64<<10-8) + `"}`)
	if q, e := guided(t, "chat", just); e != nil || len(q.Schema) != 64<<10 {
		t.Errorf("a schema of 64 KiB is refused: %v", e)
	}
}

func TestARefusedSchemaNamesTheRemedy(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{`"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`, `"guided_json":{}, "structured_outputs":{"json":{}}`} {
		_, e := dialect.Chat().Decode([]byte(`{"messages":[{"role":"user","content":"x"}],`+fields+`}`), dialect.StandardLimits())
		if e == nil || !strings.Contains(e.Message, "sessions.guided") {
			t.Errorf("%s: %v", fields, e)
		}
	}
}

func TestForcedTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, choice, want string }{
		{"nothing said", `null`, ""},
		{"as the model likes", `"auto"`, ""},
		{"none", `"none"`, ""},
		{"any", `"required"`, dialect.ToolsRequired},
		{"one by name", `{"type":"function","function":{"name":"f"}}`, "f"},
	} {
		q := decode(t, "chat", `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":`+test.choice+`}`)
		if got := q.Forced(); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}
