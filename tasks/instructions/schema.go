package instructions

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/answer"
)

// A schema is a JSON Schema (draft 2020-12) with a part of its keywords. Objects keep their
// members in the order of the text.
type schema struct {
	Type        string            `json:"type,omitempty"`
	Enum        []json.RawMessage `json:"enum,omitempty"`
	Const       json.RawMessage   `json:"const,omitempty"`
	Minimum     *int              `json:"minimum,omitempty"`
	Maximum     *int              `json:"maximum,omitempty"`
	MultipleOf  int               `json:"multiple_of,omitempty"`
	MinLength   int               `json:"min_length,omitempty"`
	MaxLength   int               `json:"max_length,omitempty"` // 0: none
	Pattern     string            `json:"pattern,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	MinItems    int               `json:"min_items,omitempty"`
	MaxItems    int               `json:"max_items,omitempty"` // 0: none
	UniqueItems bool              `json:"unique_items,omitempty"`
	Properties  []property        `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Closed      bool              `json:"closed,omitempty"` // no additional properties
	Dependent   []dependency      `json:"dependent,omitempty"`
	AnyOf       []schema          `json:"any_of,omitempty"`
	OneOf       []schema          `json:"one_of,omitempty"`
	Not         *schema           `json:"not,omitempty"`
	Description string            `json:"description,omitempty"`
	Default     json.RawMessage   `json:"default,omitempty"`
}

// A property is a member that an object may have.
type property struct {
	Name   string `json:"name"`
	Schema schema `json:"schema"`
}

// A dependency says which members must be there if one is.
type dependency struct {
	Name  string   `json:"name"`
	Wants []string `json:"wants"`
}

// Limits of a schema in a record, and of a value.
const (
	deepestSchema = 8
	mostSchemas   = 300
	deepestValue  = 40
	longestText   = 80 // of a name or a pattern, in bytes
	longestNumber = 30 // in bytes
)

