package instructions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// jsonSchema asks for a value that is valid under a schema.
var jsonSchema = task.Spec[jsonSchemaParams, jsonSchemaItem]{
	Name:     "json_schema",
	Category: "instructions",
	Doc:      "Write a JSON value that is valid under a given JSON Schema, and whose numbers, strings or members fulfil further conditions.",
	Source:   "JSON Schema, draft 2020-12; the schemas are drawn.",
	Version:  2,
	Many:     true,
	Default:  jsonSchemaParams{MinMembers: 3, MaxMembers: 5, Depth: 2, Tier: 3, Conditions: 2},
	Levels: []jsonSchemaParams{
		{MinMembers: 2, MaxMembers: 2, Depth: 1, Tier: 1, Conditions: 1},
		{MinMembers: 2, MaxMembers: 3, Depth: 1, Tier: 2, Conditions: 1},
		{MinMembers: 3, MaxMembers: 4, Depth: 1, Tier: 2, Conditions: 2},
		{MinMembers: 3, MaxMembers: 4, Depth: 2, Tier: 3, Conditions: 2},
		{MinMembers: 4, MaxMembers: 5, Depth: 2, Tier: 3, Conditions: 3},
		{MinMembers: 5, MaxMembers: 7, Depth: 2, Tier: 3, Conditions: 4},
		{MinMembers: 5, MaxMembers: 7, Depth: 3, Tier: 3, Conditions: 4},
	},
	Make: makeJSONSchema,
}

// jsonSchemaParams are the settings of one difficulty.
type jsonSchemaParams struct {
	MinMembers int `json:"min_members" want:"2 to 8"` // of each object
	MaxMembers int `json:"max_members" want:"min_members to 8"`
	Depth      int `json:"depth" want:"1 to 3"`      // of objects within objects; 1: none
	Tier       int `json:"tier" want:"1 to 3"`       // of keywords: 1 types and bounds, 2 arrays and patterns too, 3 anyOf, oneOf, not and dependentRequired too
	Conditions int `json:"conditions" want:"1 to 4"` // besides the schema
}

// jsonSchemaItem is one schema.
type jsonSchemaItem struct {
	Schema     schema      `json:"schema"`
	Conditions []condition `json:"conditions"`
	Example    string      `json:"example"` // a right answer
	Phrasing   int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// A condition gives the value of a measure.
type condition struct {
	Measure string `json:"measure"`
	Is      int    `json:"is"`
}

// A measure is a number that every value has.
type measure struct {
	name string
	says [2]string // %n is the number
	of   func(any) *big.Rat
}

// measures lists what conditions are about.
var measures = []measure{
	{"sum", [2]string{"All numbers in the value, at any depth, add up to %n.", "The sum of all numbers that occur in the value, however deep, is %n."}, sumOf},
	{"characters", [2]string{"All strings in the value, without the names of members, have %n characters in total.", "Counted together, the strings that are values or elements (names of members do not count) are exactly %n characters long."}, charactersOf},
	{"members", [2]string{"All objects in the value together have %n members.", "Count the members of every object, the outermost included: there are %n."}, membersOf},
	{"elements", [2]string{"All arrays in the value together have %n elements.", "Count the elements of every array: there are %n."}, elementsOf},
}

// within adds up what each part of a value counts.
func within(value any, count func(any) *big.Rat) *big.Rat {
	sum := new(big.Rat).Set(count(value))
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			sum.Add(sum, within(element, count))
		}
	case map[string]any:
		for _, member := range v {
			sum.Add(sum, within(member, count))
		}
	}
	return sum
}

func sumOf(value any) *big.Rat {
	return within(value, func(part any) *big.Rat {
		if number, ok := part.(json.Number); ok {
			if n, read := rational(number); read {
				return n
			}
		}
		return new(big.Rat)
	})
}

func charactersOf(value any) *big.Rat {
	return within(value, func(part any) *big.Rat {
		text, _ := part.(string)
		return big.NewRat(int64(utf8.RuneCountInString(text)), 1)
	})
}

func membersOf(value any) *big.Rat {
	return within(value, func(part any) *big.Rat {
		object, _ := part.(map[string]any)
		return big.NewRat(int64(len(object)), 1)
	})
}

func elementsOf(value any) *big.Rat {
	return within(value, func(part any) *big.Rat {
		list, _ := part.([]any)
		return big.NewRat(int64(len(list)), 1)
	})
}

// measureNamed returns a measure by name.
func measureNamed(name string) (m measure, known bool) {
	i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
	if i < 0 {
		return measure{}, false
	}
	return measures[i], true
}

