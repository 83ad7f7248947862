package dialect

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
)

// noGuide is why a request gets no guided decoding by the fields of a server.
const noGuide = "guided decoding changes what the log-probabilities stand for; in examinations, with sessions.guided on, name a JSON schema as the format of the reply"

// noSchema is why a request gets no schema.
const noSchema = "a schema for the reply changes what the log-probabilities stand for: describe it in the prompt, or ask in an examination (mode exam) with sessions.guided on"

// anyObject is the schema of all JSON objects.
const anyObject = `{"type":"object"}`

// format reads the format of the reply. Without [Limits].Guided, a schema is refused, and that
// the reply be JSON is a hint, which only the prompt can give. The schema is the member wrap of
// the format, empty: a member of the format itself.
func (q *Request) format(v value, wrap string) {
	f := v.fields()
	var schema json.RawMessage
	switch kind := f.get("type"); kind.string() {
	case "", "text":
		return
	case "json_object":
		if !v.body.limits.Guided {
			return
		}
		schema = json.RawMessage(anyObject)
	case "json_schema":
		if !v.body.limits.Guided {
			kind.refuse(CodeField, "%s", noSchema)
			return
		}
		holder := f
		if wrap != "" {
			holder = f.get(wrap).fields()
		}
		schema = holder.get("schema").wholeSchema()
	default:
		kind.want("text, json_object or json_schema")
	}
	if q.Schema != nil {
		v.refuse(CodeValue, "%s names a format too: want one", q.SchemaField)
	}
	q.Schema, q.SchemaField = schema, v.at.String()
}

// wholeSchema reads the schema of a reply, which must be there.
func (v value) wholeSchema() json.RawMessage {
	switch most := v.body.limits.ToolBytes; {
	case v.failed():
		return nil
	case !v.is('{'):
		v.want("a JSON schema: an object")
		return nil
	case len(v.text) > most:
		v.refuse(CodeValue, "want a schema of at most %d bytes", most)
		return nil
	}
	return v.compact()
}

// Keeps reports whether a reply may keep to the schema: one that its model ended is JSON.
func (q *Request) Keeps(t *quintain.Turn) bool {
	return q.Schema == nil || t.Finish != quintain.Stop || len(q.Stop) > 0 || t.ToolCalls != nil || json.Valid([]byte(t.Reply))
}

// Forced is the tool that the client wants called: its name, or ToolsRequired; empty: none need
// be.
func (q *Request) Forced() string {
	if q.Choice == ToolsAuto || q.Choice == ToolsNone {
		return ""
	}
	return q.Choice
}
