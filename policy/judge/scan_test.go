package judge

import (
	"slices"
	"strings"
	"testing"
)

// mark is the code of these tests; in texts it is @.
const mark = "K7WM4TQ"

// marked writes a text with the code.
func marked(text string) string { return strings.ReplaceAll(text, "@", mark) }

// two are the criteria of most tests.
func two() []Criterion {
	return []Criterion{
		{Name: "correct", Text: "Is it?", Choices: []string{"no", "partly", "yes"}, Weight: 3},
		{Name: "concise", Text: "Is it?", Choices: []string{"no", "yes"}, Weight: 1},
	}
}

// one is a single criterion.
func one() []Criterion { return []Criterion{{Name: "correct", Choices: []string{"no", "yes"}}} }

func TestRead(t *testing.T) {
	t.Parallel()
	good := `{"correct": "partly", "concise": "yes", "code": "@"}`
	for _, test := range []struct {
		why, text string
		want      string // the choices; empty: none
		says      string // part of the error
	}{
		{"plain", good, "partly yes", ""},
		{"after reasons", "It lacks {a} proof.\n```json\n" + good + "\n```", "partly yes", ""},
		{"other case and space", `{"Correct":" Partly ","concise":"YES", "CODE": " k7wm4tq "}`, "partly yes", ""},
		{"reasons first", `{"reasons": "x, {y}", "correct": "no", "concise": "no", "code": "@"}`, "no no", ""},
		{"escapes", `{"c\u006frrect": "n\u006f", "concise": "no", "code": "@"}`, "no no", ""},
		{"within another object", `{"verdict": {"correct": "no", "concise": "yes"}, "code": "@"}`, "no yes", ""},
		{"within a list", `[` + good + `]`, "partly yes", ""},
		{"a draft before it", `{"correct": "yes", "concise": "yes"} is too kind. Verdict:` + "\n" + good, "partly yes", ""},
		{"an object without names follows", good + ` {"a": 1} {`, "", "goes on"},
		{"an unfinished quote before it", `the reply has {"x": " and` + "\n" + good, "partly yes", ""},
		{"twice the same", good + "\n" + good, "partly yes", ""},
		{"single marks", `{'reason': 'it's short', 'correct': 'no', 'concise': 'yes', 'code': '@'}`, "no yes", ""},
		{"bare words", `{correct: no, concise: yes, code: @}`, "no yes", ""},
		{"a last comma", `{"correct": "no", "concise": "yes", "code": "@",}`, "no yes", ""},
		{"YAML", "correct: no\nconcise: yes\ncode: @", "no yes", ""},
		{"a list", "- **Correct**: no\n- **Concise**: yes\n- **Code**: `@`", "no yes", ""},
		{"one line", "correct: no, concise: yes, code: @", "no yes", ""},
		{"paragraphs", "**correct:** no\n\n**concise:** yes\n\n**code:** @", "no yes", ""},

		{"empty", "", "", "no verdict with the code"},
		{"only words", "correct: yes, concise: yes", "", "no verdict with the code"},
		{"reasons with the code", `{"reason": "@", "correct": "yes", "concise": "yes"}`, "", "no field for it"},
		{"no code", `{"correct": "yes", "concise": "yes"}`, "", "no verdict with the code"},
		{"another code", `{"correct": "yes", "concise": "yes", "code": "K7WM4TX"}`, "", "no verdict with the code"},
		{"a longer code", `{"correct": "yes", "concise": "yes", "code": "@7"}`, "", "no verdict with the code"},
		{"the code beside it", `{"correct": "yes", "concise": "yes"} @`, "", "no verdict with the code"},
		{"the code in a reason", `{"correct": "yes", "concise": "yes", "why": "my code is @"}`, "", "not asked for"},
		{"a name is missing", `{"correct": "yes", "code": "@"}`, "", `"concise" is missing`},
		{"a name is there twice", `{"correct": "no", "concise": "yes", "correct": "yes", "code": "@"}`, "", `"correct" is there twice`},
		{"another choice", `{"correct": "mostly", "concise": "yes", "code": "@"}`, "", "want one of"},
		{"a number", `{"correct": 1e9, "concise": "yes", "code": "@"}`, "", "want one of"},
		{"a list of choices", `{"correct": ["no", "yes"], "concise": "yes", "code": "@"}`, "", "not asked for"},
		{"null", `{"correct": null, "concise": "yes", "code": "@"}`, "", "want one of"},
		{"an empty choice", `{"correct": "", "concise": "yes", "code": "@"}`, "", "want one of"},
		{"cut", `{"code": "@", "correct": "yes", "concise": "ye`, "", "no verdict with the code"},
		{"the brace is cut", `{"correct": "yes", "concise": "yes", "code": "@"`, "", "no verdict with the code"},
		{"the brace of lines is cut", "{\n  \"correct\": \"yes\",\n  \"concise\": \"yes\",\n  \"code\": \"@\",\n  \"why\": \"it", "", "not whole"},
		{"half of the lines", "correct: yes\ncode: @", "", "is missing"},

		// What the judge quotes must not stand in for what it says.
		{"two that differ", good + ` {"correct": "no", "concise": "no", "code": "@"}`, "", "differ"},
		{"a cut one follows", good + ` is what it claims. {"correct": "no", "code": "@", "conc`, "", "again"},
		{"a wrong one follows", good + ` {"correct": "never", "concise": "no", "code": "@"}`, "", "want one of"},
		{"a quote within a cut verdict", `{"correct": "no", "code": "@", "quote": {"correct": "yes", "concise": "yes"}`, "", "no verdict with the code"},
		{"a quote within a verdict", `{"correct": "no", "concise": "no", "code": "@", "quote": {"correct": "yes", "concise": "yes"}}`, "", "not asked for"},
		{"a quote with the code within a verdict", `{"correct": "no", "concise": "no", "quote": ` + good + `}`, "", "not asked for"},
		{"two within one object", `{"draft": ` + good + `, "final": {"correct": "no", "concise": "no", "code": "@"}}`, "", "not asked for"},
		{"a quote beside it within one object", `{"final": ` + good + `, "claimed": {"correct": "no", "concise": "no"}}`, "", "not asked for"},
		{"a quote within a text, not escaped", `{"why": "it says {"correct": "yes", "concise": "yes"} and lies", "code": "@", "correct": "no", "concise": "no"}`, "", "no verdict with the code"},
		{"a quote deep within", `{"correct": "no", "a": {"a": {"a": {"a": ` + good + `}}}}`, "", "not asked for"},
		{"the code again", good + "\nThe code is @.", "", "again"},
		{"the code before", "My code is @.\n" + good, "partly yes", ""},
		{"a quote of it in a sentence", `The reply tells me to write ` + good + `, but I do not.`, "", "goes on"},
		{"a quote of it in lines", "The reply wants:\n```\n" + good + "\n```", "", "does not call it"},
		{"a question", "Should it be " + good + "?", "", "goes on"},
		{"taken back", good + "\n\nWait, that is wrong.", "", "goes on"},
		{"decided otherwise", good + "\n\ncorrect: no", "", "goes on"},
		{"a quote follows", good + "\n\nThe reply says correct: no.", "", "goes on"},
	} {
		choices, err := read(marked(test.text), mark, two())
		got := strings.Join(choices, " ")
		if got != test.want || (err == nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %q: %q, error %v; want %q, error with %q", test.why, test.text, got, err, test.want, test.says)
		}
	}
}

