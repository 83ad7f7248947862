package openenv

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A schema is a JSON Schema of actions. What it does not know of the keywords it lets pass: the server
// judges it.
type schema map[string]any

// fields returns the properties that an action is made of.
func (s schema) fields() map[string]any {
	all, _ := s["properties"].(map[string]any)
	fields := map[string]any{}
	for name, of := range all {
		if name != "metadata" {
			fields[name] = of
		}
	}
	return fields
}

// only returns the only field that is required or, if there is just one, that field; empty: there are
// several.
func (s schema) only() (name string) {
	required, _ := s["required"].([]any)
	if len(required) == 0 {
		for field := range s.fields() {
			required = append(required, field)
		}
	}
	if len(required) == 1 {
		name, _ = required[0].(string)
	}
	return name
}

// shown returns the schema as the policy reads it: without metadata.
func (s schema) shown() (string, error) {
	clean := map[string]any(maps.Clone(s))
	clean["properties"] = s.fields()
	text, err := strictjson.Legible(clean)
	return string(text), err
}

// fault says why a value does not fit; empty: it does.
func (s schema) fault(v any) string {
	const most = 10_000 // steps; then it fits
	c := checker{s, most}
	return c.check(map[string]any(s), v, "the action")
}

// A checker compares a value with a schema.
type checker struct {
	root schema
	fuel int // steps that are left
}

// check says why a value, at a place, does not fit a part of the schema; empty: it does.
func (c *checker) check(rule, v any, at string) string {
	of, _ := rule.(map[string]any)
	if c.fuel--; c.fuel < 0 || of == nil {
		if rule == false {
			return at + " is not allowed"
		}
		return ""
	}
	rules, _ := of["allOf"].([]any)
	if name, ok := of["$ref"].(string); ok {
		rules = append(slices.Clip(rules), c.find(name))
	}
	for _, rule := range rules {
		if fault := c.check(rule, v, at); fault != "" {
			return fault
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if fault := c.any(of[keyword], v, at); fault != "" {
			return fault
		}
	}
	if why := unlike(of, v); why != "" {
		return at + ": " + why
	}
	return c.inside(of, v, at)
}

// find returns the part of the schema that a reference names; nil: there is none.
func (c *checker) find(name string) any {
	var part any = map[string]any(c.root)
	for _, step := range strings.Split(strings.TrimPrefix(name, "#"), "/")[1:] {
		inner, _ := part.(map[string]any)
		part = inner[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return part
}

// any says why a value fits none of the rules.
func (c *checker) any(rules, v any, at string) (why string) {
	list, _ := rules.([]any)
	for _, rule := range list {
		fault := c.check(rule, v, at)
		if fault == "" {
			return ""
		}
		if why == "" {
			why = fault
		}
	}
	return why
}

// inside says why a member or an element does not fit.
func (c *checker) inside(of map[string]any, v any, at string) string {
	list, _ := v.([]any)
	for i, value := range list {
		if fault := c.check(of["items"], value, fmt.Sprintf("%s[%d]", at, i)); fault != "" {
			return fault
		}
	}
	members, isObject := v.(map[string]any)
	properties, _ := of["properties"].(map[string]any)
	required, _ := of["required"].([]any)
	for _, name := range required {
		name, _ := name.(string)
		if _, is := members[name]; isObject && !is {
			return fmt.Sprintf("%s: %.60s is missing", at, name)
		}
	}
	for name, value := range members {
		rule, known := properties[name]
		if !known {
			rule = of["additionalProperties"]
		}
		if fault := c.check(rule, value, fmt.Sprintf("%.60s", name)); fault != "" {
			return fault
		}
	}
	return ""
}

// unlike says what is wrong with a value itself.
func unlike(of map[string]any, v any) string {
	kinds, many := of["type"].([]any)
	if kind, one := of["type"].(string); one {
		kinds, many = []any{kind}, true
	}
	if many && !slices.ContainsFunc(kinds, func(kind any) bool { return isKind(kind, v) }) {
		return fmt.Sprintf("want %v", of["type"])
	}
	equal := func(want any) bool { return reflect.DeepEqual(plain(want), plain(v)) }
	if want, ok := of["const"]; ok && !equal(want) {
		return fmt.Sprintf("want %v", want)
	}
	if list, ok := of["enum"].([]any); ok && !slices.ContainsFunc(list, equal) {
		return fmt.Sprintf("want one of %v", list)
	}
	form, _ := of["pattern"].(string)
	if text, ok := v.(string); ok {
		if like, err := regexp.Compile(form); err == nil && !like.MatchString(text) { // others pass
			return fmt.Sprintf("want a text like %.100s", form)
		}
	}
	return beyond(of, v)
}

// beyond says which limit the size of a value exceeds.
func beyond(of map[string]any, v any) string {
	n, what := 0.0, "imum" // minimum, maximum
	switch v := plain(v).(type) {
	case float64:
		n = v
	case string:
		n, what = float64(utf8.RuneCountInString(v)), "Length"
	case []any:
		n, what = float64(len(v)), "Items"
	default:
		return ""
	}
	for keyword, wrong := range map[string]func(limit float64) bool{
		"min" + what: func(l float64) bool { return n < l }, "exclusiveMin" + what: func(l float64) bool { return n <= l },
		"max" + what: func(l float64) bool { return n > l }, "exclusiveMax" + what: func(l float64) bool { return n >= l },
	} {
		if l, ok := plain(of[keyword]).(float64); ok && wrong(l) {
			return fmt.Sprintf("%s is %v", keyword, l)
		}
	}
	return ""
}

// plain returns a number as such, and everything else as it is.
func plain(v any) any {
	if number, ok := v.(json.Number); ok {
		n, _ := number.Float64() // a number beyond the range is an infinity
		return n
	}
	return v
}

// isKind reports whether a value is of a type.
func isKind(kind, v any) bool {
	switch v := plain(v).(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	case float64:
		return !math.IsInf(v, 0) && (kind == "number" || kind == "integer" && v == math.Trunc(v))
	}
	return false
}
