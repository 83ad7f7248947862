package instructions

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestToolArgumentsScore(t *testing.T) {
	timer := tool{"set_timer", "Starts a timer.", schema{
		Type: "object", Closed: true, Required: []string{"duration"},
		Properties: []property{
			{"duration", schema{Type: "number", Description: "Duration in minutes"}},
			{"label", schema{Type: "string"}},
			{"repeats", schema{Type: "integer", Default: json.RawMessage("1")}},
			{"people", schema{Type: "array", Items: &schema{Type: "string"}}},
		},
	}}
	item := toolItem{
		Tools: []tool{timer, {"stop_timer", "Stops it.", schema{Type: "object"}}}, Request: "Start a timer of an hour and a half for Anna and Ben.",
		Calls: []call{{"set_timer", json.RawMessage(`{"duration": 90, "people": ["Anna", "Ben"]}`)}},
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}}`, 1, ""},
		{"{\"arguments\": {\"people\": [\"Anna\", \"Ben\"],\n\"duration\": 9.0e1}, \"name\": \"set_timer\"}", 1, "another order and spelling"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"], "repeats": 1}}`, 1, "a default that is given"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"], "repeats": 2}}`, 0, "another value"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Ben", "Anna"]}}`, 0, "another order of a list"},
		{`{"name": "set_timer", "arguments": {"duration": 1.5, "people": ["Anna", "Ben"]}}`, 0, "hours"},
		{`{"name": "set_timer", "arguments": {"duration": "90", "people": ["Anna", "Ben"]}}`, 0, "a string for a number"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"], "label": ""}}`, 0, "an argument that nobody mentioned"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"], "label": null}}`, 0, "null is no string"},
		{`{"name": "set_timer", "arguments": {"duration": 90}}`, 0, "an argument is missing"},
		{`{"name": "set_timer", "arguments": {"people": ["Anna", "Ben"]}}`, 0, "a required one"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"], "x": 1}}`, 0, "an unknown one"},
		{`{"name": "stop_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}}`, 0, "another tool"},
		{`{"name": "set_timer", "parameters": {"duration": 90, "people": ["Anna", "Ben"]}}`, 0, "another form"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}, "id": 1}`, 0, "something more"},
		{`[{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}}]`, 0, "a list"},
		{`{"duration": 90, "people": ["Anna", "Ben"]}`, 0, "only the arguments"},
		{strings.Repeat("{", 40000), 0, "too long"},
	})
	item.Calls = append(item.Calls, call{"stop_timer", json.RawMessage("{}")})
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{item.Solve(), 1, "two calls"},
		{`[{"name": "stop_timer", "arguments": {}}, {"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}}]`, 0, "in the other order"},
		{`{"name": "set_timer", "arguments": {"duration": 90, "people": ["Anna", "Ben"]}}`, 0, "one of them"},
	})
}

func TestToolLibrary(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range toolLibrary {
		if seen[kind.name] {
			t.Errorf("there are two tools %s", kind.name)
		}
		seen[kind.name] = true
		names, required := map[string]bool{}, 0
		for _, p := range kind.params {
			for _, name := range p.names {
				if names[name] {
					t.Errorf("%s has two parameters %s", kind.name, name)
				}
				names[name] = true
			}
			if !p.optional {
				required++
			}
			for _, says := range p.says {
				if strings.Contains(says, "%v") == (p.sort == "truth") || !strings.HasSuffix(says, ".") {
					t.Errorf("%s.%s says %q", kind.name, p.names[0], says)
				}
			}
		}
		if required == 0 {
			t.Errorf("%s requires nothing", kind.name)
		}
	}
}

