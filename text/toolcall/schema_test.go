package toolcall

import (
	"encoding/json"
	"testing"
)

func TestBareValuesTakeTheTypesOfTheirSchema(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{`{"type": "string"}`, "null", `"null"`},
		{`{"type": "number"}`, "-1.5e+3", "-1.5e+3"},
		{`{"type": "number"}`, "1.", `"1."`},
		{`{"type": "number"}`, "1e", `"1e"`},
		{`{"type": "integer"}`, " 7\n", "7"},
		{`{"type": "boolean"}`, "False", "false"},
		{`{"type": "boolean"}`, "null", `"null"`},
		{`{"type": ["boolean", "null"]}`, "None", "null"},
		{`{"type": "array"}`, "[1, 'a']", `[1, "a"]`},
		{`{"type": "object"}`, "[1]", `"[1]"`},
		{`{"oneOf": [{"type": "integer"}, {"const": true}]}`, "true", "true"},
		{`{"enum": [1, 2]}`, "2", "2"},
		{`{"enum": [null, {}, []]}`, "{}", "{}"},
		{`{"anyOf": [{"type": "string"}, {"type": "integer"}]}`, "5", "5"},
		{`{}`, "5", `"5"`},
		{`{}`, `{"a": 1}`, `{"a": 1}`},
		{`true`, "x", `"x"`},
	} {
		tools := `[{"name": "f", "parameters": {"properties": {"a": ` + c.schema + `}}}]` // without the wrapper
		format, err := Named("glm")
		if err != nil {
			t.Fatal(err)
		}
		reply := format.Parse("<tool_call>f<arg_key>a</arg_key><arg_value>"+c.text+"</arg_value></tool_call>", Context{Tools: json.RawMessage(tools)})
		if want := `{"a": ` + c.want + "}"; len(reply.Calls) != 1 || reply.Calls[0].Arguments != want {
			t.Errorf("%s: %q is %v, want %s", c.schema, c.text, reply.Calls, want)
		}
	}
}

func TestToolsThatAreNoneHaveNoSchemas(t *testing.T) {
	for _, tools := range []string{"", "null", "{}", `[1, {"function": 5}, {"name": 7}]`} {
		if got := readSchemas(json.RawMessage(tools)); len(got) != 0 {
			t.Errorf("%s: %v", tools, got)
		}
	}
}
