package instructions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// toolArguments asks for the calls of tools that a request wants.
var toolArguments = task.Spec[toolParams, toolItem]{
	Name:     "tool_arguments",
	Category: "instructions",
	Doc:      "Choose the tool that a request in plain English needs, and write the call with all arguments, in the types, units and forms that the tool describes.",
	Source:   "Function calling with JSON Schema, as in the interfaces of language models; tools and requests are our own.",
	Version:  2,
	Default:  toolParams{Tools: 5, Calls: 1, Convert: true, Corrections: 1},
	Levels: []toolParams{
		{Tools: 2, Calls: 1},
		{Tools: 3, Calls: 1, Convert: true},
		{Tools: 6, Calls: 1, Convert: true, Corrections: 1},
		{Tools: 8, Calls: 2, Convert: true, Corrections: 1},
		{Tools: 12, Calls: 3, Convert: true, Corrections: 2},
		{Tools: 16, Calls: 5, Convert: true, Corrections: 2},
		{Tools: 20, Calls: 8, Convert: true, Corrections: 3},
	},
	Make: makeToolArguments,
}

// toolParams are the settings of one difficulty.
type toolParams struct {
	Tools       int  `json:"tools" want:"2 to 20"`      // to choose from
	Calls       int  `json:"calls" want:"1 to tools"`   // that the request needs
	Convert     bool `json:"convert"`                   // the request says values in other units and forms
	Corrections int  `json:"corrections" want:"0 to 3"` // at most, for each call
}

// toolItem is one request.
type toolItem struct {
	Tools    []tool `json:"tools" want:"at most 100"`
	Request  string `json:"request" want:"at most 20000"`
	Calls    []call `json:"calls" want:"1 or more"` // in the order of the request
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// A tool is a definition as a model sees it.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  schema `json:"parameters"`
}

// A call is a call of a tool.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// makeToolArguments draws tools, and a request that needs some of them.
func makeToolArguments(p toolParams, r *rng.Rand) (toolItem, error) {
	item := toolItem{Phrasing: r.Between(0, len(toolPhrasings)-1)}
	var paragraphs []string
	for i, kind := range rng.Sample(r, toolLibrary, p.Tools) {
		drawn := make([]parameter, len(kind.params))
		of := tool{kind.name, kind.doc, schema{Type: "object", Closed: true}}
		for k, param := range kind.params {
			drawn[k] = param.draw(r, p.Convert)
			of.Parameters.Properties = append(of.Parameters.Properties, property{drawn[k].name, drawn[k].schema})
			if !param.optional {
				of.Parameters.Required = append(of.Parameters.Required, drawn[k].name)
			}
		}
		item.Tools = append(item.Tools, of)
		if i < p.Calls {
			said, arguments := p.request(r, kind, drawn)
			paragraphs = append(paragraphs, said)
			item.Calls = append(item.Calls, call{kind.name, json.RawMessage(arguments)})
		}
	}
	rng.Shuffle(r, item.Tools)
	item.Request = strings.Join(paragraphs, "\n\n")
	return item, nil
}

// request draws values for a call, and says them.
func (p toolParams) request(r *rng.Rand, kind toolKind, params []parameter) (said, arguments string) {
	var sentences, corrections []string
	var given members
	for _, param := range params {
		if param.of.optional && r.Chance(0.5) {
			continue
		}
		value := param.value(r, p.Convert)
		given = append(given, member{param.name, value.arg})
		first := value
		if len(corrections) < p.Corrections && param.of.corrects() && r.Chance(0.5) {
			for valueJSON(first.arg) == valueJSON(value.arg) {
				first = param.value(r, p.Convert)
			}
			corrections = append(corrections, rng.Pick(r, corrected)+" "+param.say(r, value))
		}
		sentences = append(sentences, param.say(r, first))
	}
	rng.Shuffle(r, sentences)
	rng.Shuffle(r, corrections)
	return strings.Join(slices.Concat([]string{rng.Pick(r, kind.asks[:])}, sentences, corrections), " "), valueJSON(given)
}

// corrected begins the correction of a value.
var corrected = []string{"Sorry, one thing was wrong.", "No, wait, I must correct myself.", "One correction.", "I have just changed my mind."}

// corrects reports whether a request may correct a value of the kind.
func (k paramKind) corrects() bool {
	return k.sort != "truth" && k.sort != "text" && k.sort != "people"
}

// say writes the sentence with a value.
func (p parameter) say(r *rng.Rand, value stated) string {
	if yes, ok := value.arg.(bool); ok {
		return p.of.says[1-task.Bit(yes)]
	}
	return strings.ReplaceAll(rng.Pick(r, p.of.says[:]), "%v", value.said)
}

// toolPhrasings are the wordings of the question: %t are the tools, %r is the request, %f the form
// of the answer.
var toolPhrasings = []string{
	"You can use these tools:\n\n%t\n\nA user writes:\n\n%r\n\n%f",
	"User: %r\n\nTools that are at hand, with the JSON Schema of their parameters:\n\n%t\n\n%f",
	"Below are the definitions of some tools, then a request.\n\nTools:\n%t\n\nRequest:\n%r\n\nWhat has to be called, and with which arguments? %f",
	"Turn the request into what a program can run. The program knows these functions:\n\n%t\n\nThe request is this:\n\n%r\n\n%f",
	"Somebody asks an assistant:\n\n%r\n\nThe assistant has the following tools.\n\n%t\n\nTell it how to use them. %f",
	"%f\n\nThe tools:\n\n%t\n\nThe request:\n\n%r",
}

