package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// schemas are the names of the JSON types that arguments may have, by tool and parameter;
// none: its schema does not say.
type schemas map[string]map[string][]string

// readSchemas reads tools in the form of chat templates; a tool without its wrapper will
// do too. What is none has no schema.
func readSchemas(tools json.RawMessage) schemas {
	type function struct {
		Name       string `json:"name"`
		Parameters struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"parameters"`
	}
	var list []json.RawMessage
	if strictjson.Unmarshal(tools, &list) != nil {
		return schemas{}
	}
	all := schemas{}
	for _, raw := range list {
		var tool struct {
			function
			Function function `json:"function"`
		}
		if strictjson.Unmarshal(raw, &tool) != nil {
			continue
		}
		f := tool.Function
		if f.Name == "" {
			f = tool.function
		}
		types := map[string][]string{}
		for name, schema := range f.Parameters.Properties {
			types[name] = kinds(schema, 0)
		}
		all[f.Name] = types
	}
	return all
}

// kinds returns the names of the JSON types that a schema allows; empty: it does not say.
func kinds(schema json.RawMessage, depth int) (names []string) {
	var s struct {
		Type  json.RawMessage   `json:"type"`
		AnyOf []json.RawMessage `json:"anyOf"`
		OneOf []json.RawMessage `json:"oneOf"`
		Enum  []json.RawMessage `json:"enum"`
		Const json.RawMessage   `json:"const"`
	}
	if depth > maxDepth || strictjson.Unmarshal(schema, &s) != nil {
		return nil
	}
	var one string
	switch {
	case len(s.Type) > 0 && strictjson.Unmarshal(s.Type, &one) == nil:
		return []string{one}
	case len(s.Type) > 0 && strictjson.Unmarshal(s.Type, &names) == nil:
		return names
	}
	for _, part := range slices.Concat(s.AnyOf, s.OneOf) {
		names = append(names, kinds(part, depth+1)...)
	}
	if s.Const != nil {
		s.Enum = append(s.Enum, s.Const)
	}
	for _, v := range s.Enum {
		names = append(names, kindOf(v))
	}
	return names
}

// kindOf returns the JSON type of a value.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	}
	return "number"
}

// typed returns the JSON of a value that a model wrote without quotes, by the types that
// its parameter may have: of the first that it fits, else as a string, and reports whether
// it fits any. Only a string may look like another type; without types, objects and arrays
// are what they look like.
func typed(text string, names []string) (literal string, fits bool) {
	if len(names) == 0 {
		names = []string{"string", "object", "array"}
	}
	plain := strings.TrimSpace(text)
	for _, name := range names {
		if literal, fits := fit(plain, name); fits {
			return literal, true
		}
	}
	return string(strictjson.AppendLegible(nil, text)), slices.Contains(names, "string")
}

// fit returns the JSON of a text if it is of the type.
func fit(text, name string) (literal string, fits bool) {
	switch name {
	case "null", "boolean":
		literal = map[string]string{"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}[text]
		return literal, literal != "" && (literal == "null") == (name == "null")
	case "integer", "number":
		end, why := number(text, 0)
		return text, why == "" && end == len(text)
	case "object", "array":
		if !strings.HasPrefix(text, map[string]string{"object": "{", "array": "["}[name]) {
			return "", false
		}
		if whole(text) == "" {
			return text, true
		}
		literal, why := pythonValue(text)
		return literal, why == ""
	}
	return "", false
}