func TestToolArguments(t *testing.T) {
	of := toolArguments.Task()
	tasktest.Refused(t, of, map[string]string{`{"tools":1}`: "tools", `{"calls":9}`: "calls", `{"corrections":4}`: "corrections"})
	tasktest.RefusedRecords(t, of, []string{
		`{"tools":[],"request":"","calls":[]}`,
		`{"tools":[],"request":"","calls":[{"name":"a","arguments":{}}]}`,
		`{"tools":[{"name":"a","description":"","parameters":{"required":["b"]}}],"request":"","calls":[{"name":"a","arguments":{}}]}`,
		`{"tools":[{"name":"a","description":"","parameters":{}}],"request":"","calls":[{"name":"a","arguments":[]}]}`,
	})
	tasktest.Variant(t, of, "the order of the tools and of their parameters", func(item *toolItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, item.Tools)
		for i := range item.Tools {
			reorder(&item.Tools[i].Parameters, r)
		}
		return nil
	})
	tasktest.Variant(t, of, "tools that the request does not need", func(item *toolItem, _ *rng.Rand) func(string) string {
		item.Tools = slices.DeleteFunc(item.Tools, func(of tool) bool {
			return !slices.ContainsFunc(item.Calls, func(c call) bool { return c.Name == of.Name })
		})
		return nil
	})
	tasktest.Variant(t, of, "the names of parameters", func(item *toolItem, _ *rng.Rand) func(string) string {
		again := *item
		for i := range item.Tools {
			s := &item.Tools[i].Parameters
			for k, p := range s.Properties {
				s.Properties[k].Name = otherName(p.Name)
			}
			for k, name := range s.Required {
				s.Required[k] = otherName(name)
			}
		}
		item.Calls = nil
		for _, c := range again.Calls {
			item.Calls = append(item.Calls, call{c.Name, json.RawMessage(renamedArguments(string(c.Arguments)))})
		}
		return renamedArguments
	})
	tasktest.Variant(t, of, "the defaults of parameters that are not mentioned", func(item *toolItem, _ *rng.Rand) func(string) string {
		for i := range item.Tools {
			for k := range item.Tools[i].Parameters.Properties {
				if p := &item.Tools[i].Parameters.Properties[k]; p.Schema.Type == "integer" && p.Schema.Default != nil {
					p.Schema.Default = json.RawMessage("77")
				}
			}
		}
		return nil
	})
	tasktest.Other(t, of, "another unit", func(item *toolItem) {
		for i := range item.Tools {
			for k := range item.Tools[i].Parameters.Properties {
				p := &item.Tools[i].Parameters.Properties[k]
				if strings.Contains(string(item.Calls[0].Arguments), `"`+p.Name+`"`) && item.Tools[i].Name == item.Calls[0].Name {
					p.Schema.Description = strings.Replace(p.Schema.Description, " in seconds", " in hours", 1)
				}
			}
		}
	})
	tasktest.Second(t, of, 1400, checkCalls)
}

// checkCalls reads tools from the prompt, and looks in the request for every argument of the
// calls. What a correction says must be the value of one of them.
func checkCalls(item toolItem, prompt, got string) error {
	calls := []map[string]any{}
	if !strings.HasPrefix(got, "[") {
		got = "[" + got + "]"
	}
	if err := json.Unmarshal([]byte(got), &calls); err != nil {
		return err
	}
	paragraphs := strings.Split(item.Request, "\n\n")
	if len(paragraphs) != len(calls) || !strings.Contains(prompt, item.Request) {
		return fmt.Errorf("there are %d calls for %d paragraphs", len(calls), len(paragraphs))
	}
	for i, c := range calls {
		name, _ := c["name"].(string)
		_, after, found := strings.Cut(prompt, "{\n  \"name\": \""+name+"\"")
		var definition map[string]any
		if err := json.NewDecoder(strings.NewReader(`{"name": "` + name + `"` + after)).Decode(&definition); !found || err != nil {
			return fmt.Errorf("tool %s is not in the prompt: %w", name, err)
		}
		parameters, _ := definition["parameters"].(map[string]any)
		if !fits(parameters, c["arguments"]) {
			return fmt.Errorf("the arguments of %s do not fit", name)
		}
		arguments, _ := c["arguments"].(map[string]any)
		properties, _ := parameters["properties"].(map[string]any)
		corrections := regexp.MustCompile(`(?:One correction\.|Sorry, one thing was wrong\.|No, wait, I must correct myself\.|I have just changed my mind\.)`).Split(paragraphs[i], -1)[1:]
		for argument, value := range arguments {
			about, _ := properties[argument].(map[string]any)
			description, _ := about["description"].(string)
			if !isSaid(paragraphs[i], description, value) {
				return fmt.Errorf("nobody says that %s (%s) is %v in %q", argument, description, value, paragraphs[i])
			}
			corrections = slices.DeleteFunc(corrections, func(said string) bool { return isSaid(said, description, value) })
		}
		if len(corrections) > 0 {
			return fmt.Errorf("no argument is as corrected: %q", corrections)
		}
	}
	return nil
}