// toolForms say what the answer looks like: for one call, and for %n calls.
var toolForms = [2]string{
	"Answer with one call as a JSON object and nothing else: {\"name\": NAME, \"arguments\": {PARAMETER: VALUE, ...}}. ",
	"Answer with a JSON list of %n calls, in the order of the request, and nothing else. Each call is an object: {\"name\": NAME, \"arguments\": {PARAMETER: VALUE, ...}}. ",
}

// toolRules say what the arguments are.
const toolRules = "Give each argument in the type, unit and form that its description wants. Copy texts and names unchanged, without quotation marks around them. Where the request corrects a value, the correction counts. " +
	"Leave out parameters that are not mentioned; a default may be left out or given."

func (t toolItem) Prompt() string {
	return string(task.AppendFilled(make([]byte, 0, 4*task.PromptRoom), toolPhrasings[t.Phrasing], func(c byte) string {
		switch c {
		case 't':
			return t.definitions()
		case 'r':
			return t.Request
		}
		return strings.ReplaceAll(toolForms[task.Bit(len(t.Calls) > 1)], "%n", strconv.Itoa(len(t.Calls))) + toolRules
	}))
}

// definitions writes the tools as JSON, one after the other.
func (t toolItem) definitions() string {
	var parts []string
	for i := range t.Tools {
		of := &t.Tools[i]
		w := &schemaWriter{b: []byte("{\n  \"name\": " + quoteJSON(of.Name) + ",\n  \"description\": " + quoteJSON(of.Description) + ",\n  \"parameters\": "), depth: 1}
		w.schema(&of.Parameters)
		parts = append(parts, string(w.b)+"\n}")
	}
	return strings.Join(parts, "\n")
}

// Canonical implements [task.Canonicalizer]. The question is which tools are called, and with which
// values, in the units and forms that descriptions name. The names of parameters, other tools and
// parameters, and the words of the request are accidents.
func (t toolItem) Canonical() string {
	var b strings.Builder
	for _, c := range t.Calls {
		var parts []string
		read, err := answer.ReadJSON(string(c.Arguments))
		arguments, ok := read.(map[string]any)
		of := t.named(c.Name)
		if err != nil || !ok || of == nil {
			return ""
		}
		for _, p := range of.Parameters.Properties {
			if value, has := arguments[p.Name]; has {
				parts = append(parts, p.Schema.Description+": "+canonicalValue(value))
			}
		}
		slices.Sort(parts)
		b.WriteString(c.Name + "(" + strings.Join(parts, ", ") + ")")
	}
	return b.String()
}

// named returns the tool with a name, or nil.
func (t toolItem) named(name string) *tool {
	for i := range t.Tools {
		if t.Tools[i].Name == name {
			return &t.Tools[i]
		}
	}
	return nil
}

// Check refuses a record with invalid schemas, or with calls that its own tools do not take.
func (t toolItem) Check() error {
	left := 10 * mostSchemas
	for i := range t.Tools {
		if err := t.Tools[i].Parameters.check(0, &left); err != nil {
			return err
		}
	}
	return task.CheckSolution(t)
}

func (t toolItem) Solve() string {
	parts := make([]string, len(t.Calls))
	for i, c := range t.Calls {
		parts[i] = `{"name": ` + quoteJSON(c.Name) + `, "arguments": ` + string(c.Arguments) + "}"
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Score implements [task.Scorer]. Right are the calls, in their order, with arguments of the same
// values; an argument that is its default may be missing.
func (t toolItem) Score(text string) quintain.Verdict {
	const longest = 32 << 10 // bytes, far more than a right answer needs
	text = answer.Trim(text)
	if text == "" || len(text) > longest {
		return quintain.Malformed("the answer is empty or too long")
	}
	value, why := readValue(text)
	if why != "" {
		return quintain.Malformed(why)
	}
	calls := []any{value}
	if list, ok := value.([]any); ok && len(t.Calls) > 1 {
		calls = list
	}
	if len(calls) != len(t.Calls) {
		return quintain.Wrong(fmt.Sprintf("there are %d calls, want %d", len(calls), len(t.Calls)))
	}
	for i, given := range calls {
		if why := t.fault(given, t.Calls[i]); why != "" {
			return quintain.Wrong(fmt.Sprintf("call %d: %s", i+1, why))
		}
	}
	return quintain.Right()
}

// fault says why a given call is not the wanted one; empty: it is.
func (t toolItem) fault(given any, want call) string {
	object, ok := given.(map[string]any)
	name, named := object["name"].(string)
	arguments, has := object["arguments"].(map[string]any)
	switch {
	case !ok || !named || !has || len(object) != 2:
		return "it is no object with a name and arguments alone"
	case name != want.Name:
		return fmt.Sprintf("the tool is %.60q, want %q", name, want.Name)
	}
	of := t.named(want.Name)
	if of == nil {
		return "there is no such tool"
	}
	if found := of.Parameters.validate(arguments, ""); found != nil {
		return "argument " + found.String()
	}
	wanted, err := answer.ReadJSON(string(want.Arguments))
	values, ok := wanted.(map[string]any)
	if err != nil || !ok {
		return "the record has no arguments"
	}
	for i := range of.Parameters.Properties {
		p := &of.Parameters.Properties[i]
		if p.value(arguments) != p.value(values) {
			return fmt.Sprintf("argument %q is not as the request says", p.Name)
		}
	}
	return ""
}

// value returns the canonical text of a member, or of its default, or "".
func (p *property) value(object map[string]any) string {
	if value, has := object[p.Name]; has {
		return canonicalValue(value)
	}
	if p.Schema.Default != nil {
		return canonicalText(p.Schema.Default)
	}
	return ""
}
