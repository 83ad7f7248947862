package instructions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// memberNames are the names of members.
var memberNames = strings.Fields(`age amount area balance batch capacity city code color cost count country created currency depth discount
distance duration email floor gate grade group height id items label language length level limit location margin model month name notes number
order owner pages parts phase points priority quantity range rank rate rating ratio region role room score season seats serial shape size source
speed stage state status step stock tags target team temperature title total type unit user version volume weight width year zone`)

// shortWords are values of strings.
var shortWords = strings.Fields(`amber apple basil birch black blue bread brown cedar clay cloud coral cream delta east elm fern flint gold grape
green grey honey iris ivory jade lake lemon lilac lime linen maple mint moss north oak ocean olive onyx opal pearl pine plum quartz rain red river
rose ruby rust sage sand silk silver slate snow south stone tan teal tin topaz violet wheat white willow wool zinc`)

// A members list is an object in the order of its members.
type members []member

type member struct {
	name  string
	value any // int, string, bool, nil, []any or members
}

// valueJSON writes a value as JSON.
func valueJSON(value any) string {
	switch v := value.(type) {
	case string:
		return quoteJSON(v)
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = valueJSON(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case members:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = quoteJSON(m.name) + ": " + valueJSON(m.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case nil:
		return "null"
	}
	return fmt.Sprint(value)
}

// object draws the schema of an object, with a value. Objects within it are one less deep.
func (p jsonSchemaParams) object(r *rng.Rand, depth int) (schema, any) {
	s := schema{Type: "object", Closed: p.Tier == 1 || r.Chance(0.8)}
	var value members
	for i, name := range rng.Sample(r, memberNames, r.Between(p.MinMembers, p.MaxMembers)) {
		var of schema
		var v any
		if i == 0 && depth > 1 {
			of, v = p.object(r, depth-1)
		} else {
			of, v = p.part(r)
		}
		s.Properties = append(s.Properties, property{name, of})
		value = append(value, member{name, v})
	}
	rng.Shuffle(r, s.Properties)
	s.require(p, r, &value)
	return s, value
}

// require draws which members must be there: two at least, all of the easiest. It may take one of the
// others out of the value.
func (s *schema) require(p jsonSchemaParams, r *rng.Rand, value *members) {
	const leaveOut = 0.4
	all := make([]string, 0, len(*value))
	for _, m := range *value {
		all = append(all, m.name)
	}
	rng.Shuffle(r, all)
	n := len(all)
	if p.Tier > 1 {
		n = r.Between(2, len(all))
	}
	s.Required = all[:n:n]
	optional := all[n:]
	if p.Tier > 2 && len(optional) > 0 && r.Chance(0.6) {
		s.Dependent = []dependency{{s.Required[0], []string{optional[0]}}}
		optional = optional[1:]
	}
	if len(optional) > 0 && r.Chance(leaveOut) {
		*value = slices.DeleteFunc(*value, func(m member) bool { return m.name == optional[0] })
	}
}

// part draws a schema without objects, with a value.
func (p jsonSchemaParams) part(r *rng.Rand) (schema, any) {
	draws := []func(*rng.Rand) (schema, any){drawInteger, drawInteger, drawString, drawEnum, drawBoolean}
	if p.Tier > 1 {
		draws = append(draws, drawMultiple, drawPattern, drawArray, drawArray, drawNumber)
	}
	if p.Tier > 2 {
		draws = append(draws, drawAnyOf, drawOneOf, drawNotMultiple, drawNotPattern, drawNullable)
	}
	return rng.Pick(r, draws)(r)
}

// drawInteger draws a whole number within bounds.
func drawInteger(r *rng.Rand) (schema, any) {
	low := r.Between(-20, 200)
	high := low + r.Between(3, 60)
	return schema{Type: "integer", Minimum: &low, Maximum: &high}, r.Between(low, high)
}

// drawMultiple draws a multiple of a number.
func drawMultiple(r *rng.Rand) (schema, any) {
	s, _ := drawInteger(r)
	s.MultipleOf = r.Between(3, 19)
	first := *s.Minimum + (s.MultipleOf-(*s.Minimum%s.MultipleOf+s.MultipleOf)%s.MultipleOf)%s.MultipleOf
	high := max(*s.Maximum, first+3*s.MultipleOf)
	s.Maximum = &high
	return s, first + s.MultipleOf*r.Between(0, (high-first)/s.MultipleOf)
}

// drawNumber draws a number that may have a fraction.
func drawNumber(r *rng.Rand) (schema, any) {
	s, value := drawInteger(r)
	s.Type = "number"
	return s, value
}

// drawString draws a string of a length.
func drawString(r *rng.Rand) (schema, any) {
	n := r.Between(3, 12)
	s := schema{Type: "string", MinLength: n, MaxLength: n + r.Between(0, 6)}
	text := rng.Pick(r, shortWords)
	for len(text) < n {
		text += rng.Pick(r, shortWords)
	}
	return s, text[:min(len(text), r.Between(n, s.MaxLength))]
}

// drawEnum draws one of several values, or the only one.
func drawEnum(r *rng.Rand) (schema, any) {
	words := rng.Sample(r, shortWords, r.Between(2, 4))
	if r.Chance(0.2) {
		return schema{Const: json.RawMessage(quoteJSON(words[0]))}, words[0]
	}
	var s schema
	for _, word := range words {
		s.Enum = append(s.Enum, json.RawMessage(quoteJSON(word)))
	}
	if n := r.Between(1, 99); r.Chance(0.3) {
		s.Enum = append(s.Enum, json.RawMessage(strconv.Itoa(n)))
	}
	return s, words[0]
}

// drawBoolean draws true or false.
func drawBoolean(r *rng.Rand) (schema, any) { return schema{Type: "boolean"}, r.Chance(0.5) }

// drawPattern draws a pattern, and a string that matches it.
func drawPattern(r *rng.Rand) (schema, any) {
	pattern, text := "^", ""
	for range r.Between(2, 3) {
		if class := r.Between(0, 3); class == 3 {
			words := rng.Sample(r, shortWords, 2)
			pattern, text = pattern+"("+words[0]+"|"+words[1]+")", text+words[r.Between(0, 1)]
		} else {
			low := r.Between(1, 4)
			high := low + r.Between(0, 3)
			times := strconv.Itoa(low)
			if high > low {
				times += "," + strconv.Itoa(high)
			}
			pattern += [...]string{"[a-z]", "[A-Z]", "[0-9]"}[class] + "{" + times + "}"
			for range r.Between(low, high) {
				text += string([...]byte{'a', 'A', '0'}[class] + byte(r.Between(0, 9)))
			}
		}
		if r.Chance(0.5) {
			pattern, text = pattern+"-", text+"-"
		}
	}
	return schema{Type: "string", Pattern: pattern + "$"}, text
}

// drawArray draws a list of numbers or strings.
func drawArray(r *rng.Rand) (schema, any) {
	draw := rng.Pick(r, []func(*rng.Rand) (schema, any){drawInteger, drawMultiple, drawString, drawPattern})
	items, first := draw(r)
	n := r.Between(2, 5)
	s := schema{Type: "array", Items: &items, MinItems: n, MaxItems: n + r.Between(0, 2), UniqueItems: r.Chance(0.6)}
	list := []any{first}
	for i := 1; i < r.Between(n, s.MaxItems); i++ {
		list = append(list, items.another(first, i))
	}
	return s, list
}

// another returns a value beside the first that fits the same schema, if there is one.
func (s *schema) another(first any, i int) any {
	switch v := first.(type) {
	case int:
		step := max(1, s.MultipleOf)
		low := v - step*((v-*s.Minimum)/step)
		return low + (v-low+i*step)%((*s.Maximum-low)/step*step+step)
	case string:
		b := []byte(v)
		for at := len(b) - 1; at >= 0; at-- {
			if c := b[at]; c != '-' {
				b[at] = nextLike(c, i)
				break
			}
		}
		return string(b)
	}
	return first
}

// nextLike returns the i-th character after c among the ten of its class that patterns draw.
func nextLike(c byte, i int) byte {
	switch {
	case c >= '0' && c <= '9':
		return '0' + (c-'0'+byte(i))%10
	case c >= 'A' && c <= 'Z':
		return 'A' + (c-'A'+byte(i))%26
	}
	return 'a' + (c-'a'+byte(i))%26
}

// drawAnyOf draws two schemas of different types.
func drawAnyOf(r *rng.Rand) (schema, any) {
	a, first := drawInteger(r)
	b, second := drawPattern(r)
	if r.Chance(0.5) {
		return schema{AnyOf: []schema{a, b}}, first
	}
	return schema{AnyOf: []schema{b, a}}, second
}

// drawOneOf draws a number divisible by exactly one of two.
func drawOneOf(r *rng.Rand) (schema, any) {
	divisors := [...][2]int{{2, 3}, {3, 5}, {2, 7}, {4, 6}, {5, 7}, {3, 8}, {6, 9}}[r.Between(0, 6)]
	low := r.Between(10, 150)
	high := low + r.Between(30, 60)
	n := r.Between(low, high)
	for (n%divisors[0] == 0) == (n%divisors[1] == 0) {
		n = r.Between(low, high)
	}
	return schema{Type: "integer", Minimum: &low, Maximum: &high, OneOf: []schema{{MultipleOf: divisors[0]}, {MultipleOf: divisors[1]}}}, n
}

// drawNotMultiple draws a number that another one does not divide.
func drawNotMultiple(r *rng.Rand) (schema, any) {
	s, _ := drawInteger(r)
	s.Not = &schema{MultipleOf: r.Between(2, 3)}
	n := *s.Minimum
	for n%s.Not.MultipleOf == 0 {
		n++
	}
	return s, n
}

// drawNotPattern draws a string that does not begin as a pattern says.
func drawNotPattern(r *rng.Rand) (schema, any) {
	s, text := drawString(r)
	first, _ := text.(string)
	s.Not = &schema{Pattern: "^[" + string(nextLike(first[0], 1)) + "-z]"}
	if first[0] == 'z' {
		s.Not.Pattern = "^[a-m]"
	}
	return s, text
}

// drawNullable draws a part that may be null.
func drawNullable(r *rng.Rand) (schema, any) {
	a, value := drawMultiple(r)
	s := schema{OneOf: []schema{a, {Type: "null"}}}
	if r.Chance(0.3) {
		return s, nil
	}
	return s, value
}