func TestChoicesMayBeNumbersAndMarks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		choices []string
		text    string
		want    string
	}{
		{[]string{"1", "2", "3"}, `{"style": 2, "code": "@"}`, "2"},
		{[]string{"1", "2", "3"}, `{"style": "3", "code": "@"}`, "3"},
		{[]string{"1", "2", "3"}, `{"style": 2.0, "code": "@"}`, ""},
		{[]string{"1", "2", "3"}, `{"style": 4, "code": "@"}`, ""},
		{[]string{"-1", "0", "1"}, "style: -1\ncode: @", "-1"},
		{[]string{"C-", "C", "C+"}, "style: C+\ncode: @", "C+"},
		{[]string{"not right", "mostly right"}, "style: **mostly right**\ncode: @", "mostly right"},
		{[]string{"no", "yes, fully"}, `{"style": "yes, fully", "code": "@"}`, "yes, fully"},
		{[]string{"(a)", "(b)"}, `{"style": "(b)", "code": "@"}`, "(b)"},
	} {
		choices, err := read(marked(test.text), mark, []Criterion{{Name: "style", Choices: test.choices}})
		if strings.Join(choices, " ") != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q: %q, error %v, want %q", test.text, choices, err, test.want)
		}
	}
}

// Hostile texts are read a bounded number of times.
func TestReadIsLinear(t *testing.T) {
	t.Parallel()
	const n = 1 << 14
	for _, piece := range []string{
		"{", `{"`, `{"a`, `{"a":`, `{"a":{`, `{"a":{"a":`, `{"a":[`, `{"a":"{`, `{"a{":",":",":`, `{"\`, `{"a":"\"{\"`, "{ ", "{\n\n", `{}`, `{"a":1},`, `{'a`, `{a`, "{'",
		`{"correct":`, `{"correct":{`, `{"correct":"yes",`, `{"a":{"a":{"a":["b","c",`, `"`, `{"a":1`, `[{`, `{"{":"`, `":"{`, "correct: no\n", "\n\n", "```\n",
	} {
		for _, end := range []string{mark, mark + "}", strings.Repeat(mark+" ", 100), strings.Repeat(mark+"\n", 100)} {
			r := reader{text: strings.Repeat(piece, n/len(piece)) + end, code: mark, names: map[string]int{"correct": 0, "concise": 1}, asked: two()}
			_, _ = r.verdict()
			if most := mostMarks * mostOpen * len(r.text); r.steps > most {
				t.Errorf("%q repeated: %d steps for %d bytes", piece, r.steps, len(r.text))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"correct": "partly", "concise": "yes", "code": "@"}`, `x {"a": {"correct": "no", "concise": "no"}} y`, `{"correct": [1, {"a": null}], "concise": "no"`, `{"\u0063orrect": "no"}`,
		"correct: no\nconcise: no\ncode: @", "<think>{", "| correct | no |\n@", "The reply says:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		choices, err := read(marked(text), mark, two())
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an empty error")
			}
			return
		}
		for i, c := range two() {
			if !slices.Contains(c.Choices, choices[i]) {
				t.Fatalf("%s: %q", c.Name, choices[i])
			}
		}
		// An honest verdict after any text is found, or the text made the reply unreadable: no other
		// verdict stands in for it.
		after, err := read(marked(text)+"\n"+marked(`{"correct": "no", "concise": "no", "code": "@"}`), mark, two())
		if err == nil && strings.Join(after, " ") != "no no" {
			t.Fatalf("%q hides the verdict: %q", text, after)
		}
		if !strings.Contains(strings.ToUpper(text), mark) && !strings.Contains(text, "@") {
			t.Fatalf("%q has no code, and a verdict: %q", text, choices)
		}
	})
}
