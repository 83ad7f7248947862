package openenv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/answer"
)

// The forms of replies beside JSON.
const (
	formXML  = "xml"  // an action as JSON or text between <action> and </action>
	formText = "text" // the whole reply is the text of the only field
)

// actions reads replies as actions of a schema.
type actions struct {
	form   string
	schema schema
	field  string // that a reply without names is; empty: there are several
	asks   string // what is told to the policy
}

// newActions returns what reads the actions of a schema; nil: they are calls of tools.
func newActions(text json.RawMessage, form string) (*actions, error) {
	a := &actions{form: form}
	if err := strictjson.UnmarshalNumbers(text, &a.schema); err != nil || len(a.schema) == 0 {
		return nil, fmt.Errorf("the server has no schema of actions: %.200s", text)
	}
	if slices.Contains([]any{"Action", "CallToolAction", "ListToolsAction"}, a.schema["title"]) {
		return nil, nil //nolint:nilnil // none are read
	}
	a.field = a.schema.only()
	shown, err := a.schema.shown()
	switch form {
	case "":
		a.asks = "\n\nReply with one action and nothing else: JSON of this schema.\n" + shown
	case formXML:
		a.asks = "\n\nEnd your reply with one action between <action> and </action>: JSON of this schema.\n" + shown
	case formText:
		if a.field == "" {
			return nil, fmt.Errorf("environment.args: form %s is for actions of one field, and these have several", form)
		}
	default:
		return nil, fmt.Errorf("environment.args: form is %.40q, want %s or %s, or none for JSON", form, formXML, formText)
	}
	return a, err
}

// read returns the action in a reply, or says why there is none: as JSON, in a block between lines of
// backquotes or alone, or else as the text of the only field.
func (a *actions) read(reply string) (action json.RawMessage, why string) {
	said := strings.ToValidUTF8(strings.TrimSpace(answer.WithoutThinking(reply)), "\uFFFD")
	if a.form == formXML {
		if said, why = answer.Between(reply, "action"); why != "" {
			return nil, why
		}
	}
	if a.form != formText {
		if action, why = a.parse(unfenced(said)); why == "" {
			return action, ""
		}
	}
	if a.field == "" {
		return nil, why
	}
	if action, fault := a.fitting(map[string]any{a.field: said}); fault == "" || why == "" {
		return action, fault
	}
	return nil, why
}

// parse reads a text as the JSON of an action, or of its only field.
func (a *actions) parse(text string) (action json.RawMessage, why string) {
	if fault := strictjson.Check([]byte(text), maxDepth); fault != nil {
		return nil, "it is not JSON: " + fault.Error()
	}
	var v any
	if err := strictjson.UnmarshalNumbers([]byte(text), &v); err != nil {
		return nil, err.Error()
	}
	if _, object := v.(map[string]any); !object && a.field != "" {
		v = map[string]any{a.field: v}
	}
	return a.fitting(v)
}

// maxDepth is the greatest depth of nested values in an action.
const maxDepth = 32

// fitting returns a value as an action, or says why it does not fit the schema.
func (a *actions) fitting(v any) (action json.RawMessage, why string) {
	if why := a.schema.fault(v); why != "" {
		return nil, why
	}
	text, err := strictjson.Legible(v)
	if err != nil {
		return nil, err.Error()
	}
	return text, ""
}

// unfenced returns the last block of a text between lines of backquotes, or else the text.
func unfenced(text string) string {
	const fence = "```"
	end := strings.LastIndex(text, fence)
	start := strings.LastIndex(text[:max(end, 0)], fence)
	if start < 0 {
		return text
	}
	inner := text[start+len(fence) : end]
	if _, rest, more := strings.Cut(inner, "\n"); more {
		inner = rest // without the name of a language
	}
	return strings.TrimSpace(inner)
}
