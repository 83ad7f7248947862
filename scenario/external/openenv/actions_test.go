package openenv

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRepliesAreReadAsActions(t *testing.T) {
	const (
		one  = `{"type":"object","required":["guess"],"additionalProperties":false,"properties":{"guess":{"type":"integer","minimum":1,"exclusiveMaximum":21},"metadata":{"type":"object"}}}`
		text = `{"type":"object","required":["code"],"properties":{"code":{"type":"string","maxLength":20,"pattern":"^[^#]*$"}}}`
		many = `{"type":"object","required":["a"],"additionalProperties":false,"$defs":{"Side":{"enum":["left","right"]},"Self":{"anyOf":[{"$ref":"#/$defs/Self"}]}},
			"properties":{"a":{"$ref":"#/$defs/Side"},"b":{"anyOf":[{"type":"number"},{"type":"null"}]},"c":{"type":"array","items":{"const":1},"maxItems":2},"d":{"type":["string","boolean"]},"e":{"$ref":"#/$defs/Self"}}}`
	)
	for _, test := range []struct {
		why, schema, form, reply string
		want, fault              string // one of them
	}{
		{"JSON", one, "", ` {"guess": 7} `, `{"guess":7}`, ""},
		{"JSON in a fence", one, "", "So:\n```json\n{\"guess\":7}\n```\nthat.", `{"guess":7}`, ""},
		{"the last fence", one, "", "```\n1\n```\n```\n2\n```", `{"guess":2}`, ""},
		{"the value alone", one, "", "7", `{"guess":7}`, ""},
		{"a whole number with a point", one, "", "7.0", `{"guess":7.0}`, ""},
		{"after thoughts", one, "", "<think>8</think>7", `{"guess":7}`, ""},
		{"a metadata of its own", one, "", `{"guess":7,"metadata":{}}`, `{"guess":7,"metadata":{}}`, ""},
		{"too small", one, "", "0", "", "guess: minimum is 1"},
		{"too large", one, "", "21", "", "guess: exclusiveMaximum is 21"},
		{"beyond all numbers", one, "", "1e999", "", "guess: want integer"},
		{"another type", one, "", `{"guess":"7"}`, "", "guess: want integer"},
		{"a missing field", one, "", `{}`, "", "the action: guess is missing"},
		{"an unknown field", one, "", `{"guess":7,"x":1}`, "", "x is not allowed"},
		{"a name twice", one, "", `{"guess":7,"guess":8}`, "", "twice"},
		{"no JSON", one, "", "seven", "", "it is not JSON"},
		{"too deep", one, "", strings.Repeat("[", 100) + strings.Repeat("]", 100), "", "nested"},
		{"a text", text, "", "print(1)", `{"code":"print(1)"}`, ""},
		{"a text that looks like a number", text, "", "42", `{"code":"42"}`, ""},
		{"a text by name", text, "", `{"code":"x<1"}`, `{"code":"x<1"}`, ""},
		{"a text that is too long", text, "", strings.Repeat("é", 21), "", "it is not JSON"},
		{"a text by name that is unlike", text, "", `{"code":"#"}`, "", "code: want a text like"},
		{"the whole reply", text, formText, `{"code":"x"}`, `{"code":"{\"code\":\"x\"}"}`, ""},
		{"a whole reply that is too long", text, formText, strings.Repeat("x", 21), "", "code: maxLength is 20"},
		{"between tags", one, formXML, "I say <action>7</action>", `{"guess":7}`, ""},
		{"a text between tags", text, formXML, "<action>go</action>", `{"code":"go"}`, ""},
		{"without tags", one, formXML, "7", "", "action"},
		{"references and choices", many, "", `{"a":"left","b":null,"c":[1,1.0],"d":true}`, `{"a":"left","b":null,"c":[1,1.0],"d":true}`, ""},
		{"no choice", many, "", `{"a":"up"}`, "", "a: want one of [left right]"},
		{"none of several", many, "", `{"a":"left","b":"x"}`, "", "b: want number"},
		{"a wrong element", many, "", `{"a":"left","c":[2]}`, "", "c[0]: want 1"},
		{"too many elements", many, "", `{"a":"left","c":[1,1,1]}`, "", "c: maxItems is 2"},
		{"none of the types", many, "", `{"a":"left","d":1}`, "", "d: want [string boolean]"},
		{"a schema within itself", many, "", `{"a":"left","e":1}`, `{"a":"left","e":1}`, ""},
		{"the value of the required field", many, "", `"left"`, `{"a":"left"}`, ""},
		{"no object", `{"type":"object","properties":{"a":{},"b":{}}}`, "", `1`, "", "the action: want object"},
	} {
		a, err := newActions(json.RawMessage(test.schema), test.form)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		got, fault := a.read(test.reply)
		if string(got) != test.want && test.fault == "" || !strings.Contains(fault, test.fault) || (fault == "") != (test.fault == "") {
			t.Errorf("%s: %s, fault %q; want %s, fault %q", test.why, got, fault, test.want, test.fault)
		}
	}
}

func TestObservationsAreTexts(t *testing.T) {
	for _, test := range []struct {
		why, seen string
		show      []string
		want      string
	}{
		{"a single text", `{"text":"a<b","metadata":{"x":1},"done":true,"reward":1}`, nil, "a<b"},
		{"the only field that says something", `{"question":"Why?","score":null}`, nil, "Why?"},
		{"several fields", `{"b":"<","a":[1]}`, nil, `{"a":[1],"b":"<"}`},
		{"a number", `{"n":1}`, nil, `{"n":1}`},
		{"chosen fields", `{"b":"x","a":[1]}`, []string{"b"}, "x"},
		{"a chosen field that is hidden", `{"b":"x","metadata":{"m":1}}`, []string{"metadata"}, `{"metadata":{"m":1}}`},
		{"nothing", `{"metadata":{}}`, nil, "{}"},
	} {
		r := new(result)
		if err := json.Unmarshal([]byte(`{"observation":`+test.seen+`}`), r); err != nil {
			t.Fatal(err)
		}
		got, err := (&client{args: arguments{Show: test.show}}).text(r)
		if err != nil || got != test.want {
			t.Errorf("%s: %q, error %v, want %q", test.why, got, err, test.want)
		}
	}
}

// FuzzActions looks for replies and schemas that are read for ever, or as an action that the schema refuses.
func FuzzActions(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`)
	f.Add(`{"anyOf":[{"$ref":"#/anyOf/0"},false],"allOf":[true],"enum":[1]}`, "1")
	f.Fuzz(func(t *testing.T, schema, reply string) {
		a, err := newActions(json.RawMessage(schema), "")
		if err != nil || a == nil {
			return
		}
		if got, why := a.read(reply); why == "" && !json.Valid(got) {
			t.Errorf("%q is read as %s", reply, got)
		}
	})
}
