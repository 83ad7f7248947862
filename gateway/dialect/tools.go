package dialect

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A tool is one that the client offers to the model.
type tool struct {
	name        string
	description value
	parameters  json.RawMessage // JSON Schema; nil: none
	free        bool            // takes a text instead of arguments
}

// freeParameters are the arguments by which templates know a tool that takes a text.
const freeParameters = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// A toolList collects the tools of a request.
type toolList struct {
	q    *Request
	read func(fields) tool
	text []byte // of Request.Tools, without its end
	n    int
}

// readTools reads the tools of a request, each with read.
func (q *Request) readTools(v value, read func(fields) tool) {
	list := toolList{q: q, read: read, text: []byte{'['}}
	q.offered = map[string]bool{}
	list.add(v, "")
	if list.n > 0 {
		list.text = append(list.text, ']')
		q.Tools = list.text
	}
}

// add reads a list of tools; space is the namespace that has them, empty: none.
func (l *toolList) add(v value, space string) {
	v.elements(func(_ int, one value) {
		f := one.fields()
		if name := f.get("name").string(); space == "" && name != "" && f.get("type").string() == "namespace" {
			l.add(f.get("tools"), name)
			return
		}
		switch {
		case l.n >= v.body.limits.Tools:
			v.refuse(CodeValue, "want at most %d tools", v.body.limits.Tools)
			return
		case len(one.text) > v.body.limits.ToolBytes:
			one.refuse(CodeValue, "want a tool of at most %d bytes", v.body.limits.ToolBytes)
			return
		}
		t := l.read(f)
		if t.name == "" && !one.failed() {
			one.refuse(CodeValue, "want a tool with a name")
		}
		t.name = l.q.full(space, t.name)
		if l.n++; l.n > 1 {
			l.text = append(l.text, ',')
		}
		l.text = appendJSON(l.text, t.form())
		l.q.offer(t)
	})
}

// offer notes a tool that the client offers.
func (q *Request) offer(t tool) {
	if q.offered[t.name] = true; t.free {
		if q.free == nil {
			q.free = map[string]bool{}
		}
		q.free[t.name] = true
	}
}

// full is the name by which the model calls a tool of a namespace.
func (q *Request) full(space, name string) string {
	if space == "" || name == "" {
		return name
	}
	full := strings.TrimRight(space, "_") + "__" + name
	if q.spaced == nil {
		q.spaced = map[string][2]string{}
	}
	q.spaced[full] = [2]string{space, name}
	return full
}

// form writes a tool as chat templates take it.
func (t tool) form() object {
	function := object{{"name", t.name}}
	if t.description.given() {
		function = append(function, member{"description", t.description.string()})
	}
	if t.free {
		t.parameters = json.RawMessage(freeParameters)
	}
	if t.parameters != nil {
		function = append(function, member{"parameters", t.parameters})
	}
	return object{{"type", "function"}, {"function", function}}
}

// schema reads the parameters of a tool; nil: none.
func (v value) schema() json.RawMessage {
	switch {
	case !v.given():
		return nil
	case !v.is('{'):
		v.want("an object")
		return nil
	}
	return v.compact()
}

// refuseTool refuses a tool that no client runs.
func (f fields) refuseTool(kind string) tool {
	f.refuse(CodeField, "the tool %q runs at the provider, or only its models know it: describe a function instead", kind)
	return tool{}
}

// choose sets the choice of a tool by name.
func (q *Request) choose(v value) {
	name := v.string()
	if !v.failed() && !q.offered[name] {
		v.refuse(CodeValue, "there is no tool %q", name)
	}
	q.Choice = name
}

// openAIChoice reads tool_choice of OpenAI's dialects.
func (q *Request) openAIChoice(v value) {
	if v.is('{') {
		f := v.fields()
		switch kind := f.get("type").string(); kind {
		case "function", "custom":
			name := f.get("name")
			if inner := f.get(kind).fields(); !name.given() {
				name = inner.get("name")
			}
			q.choose(name)
		default:
			f.refuse(CodeField, "a choice of type %q is not served", kind)
		}
		return
	}
	switch q.Choice = v.string(); q.Choice {
	case "", ToolsAuto, ToolsNone, ToolsRequired:
	default:
		v.want("auto, none, required or a tool")
	}
}

// freeCall is a call of a tool that takes a text.
func freeCall(id, name, input string) quintain.ToolCall {
	return quintain.ToolCall{ID: id, Name: name, Arguments: string(write(object{{"input", input}}))}
}

// freeInput is the text in the arguments of such a call; the arguments themselves if the
// model wrote something else.
func freeInput(arguments string) string {
	var input []byte
	n := 0
	valid := strictjson.Members([]byte(arguments), func(name, value []byte) bool {
		if n++; string(name) == "input" {
			input = value
		}
		return true
	})
	if text, ok := strictjson.Text(input); valid && ok && n == 1 {
		return text
	}
	return arguments
}