// isSaid reports whether a request says a value of a parameter with a description.
func isSaid(request, description string, value any) bool {
	switch v := value.(type) {
	case bool:
		return v != regexp.MustCompile(`Do not send|need not arrive|is not to be|does not go`).MatchString(request)
	case []any:
		names := make([]string, len(v))
		for i, name := range v {
			names[i] = name.(string)
		}
		return strings.Contains(strings.ReplaceAll(request, " and ", ", "), strings.Join(names, ", "))
	case map[string]any:
		return strings.Contains(request, fmt.Sprintf("%v %v, %v", v["number"], v["street"], v["city"]))
	case string:
		for form, layout := range map[string]string{"YYYY-MM-DD": "2006-01-02", "DD.MM.YYYY": "02.01.2006", "MM/DD/YYYY": "01/02/2006"} {
			if day, err := time.Parse(layout, v); strings.Contains(description, form) && err == nil {
				return anySaid(request, v, day.Format("2 January 2006"), day.Format("January 2, 2006"))
			}
		}
		if clock, err := time.Parse("15:04", v); err == nil && strings.Contains(description, "HH:MM") {
			return clockSaid(request, clock)
		}
		return strings.Contains(request, v)
	case float64:
		if strings.Contains(description, "after midnight") {
			return clockSaid(request, time.Time{}.Add(time.Duration(v)*time.Minute))
		}
		return numberSaid(request, description, v)
	}
	return false
}

func anySaid(request string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(request, text) })
}

func clockSaid(request string, clock time.Time) bool {
	words := map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11}
	for _, found := range regexp.MustCompile(`half past (\w+) in the (\w+)`).FindAllStringSubmatch(request, -1) {
		hour := words[found[1]]
		if found[2] != "morning" {
			hour += 12
		}
		if clock.Hour() == hour && clock.Minute() == 30 {
			return true
		}
	}
	return anySaid(request, clock.Format("15:04"), clock.Format("3:04 pm"))
}

// numberSaid looks for a number, in any unit.
func numberSaid(request, description string, value float64) bool {
	perUnit := map[string]float64{
		"seconds": 1, "minutes": 60, "hours": 3600, "cents": 1, "dollars": 100, "mm": 1, "cm": 10, "m": 1000, "millimetres": 1, "centimetres": 10, "metres": 1000,
		"km": 1e6, "kilometres": 1e6, "g": 1, "kg": 1000, "grams": 1, "kilograms": 1000,
	}
	for _, found := range regexp.MustCompile(` in (\w+)$`).FindAllStringSubmatch(description, -1) {
		if of := perUnit[found[1]]; of > 0 {
			value *= of
		}
	}
	if strings.Contains(description, "fraction") {
		value *= 100
	}
	words := strings.NewReplacer("an hour", "1 hours", "one and a half", "1.5", "two and a half", "2.5", "three and a half", "3.5", "1 hours and a half", "1.5 hours").Replace(request)
	words = strings.ReplaceAll(words, "1 hours and a half", "1.5 hours")
	words = regexp.MustCompile(`\$([\d.]+\d)`).ReplaceAllString(words, "$1 dollars")
	for i, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		words = regexp.MustCompile(`\b`+word+`\b`).ReplaceAllString(words, fmt.Sprint(i+1))
	}
	for _, found := range regexp.MustCompile(`([\d.]*\d)(?: (\w+))?(?: and (\d+) minutes)?`).FindAllStringSubmatch(words, -1) {
		var n, rest float64
		fmt.Sscan(found[1], &n)
		fmt.Sscan(found[3], &rest)
		if of := perUnit[found[2]]; of > 0 {
			n *= of
		}
		if math.Abs(n+60*rest-value) < 1e-6 {
			return true
		}
	}
	return false
}

// otherName renames a parameter, unless members of addresses or of calls have its name too.
func otherName(name string) string {
	if slices.Contains([]string{"name", "arguments", "street", "number", "city"}, name) {
		return name
	}
	return name + "_of_it"
}

// renamedArguments renames the arguments in a text of JSON.
func renamedArguments(text string) string {
	return regexp.MustCompile(`"(\w+)":`).ReplaceAllStringFunc(text, func(found string) string {
		return `"` + otherName(strings.Trim(found, `":`)) + `":`
	})
}