// check refuses a schema that is too large, or has an invalid part. left counts the schemas that
// it may still have.
func (s *schema) check(depth int, left *int) error {
	if *left--; depth > deepestSchema || *left < 0 {
		return fmt.Errorf("schema is too large, want at most %d parts and depth %d", mostSchemas, deepestSchema)
	}
	if len(s.Pattern) > longestText {
		return fmt.Errorf("pattern has %d bytes, want at most %d", len(s.Pattern), longestText)
	}
	if _, err := regexp.Compile(s.Pattern); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if s.MultipleOf < 0 {
		return fmt.Errorf("multiple_of is %d, want 0 or more", s.MultipleOf)
	}
	for _, part := range s.parts() {
		if err := part.check(depth+1, left); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the schemas within s.
func (s *schema) parts() (list []*schema) {
	for i := range s.Properties {
		list = append(list, &s.Properties[i].Schema)
	}
	for _, group := range [][]schema{s.AnyOf, s.OneOf} {
		for i := range group {
			list = append(list, &group[i])
		}
	}
	for _, part := range []*schema{s.Items, s.Not} {
		if part != nil {
			list = append(list, part)
		}
	}
	return list
}

// readValue reads a text as a JSON value without equal names in an object, that is not too deep.
func readValue(text string) (value any, why string) {
	if fault := strictjson.Check([]byte(text), deepestValue); fault != nil {
		return nil, "the answer is no valid JSON: " + fault.Error()
	}
	value, err := answer.ReadJSON(text)
	if err != nil {
		return nil, "the answer is no valid JSON"
	}
	return value, ""
}

// rational returns the value of a number, if it is short enough.
func rational(number json.Number) (value *big.Rat, read bool) {
	const mostExponent = 30
	text := number.String()
	if _, exponent, has := strings.Cut(strings.ToLower(text), "e"); has {
		if n, err := strconv.Atoi(exponent); err != nil || n > mostExponent || n < -mostExponent {
			return nil, false
		}
	}
	if len(text) > longestNumber {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// typeOf returns the type of a value: a whole number is an integer, and a number too.
func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if n, read := rational(v); read && n.IsInt() {
			return "integer"
		}
	}
	return "number"
}

// canonicalValue writes a value so that equal values have equal texts.
func canonicalValue(value any) string {
	switch v := value.(type) {
	case json.Number:
		if n, read := rational(v); read {
			return n.RatString()
		}
		return v.String()
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = canonicalValue(element)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(name)+":"+canonicalValue(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(value)
}

// canonicalText is canonicalValue of a JSON text.
func canonicalText(text json.RawMessage) string {
	value, err := answer.ReadJSON(string(text))
	if err != nil {
		return string(text)
	}
	return canonicalValue(value)
}

// A fault says which part of a value is invalid, and why.
type fault struct{ at, why string }

func (f *fault) String() string {
	if f.at == "" {
		return "the value " + f.why
	}
	return strings.TrimPrefix(f.at, ".") + " " + f.why
}

// validate returns the first fault of a value, or nil. at is where it stands.
func (s *schema) validate(value any, at string) *fault {
	kind := typeOf(value)
	if s.Type != "" && s.Type != kind && !(s.Type == "number" && kind == "integer") {
		return &fault{at, "is of type " + kind + ", want " + s.Type}
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(of json.RawMessage) bool { return canonicalText(of) == canonicalValue(value) }) {
		return &fault{at, "is none of the listed values"}
	}
	if s.Const != nil && canonicalText(s.Const) != canonicalValue(value) {
		return &fault{at, "is not " + string(s.Const)}
	}
	var found *fault
	switch v := value.(type) {
	case json.Number:
		found = s.validateNumber(v, at)
	case string:
		found = s.validateString(v, at)
	case []any:
		found = s.validateArray(v, at)
	case map[string]any:
		found = s.validateObject(v, at)
	}
	if found != nil {
		return found
	}
	return s.validateLogic(value, at)
}

// validateNumber checks the keywords of numbers.
func (s *schema) validateNumber(number json.Number, at string) *fault {
	n, read := rational(number)
	switch {
	case !read:
		return &fault{at, fmt.Sprintf("is longer than %d digits", longestNumber)}
	case s.Minimum != nil && n.Cmp(big.NewRat(int64(*s.Minimum), 1)) < 0:
		return &fault{at, fmt.Sprintf("is less than %d", *s.Minimum)}
	case s.Maximum != nil && n.Cmp(big.NewRat(int64(*s.Maximum), 1)) > 0:
		return &fault{at, fmt.Sprintf("is more than %d", *s.Maximum)}
	case s.MultipleOf > 0 && !new(big.Rat).Quo(n, big.NewRat(int64(s.MultipleOf), 1)).IsInt():
		return &fault{at, fmt.Sprintf("is no multiple of %d", s.MultipleOf)}
	}
	return nil
}

// validateString checks the keywords of strings.
func (s *schema) validateString(text, at string) *fault {
	n := utf8.RuneCountInString(text)
	switch {
	case n < s.MinLength:
		return &fault{at, fmt.Sprintf("has %d characters, want %d or more", n, s.MinLength)}
	case s.MaxLength > 0 && n > s.MaxLength:
		return &fault{at, fmt.Sprintf("has %d characters, want %d at most", n, s.MaxLength)}
	case s.Pattern != "":
		pattern, err := regexp.Compile(s.Pattern)
		if err != nil || !pattern.MatchString(text) {
			return &fault{at, "does not match the pattern " + s.Pattern}
		}
	}
	return nil
}

// validateArray checks the keywords of arrays.
func (s *schema) validateArray(list []any, at string) *fault {
	switch {
	case len(list) < s.MinItems:
		return &fault{at, fmt.Sprintf("has %d elements, want %d or more", len(list), s.MinItems)}
	case s.MaxItems > 0 && len(list) > s.MaxItems:
		return &fault{at, fmt.Sprintf("has %d elements, want %d at most", len(list), s.MaxItems)}
	}
	seen := map[string]bool{}
	for i, element := range list {
		if s.UniqueItems {
			text := canonicalValue(element)
			if seen[text] {
				return &fault{at, "has equal elements"}
			}
			seen[text] = true
		}
		if s.Items == nil {
			continue
		}
		if found := s.Items.validate(element, at+"["+strconv.Itoa(i)+"]"); found != nil {
			return found
		}
	}
	return nil
}

// validateObject checks the keywords of objects.
func (s *schema) validateObject(object map[string]any, at string) *fault {
	for _, name := range s.Required {
		if _, has := object[name]; !has {
			return &fault{at, "has no " + strconv.Quote(name)}
		}
	}
	for _, d := range s.Dependent {
		if _, has := object[d.Name]; !has {
			continue
		}
		for _, name := range d.Wants {
			if _, has := object[name]; !has {
				return &fault{at, fmt.Sprintf("has %q, but no %q", d.Name, name)}
			}
		}
	}
	known := 0
	for i := range s.Properties {
		p := &s.Properties[i]
		value, has := object[p.Name]
		if !has {
			continue
		}
		known++
		if found := p.Schema.validate(value, at+"."+p.Name); found != nil {
			return found
		}
	}
	if s.Closed && len(object) > known {
		return &fault{at, "has a member that the schema does not name"}
	}
	return nil
}

// validateLogic checks anyOf, oneOf and not.
func (s *schema) validateLogic(value any, at string) *fault {
	fitting := func(list []schema) (n int) {
		for i := range list {
			if list[i].validate(value, at) == nil {
				n++
			}
		}
		return n
	}
	switch {
	case len(s.AnyOf) > 0 && fitting(s.AnyOf) == 0:
		return &fault{at, "fits no schema of anyOf"}
	case len(s.OneOf) > 0 && fitting(s.OneOf) != 1:
		return &fault{at, fmt.Sprintf("fits %d schemas of oneOf, want one", fitting(s.OneOf))}
	case s.Not != nil && s.Not.validate(value, at) == nil:
		return &fault{at, "fits the schema of not"}
	}
	return nil
}