// makeJSONSchema draws a schema with a value, and conditions that the value fulfils.
func makeJSONSchema(p jsonSchemaParams, r *rng.Rand) (jsonSchemaItem, error) {
	const tries = 100
	for range tries {
		item := jsonSchemaItem{Phrasing: r.Between(0, len(jsonSchemaPhrasings)-1)}
		var value any
		item.Schema, value = p.object(r, p.Depth)
		item.Example = valueJSON(value)
		read, _ := readValue(item.Example)
		for _, m := range rng.Sample(r, measures, len(measures)) {
			if m.name == "members" && p.Tier == 1 {
				continue // the schema says as much
			}
			if n := m.of(read); n.Sign() != 0 && n.IsInt() && len(item.Conditions) < p.Conditions {
				item.Conditions = append(item.Conditions, condition{m.name, int(n.Num().Int64())})
			}
		}
		if len(item.Conditions) > 0 && task.CheckSolution(item) == nil {
			return item, nil
		}
	}
	return jsonSchemaItem{}, errors.New("no schema with a valid value")
}

// jsonSchemaPhrasings are the wordings of the question: %s is the schema, %c are the conditions.
var jsonSchemaPhrasings = []string{
	"Write a JSON value that is valid under this JSON Schema:\n\n%s\n\n%c\n\nAnswer with the value and nothing else.",
	"Here is a JSON Schema.\n\n%s\n\nGive an example of a valid JSON value for it. %c Your answer is only the JSON text.",
	"%c Besides, the value must be valid under the following JSON Schema.\n\n```json\n%s\n```\n\nWhich JSON value fulfils all of this? Any that does is right. Reply with the value alone.",
	"A server accepts only JSON that passes the schema below.\n\n```json\n%s\n```\n\nIt also checks this: %c Write a body that the server accepts, without any text around it.",
	"Schema:\n%s\n\nFurther conditions: %c\n\nTask: write one JSON value that is valid under the schema and meets the further conditions. Write nothing but that value.",
	"I need test data in JSON. The schema is this one:\n\n%s\n\nMy test wants more than the schema says, though. %c Can you write such a value? Please answer with the plain JSON.",
}

func (j jsonSchemaItem) Prompt() string {
	return string(task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), jsonSchemaPhrasings[j.Phrasing], func(c byte) string {
		if c == 's' {
			return j.Schema.text()
		}
		var parts []string
		for _, of := range j.Conditions {
			m, _ := measureNamed(of.Measure)
			parts = append(parts, strings.ReplaceAll(m.says[j.Phrasing%2], "%n", strconv.Itoa(of.Is)))
		}
		return strings.Join(parts, " ")
	}))
}

// Canonical implements [task.Canonicalizer]. Members and listed values have no order, and the names
// of members are accidents.
func (j jsonSchemaItem) Canonical() string {
	var parts []string
	for _, of := range j.Conditions {
		parts = append(parts, of.Measure+strconv.Itoa(of.Is))
	}
	slices.Sort(parts)
	s := j.Schema.canonical()
	return s.text() + strings.Join(parts, " ")
}

// Check refuses a record with an invalid schema or a wrong example.
func (j jsonSchemaItem) Check() error {
	left := mostSchemas
	if err := j.Schema.check(0, &left); err != nil {
		return err
	}
	for _, of := range j.Conditions {
		if _, known := measureNamed(of.Measure); !known {
			return fmt.Errorf("measure is %.40q, want a known one", of.Measure)
		}
	}
	return task.CheckSolution(j)
}

func (j jsonSchemaItem) Solve() string { return j.Example }

// Score implements [task.Scorer]. Right is a valid value that fulfils the conditions.
func (j jsonSchemaItem) Score(text string) quintain.Verdict {
	const longest = 16 << 10 // bytes, far more than a right answer needs
	text = answer.Trim(text)
	if text == "" || len(text) > longest {
		return quintain.Malformed("the answer is empty or too long")
	}
	value, why := readValue(text)
	if why != "" {
		return quintain.Malformed(why)
	}
	if found := j.Schema.validate(value, ""); found != nil {
		return quintain.Wrong(found.String())
	}
	for _, of := range j.Conditions {
		m, _ := measureNamed(of.Measure)
		if n := m.of(value); n.Cmp(big.NewRat(int64(of.Is), 1)) != 0 {
			return quintain.Wrong(fmt.Sprintf("%s: is %s, want %d", of.Measure, n.RatString(), of.Is))
		}
	}
	return quintain.Right()
}

// quoteJSON writes a string as JSON.
func quoteJSON(text string) string { return string(strictjson.AppendLegible(nil, text)) }
