package instructions

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestJSONSchemaScore(t *testing.T) {
	item := jsonSchemaItem{
		Schema: schema{
			Type: "object", Closed: true, Required: []string{"age", "tags"},
			Properties: []property{
				{"age", schema{Type: "integer", Minimum: new(3), Maximum: new(50), MultipleOf: 3}},
				{"tags", schema{Type: "array", MinItems: 2, MaxItems: 3, UniqueItems: true, Items: &schema{Type: "string", Pattern: "^[a-z]{2,4}$"}}},
				{"rank", schema{OneOf: []schema{{Type: "integer", Minimum: new(0)}, {Type: "integer", MultipleOf: 2}}}},
				{"zone", schema{Type: "string", MinLength: 2, MaxLength: 3, Not: &schema{Enum: []json.RawMessage{json.RawMessage(`"no"`)}}}},
			},
			Dependent: []dependency{{"age", []string{"rank"}}},
		},
		Conditions: []condition{{"sum", 10}, {"characters", 6}},
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 1}`, 1, ""},
		{"{\n \"rank\": 1.0,\n \"tags\": [\"abc\", \"def\"],\n \"age\": 9e0\n}\n", 1, "another order, space, and other spellings of the numbers"},
		{`{"age": 12, "tags": ["ab", "cd"], "rank": -2, "zone": "ué"}`, 1, "an optional member, of two characters"},
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 3}`, 0, "the sum is 12"},
		{`{"age": 9, "tags": ["ab", "cde"], "rank": 1}`, 0, "five characters"},
		{`{"age": 8, "tags": ["ab", "cdef"], "rank": 2}`, 0, "8 is no multiple of 3, and 2 fits both schemas of oneOf"},
		{`{"age": 12, "tags": ["ab", "cdef"], "rank": -1}`, 0, "-1 fits none of them"},
		{`{"age": 9, "tags": ["abc", "abc"], "rank": 1}`, 0, "equal elements"},
		{`{"age": 9, "tags": ["abcdef"], "rank": 1}`, 0, "one element, too long"},
		{`{"age": 9, "tags": ["ab", "ef"], "rank": 1, "zone": "no"}`, 0, "a word that not forbids"},
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 1, "x": 0}`, 0, "another member"},
		{`{"age": 9, "tags": ["ab", "cdef"]}`, 0, "age without rank"},
		{`{"age": "9", "tags": ["ab", "cdef"], "rank": 1}`, 0, "a string for a number"},
		{`{"age": 9, "age": 9, "tags": ["ab", "cdef"], "rank": 1}`, 0, "a name twice"},
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 1} {}`, 0, "two values"},
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 1000000000000000000000000000000000}`, 0, "too long a number"},
		{`{"age": 9, "tags": ["ab", "cdef"], "rank": 1e999999999}`, 0, "too large a number"},
		{`[]`, 0, "another type"},
		{strings.Repeat("[", 20000), 0, "too long"},
	})
}

func TestJSONSchema(t *testing.T) {
	of := jsonSchema.Task()
	tasktest.Refused(t, of, map[string]string{`{"min_members":1}`: "members", `{"depth":4}`: "depth", `{"tier":0}`: "tier", `{"conditions":5}`: "conditions"})
	tasktest.RefusedRecords(t, of, []string{
		`{"schema":{"type":"integer"},"conditions":[{"measure":"none","is":1}],"example":"1"}`,
		`{"schema":{"type":"integer"},"conditions":[{"measure":"sum","is":1}],"example":"2"}`,
		`{"schema":{"type":"string","pattern":"("},"conditions":[],"example":"\"a\""}`,
		`{"schema":{"multiple_of":-1},"conditions":[],"example":"1"}`,
		`{"schema":` + strings.Repeat(`{"not":`, 10) + `{}` + strings.Repeat(`}`, 10) + `,"conditions":[],"example":"1"}`,
	})
	tasktest.Variant(t, of, "the order of members, names, values and alternatives", func(j *jsonSchemaItem, r *rng.Rand) func(string) string {
		reorder(&j.Schema, r)
		rng.Shuffle(r, j.Conditions)
		return nil
	})
	tasktest.Variant(t, of, "the names of members", func(j *jsonSchemaItem, _ *rng.Rand) func(string) string {
		renameMembers(&j.Schema)
		rename := func(text string) string { return regexp.MustCompile(`(\w+)":`).ReplaceAllString(text, `x_$1":`) }
		j.Example = rename(j.Example)
		return rename
	})
	tasktest.Other(t, of, "a bound", func(j *jsonSchemaItem) {
		if first := &j.Schema.Properties[0].Schema; first.Minimum != nil {
			first.Minimum = new(*first.Minimum - 1)
		}
	})
	tasktest.Translated(t, of, func(solution string, from, to jsonSchemaItem) string {
		value, why := readValue(solution)
		if why != "" {
			t.Fatal(why)
		}
		text, err := json.Marshal(translated(value, &from.Schema, &to.Schema))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	})
	tasktest.Same(t, of, "another example is no other question", func(j *jsonSchemaItem) { j.Example = " " + j.Example })
	tasktest.Second(t, of, 1400, func(j jsonSchemaItem, prompt, got string) error {
		var read map[string]any
		_, after, _ := strings.Cut(prompt, "{")
		if err := json.NewDecoder(strings.NewReader("{" + after)).Decode(&read); err != nil {
			return err
		}
		var value any
		if err := json.Unmarshal([]byte(got), &value); err != nil {
			return err
		}
		if !fits(read, value) {
			return fmt.Errorf("%s does not fit the schema of the prompt", got)
		}
		for _, c := range j.Conditions {
			if n := secondMeasures[c.Measure](got); n != float64(c.Is) || !strings.Contains(prompt, fmt.Sprint(c.Is)) {
				return fmt.Errorf("%s of %s is %v, want %d, as the prompt says", c.Measure, got, n, c.Is)
			}
		}
		return nil
	})
}

// TestValidateAgrees compares the validator with the second one on the solutions of other
// problems, whole and with one member of their own schema.
func TestValidateAgrees(t *testing.T) {
	r := rng.New(3, "agree")
	valid := 0
	for range 1000 {
		s, _ := jsonSchema.Levels[5].part(r)
		_, value := jsonSchema.Levels[5].part(r)
		if r.Chance(0.5) {
			again := s
			_, value = again.redraw(r)
		}
		text := valueJSON(value)
		read, why := readValue(text)
		var second any
		var generic map[string]any
		if why != "" || json.Unmarshal([]byte(text), &second) != nil || json.Unmarshal([]byte(s.text()), &generic) != nil {
			t.Fatalf("%s or %s is no JSON: %s", text, s.text(), why)
		}
		found := s.validate(read, "")
		if (found == nil) != fits(generic, second) {
			t.Fatalf("%s under %s: fault %v, and the second validator says otherwise", text, s.text(), found)
		}
		if found == nil {
			valid++
		}
	}
	if valid < 50 || valid > 950 {
		t.Errorf("%d of 1000 values are valid, want some of both kinds", valid)
	}
}

// redraw returns a value near the bounds of s.
func (s *schema) redraw(r *rng.Rand) (*schema, any) {
	switch {
	case s.Minimum != nil:
		return s, r.Between(*s.Minimum-3, *s.Maximum+3)
	case s.Items != nil:
		_, v := s.Items.redraw(r)
		return s, []any{v, v}
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].redraw(r)
	case len(s.OneOf) > 0:
		return s.OneOf[0].redraw(r)
	}
	return s, strings.Repeat("b", r.Between(1, 12))
}

// renameMembers puts an x before every name.
func renameMembers(s *schema) {
	for i := range s.Properties {
		s.Properties[i].Name = "x_" + s.Properties[i].Name
	}
	for i := range s.Required {
		s.Required[i] = "x_" + s.Required[i]
	}
	for i := range s.Dependent {
		s.Dependent[i].Name, s.Dependent[i].Wants[0] = "x_"+s.Dependent[i].Name, "x_"+s.Dependent[i].Wants[0]
	}
	for _, part := range s.parts() {
		renameMembers(part)
	}
}

// translated gives the members of a value of one schema the names of another with the same key.
func translated(value any, from, to *schema) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	other, names := map[string]any{}, to.ranked()
	for i, p := range from.ranked() {
		if member, has := object[p.Name]; has {
			other[names[i].Name] = translated(member, &p.Schema, &names[i].Schema)
		}
	}
	return other
}

// reorder shuffles everything without an order.
func reorder(s *schema, r *rng.Rand) {
	rng.Shuffle(r, s.Properties)
	rng.Shuffle(r, s.Required)
	rng.Shuffle(r, s.Enum)
	rng.Shuffle(r, s.AnyOf)
	rng.Shuffle(r, s.OneOf)
	for _, part := range s.parts() {
		reorder(part, r)
	}
}

// fits is a second validator, over the text of a schema as encoding/json reads it.
func fits(s map[string]any, value any) bool {
	for keyword, want := range s {
		fine := true
		switch v := value.(type) {
		case float64:
			fine = numberFits(keyword, want, v)
		case string:
			fine = stringFits(keyword, want, v)
		case []any:
			fine = arrayFits(keyword, want, v)
		case map[string]any:
			fine = objectFits(keyword, want, v, s)
		}
		if !fine || !anythingFits(keyword, want, value) {
			return false
		}
	}
	return true
}

func countFits(list any, value any) (n int) {
	for _, one := range list.([]any) {
		if fits(one.(map[string]any), value) {
			n++
		}
	}
	return n
}

func anythingFits(keyword string, want, value any) bool {
	switch keyword {
	case "type":
		n, number := value.(float64)
		text, _ := json.Marshal(value)
		return map[any]bool{
			"number": number, "integer": number && n == math.Trunc(n), "string": text[0] == '"', "array": text[0] == '[',
			"object": text[0] == '{', "null": value == nil, "boolean": text[0] == 't' || text[0] == 'f',
		}[want]
	case "enum":
		return slices.ContainsFunc(want.([]any), func(one any) bool { return reflect.DeepEqual(one, value) })
	case "const":
		return reflect.DeepEqual(want, value)
	case "anyOf":
		return countFits(want, value) > 0
	case "oneOf":
		return countFits(want, value) == 1
	case "not":
		return !fits(want.(map[string]any), value)
	}
	return true
}

func numberFits(keyword string, want any, value float64) bool {
	switch keyword {
	case "minimum":
		return value >= want.(float64)
	case "maximum":
		return value <= want.(float64)
	case "multipleOf":
		return math.Mod(value, want.(float64)) == 0
	}
	return true
}

func stringFits(keyword string, want any, value string) bool {
	switch keyword {
	case "minLength":
		return utf8.RuneCountInString(value) >= int(want.(float64))
	case "maxLength":
		return utf8.RuneCountInString(value) <= int(want.(float64))
	case "pattern":
		return regexp.MustCompile(want.(string)).FindStringIndex(value) != nil
	}
	return true
}

func arrayFits(keyword string, want any, value []any) bool {
	switch keyword {
	case "minItems":
		return len(value) >= int(want.(float64))
	case "maxItems":
		return len(value) <= int(want.(float64))
	case "uniqueItems":
		for i := range value {
			if slices.ContainsFunc(value[:i], func(one any) bool { return reflect.DeepEqual(one, value[i]) }) {
				return false
			}
		}
	case "items":
		return !slices.ContainsFunc(value, func(one any) bool { return !fits(want.(map[string]any), one) })
	}
	return true
}

func objectFits(keyword string, want any, value map[string]any, s map[string]any) bool {
	has := func(names any) bool {
		return !slices.ContainsFunc(names.([]any), func(name any) bool { _, ok := value[name.(string)]; return !ok })
	}
	switch keyword {
	case "required":
		return has(want)
	case "dependentRequired":
		for name, names := range want.(map[string]any) {
			if _, ok := value[name]; ok && !has(names) {
				return false
			}
		}
	case "properties":
		for name, of := range want.(map[string]any) {
			if member, ok := value[name]; ok && !fits(of.(map[string]any), member) {
				return false
			}
		}
	case "additionalProperties":
		known, _ := s["properties"].(map[string]any)
		for name := range value {
			if known[name] == nil {
				return false
			}
		}
	}
	return true
}

// secondMeasures count in the texts of values, not in their trees.
var secondMeasures = map[string]func(string) float64{
	"sum": func(text string) (sum float64) {
		for _, token := range tokensOf(text) {
			if n, ok := token.(float64); ok {
				sum += n
			}
		}
		return sum
	},
	"characters": func(text string) (n float64) {
		for _, found := range regexp.MustCompile(`"([^"]*)"\s*(:?)`).FindAllStringSubmatch(text, -1) {
			if found[2] == "" {
				n += float64(len(found[1]))
			}
		}
		return n
	},
	"members": func(text string) float64 { return float64(len(regexp.MustCompile(`"\s*:`).FindAllString(text, -1))) },
	"elements": func(text string) (n float64) {
		for _, list := range regexp.MustCompile(`\[[^\[\]]*\]`).FindAllString(text, -1) {
			n += float64(strings.Count(list, ",") + 1)
		}
		return n
	},
}

// tokensOf returns the tokens of a JSON text.
func tokensOf(text string) (tokens []json.Token) {
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		token, err := dec.Token()
		if err != nil {
			return tokens
		}
		tokens = append(tokens, token)
	}
}
