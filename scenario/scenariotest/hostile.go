package scenariotest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/prove/replies"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task/rng"
)

// A way plays without following any result.
type way struct {
	name string
	say  func(*rng.Rand, toolEpisode) quintain.Reply
}

// ways are those that must earn nothing.
var ways = []way{
	{"doing nothing", func(*rng.Rand, toolEpisode) quintain.Reply {
		return quintain.Reply{Text: "I am done.", Finish: quintain.Stop}
	}},
	{"to end at once", func(r *rng.Rand, e toolEpisode) quintain.Reply { return calls(ending(r, e)) }},
	{"to call what is no tool", func(*rng.Rand, toolEpisode) quintain.Reply {
		return calls(quintain.ToolCall{Name: "refuse", Arguments: "{}"})
	}},
	{"calling at random", func(r *rng.Rand, e toolEpisode) quintain.Reply { return calls(randomCall(r, e)) }},
	{"calling at random, and then to end", func(r *rng.Rand, e toolEpisode) quintain.Reply {
		if len(e.steps) == 3 {
			return calls(ending(r, e))
		}
		return calls(randomCall(r, e), randomCall(r, e))
	}},
}

// A schema is that of a tool's arguments, as far as it is used here.
type schema struct {
	Type       string
	Enum       []string
	Items      *schema
	Properties map[string]schema
}

// randomCall calls any tool but finish, with words and numbers that were read.
func randomCall(r *rng.Rand, e toolEpisode) quintain.ToolCall {
	var others []quintain.Tool
	for _, t := range e.offered {
		if t.Name != "finish" {
			others = append(others, t)
		}
	}
	return filled(r, rng.Pick(r, others), e)
}

// ending calls finish.
func ending(r *rng.Rand, e toolEpisode) quintain.ToolCall {
	i := slices.IndexFunc(e.offered, func(t quintain.Tool) bool { return t.Name == "finish" })
	if i < 0 {
		return randomCall(r, e)
	}
	return filled(r, e.offered[i], e)
}

// filled calls a tool with drawn arguments.
func filled(r *rng.Rand, t quintain.Tool, e toolEpisode) quintain.ToolCall {
	var of schema
	if json.Unmarshal(t.Params, &of) != nil {
		return quintain.ToolCall{Name: t.Name, Arguments: "{}"}
	}
	return toolbox.Call(t.Name, value(r, of, strings.Fields(e.read())))
}

// value draws a value of a schema.
func value(r *rng.Rand, of schema, words []string) any {
	switch {
	case of.Enum != nil:
		return rng.Pick(r, of.Enum)
	case of.Type == "integer" || of.Type == "number":
		return r.Between(0, 20)
	case of.Type == "boolean":
		return r.Chance(0.5)
	case of.Type == "array":
		return []any{value(r, *of.Items, words)}
	case of.Type == "object":
		object := map[string]any{}
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range of.Properties {
				if !yield(name) {
					return
				}
			}
		}) {
			object[name] = value(r, of.Properties[name], words)
		}
		return object
	}
	return strings.Trim(rng.Pick(r, words), `"'.,:;()`)
}

// hostile checks what senseless replies get: each is told and earns nothing.
func (s toolSuite) hostile(t *testing.T) {
	p := s.problem(t, 0)
	env, err := s.of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, reply := range replies.Calls(env.(quintain.Tooled).Tools()) {
		e := playTools(t, s.of, p, script(reply, reply))
		if e.earned() > 0 {
			t.Errorf("%s: %.200q earns %v: %s", p.ID(), fmt.Sprint(reply), e.earned(), e.last().Why)
		}
	}
	plan := s.plan(t, p)
	end := plan[len(plan)-1]
	twice := strings.Replace(end.Arguments, "{", strings.TrimSuffix(end.Arguments, "}")+", ", 1)
	if len(end.Arguments) > 2 {
		e := playTools(t, s.of, p, script(calls(plan[:len(plan)-1]...), calls(quintain.ToolCall{Name: end.Name, Arguments: twice})))
		if e.steps[1].Right {
			t.Errorf("%s: two answers, %s, are taken", p.ID(), twice)
		}
	}
}

// foreign checks that a record with any changed value is refused, or played to an end.
func (s toolSuite) foreign(t *testing.T) {
	p := s.problem(t, 2)
	raw, err := p.Instance.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var record any
	if err := strictjson.Unmarshal(raw, &record); err != nil {
		t.Fatal(err)
	}
	all := 0
	variants(record, func() { all++ })
	if all == 0 {
		t.Fatal("the record has no value")
	}
	step, changed := (all+mostForeign-1)/mostForeign, 0
	variants(record, func() {
		if changed++; changed%step != 0 {
			return
		}
		text, err := strictjson.Legible(record)
		if err != nil {
			t.Fatal(err)
		}
		s.playForeign(t, p, text)
	})
}

// playForeign plays a problem with another record, if it is not refused.
func (s toolSuite) playForeign(t *testing.T, p quintain.Problem, record []byte) {
	t.Helper()
	if err := p.Instance.UnmarshalJSON(record); err != nil {
		return
	}
	env, err := s.of.Env(p)
	if err != nil {
		return // refused
	}
	r := rng.New(1, "foreign")
	e := toolEpisode{offered: env.(quintain.Tooled).Tools()}
	if e.opening, err = env.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		step, err := env.Step(t.Context(), calls(randomCall(r, e)))
		if err != nil {
			t.Fatalf("the record %.500s: %v", record, err)
		}
		e.steps = append(e.steps, step)
		if step.End != quintain.Going {
			return
		}
	}
	if _, err := env.Step(t.Context(), calls(ending(r, e))); err != nil {
		t.Fatalf("the record %.500s: %v", record, err)
	}
}

// strange are values that a record may have in place of another.
var strange = []any{nil, -1.0, 0.0, 1.0, 1e9, 1e18, "", "x", strings.Repeat("long ", 10_000), "\x00\u202e", []any{}, map[string]any{}, true}

// variants calls do with each value of a record changed in turn.
func variants(value any, do func()) {
	switch at := value.(type) {
	case map[string]any:
		for _, name := range sorted(at) {
			before := at[name]
			for _, other := range strange {
				at[name] = other
				do()
			}
			at[name] = before
			variants(before, do)
		}
	case []any:
		for i, before := range at[:min(len(at), 3)] {
			for _, other := range strange {
				at[i] = other
				do()
			}
			if i > 0 {
				at[i] = at[0]
				do()
			}
			at[i] = before
			variants(before, do)
		}
	}
}

// sorted returns the names of an object's members.
func sorted(object map[string]any) (names []string) {
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
