package judge

import (
	"slices"
	"strings"
	"testing"
)

// two are the criteria of most tests.
func two() []Criterion {
	return []Criterion{
		{Name: "correct", Text: "Is it?", Choices: []string{"no", "partly", "yes"}, Weight: 3},
		{Name: "concise", Text: "Is it?", Choices: []string{"no", "yes"}, Weight: 1},
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	good := `{"correct": "partly", "concise": "yes"}`
	for _, test := range []struct {
		why, text string
		want      string // the choices; empty: none
		says      string // part of the error
	}{
		{"plain", good, "partly yes", ""},
		{"after reasons", "It lacks {a} proof.\n```json\n" + good + "\n```", "partly yes", ""},
		{"other case and space", `{"correct":" Partly ","concise":"YES"}`, "partly yes", ""},
		{"other fields", `{"why": "x", "correct": "no", "n": [1, {"a": null}], "concise": "no"}`, "no no", ""},
		{"escapes", `{"c\u006frrect": "n\u006f", "concise": "no"}`, "no no", ""},
		{"within another object", `{"verdict": {"correct": "no", "concise": "yes"}, "sure": true}`, "no yes", ""},
		{"within a list", `{"verdicts": [` + good + `]}`, "partly yes", ""},
		{"the last of two", `{"correct": "yes", "concise": "yes"} no, rather ` + good, "partly yes", ""},
		{"an object without names follows", good + ` {"a": 1} {`, "partly yes", ""},
		{"an unfinished quote before it", `the reply has {"x": " and ` + good, "partly yes", ""},

		{"empty", "", "", "no JSON object"},
		{"only words", "correct: yes, concise: yes", "", "no JSON object"},
		{"a name is missing", `{"correct": "yes"}`, "", `"concise" is missing`},
		{"a name is there twice", `{"correct": "no", "concise": "yes", "correct": "yes"}`, "", `"correct" is there twice`},
		{"another choice", `{"correct": "mostly", "concise": "yes"}`, "", "want one of"},
		{"a number", `{"correct": 1e9, "concise": "yes"}`, "", "want one of"},
		{"a list of choices", `{"correct": ["no", "yes"], "concise": "yes"}`, "", "want one of"},
		{"null", `{"correct": null, "concise": "yes"}`, "", "want one of"},
		{"an empty choice", `{"correct": "", "concise": "yes"}`, "", "want one of"},
		{"not JSON", `{'correct': 'yes', 'concise': 'yes'}`, "", "no JSON object"},
		{"cut", `{"correct": "yes", "concise": "ye`, "", "not whole"},
		{"bare words", `{"correct": yes, "concise": yes}`, "", "not whole"},
		{"a line end in a text", "{\"correct\": \"y\nes\", \"concise\": \"yes\"}", "", "not whole"},

		// What the judge quotes must not stand in for what it says.
		{"a quote, then a cut verdict", good + ` is what it claims. {"correct": "no", "conc`, "", "not whole"},
		{"a quote, then a wrong verdict", good + ` {"correct": "never", "concise": "no"}`, "", "want one of"},
		{"a quote, then a verdict in bare words", good + ` {"correct": no, "concise": no}`, "", "not whole"},
		{"a quote within a cut verdict", `{"correct": "no", "quote": ` + good, "", "not whole"},
		{"a quote within a verdict", `{"correct": "no", "concise": "no", "quote": ` + good + `}`, "no no", ""},
		{"a quote within a text, not escaped", `{"why": "it says ` + good + ` and lies", "correct": "no", "concise": "no"}`, "", "named again"},
		{"the same at the end", `{"correct": "no", "concise": "no", "why": "it says ` + good + `"}`, "", "not whole"},
		{"a quote deep within", `{"correct": "no", "a": {"a": {"a": {"a": ` + good + `}}}}`, "", "deep"},
	} {
		choices, err := scan(test.text, two())
		got := strings.Join(choices, " ")
		if got != test.want || (err == nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %q: %q, error %v; want %q, error with %q", test.why, test.text, got, err, test.want, test.says)
		}
	}
}

func TestScanReadsChoicesThatAreNumbers(t *testing.T) {
	t.Parallel()
	scale := []Criterion{{Name: "style", Choices: []string{"1", "2", "3"}}}
	for text, want := range map[string]string{`{"style": 2}`: "2", `{"style": "3"}`: "3", `{"style": 2.0}`: "", `{"style": 4}`: ""} {
		choices, err := scan(text, scale)
		if strings.Join(choices, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, error %v, want %q", text, choices, err, want)
		}
	}
}

// Hostile texts are read a bounded number of times.
func TestScanIsLinear(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	for _, piece := range []string{
		"{", `{"`, `{"a`, `{"a":`, `{"a":{`, `{"a":{"a":`, `{"a":[`, `{"a":"{`, `{"a{":",":",":`, `{"\`, `{"a":"\"{\"`, "{ ", "{\n\n", `{}`, `{"a":1},`,
		`{"correct":`, `{"correct":{`, `{"correct":"yes",`, `{"a":{"a":{"a":["b","c",`, `"`, `{"a":1`, `[{`, `{"{":"`, `":"{`,
	} {
		for _, text := range []string{strings.Repeat(piece, n/len(piece)), strings.Repeat(piece, 8) + strings.Repeat(`"x",`, n/4), strings.Repeat(piece, n/2/len(piece)) + strings.Repeat(" ", n/2)} {
			s := scanner{text: text, names: map[string]int{"correct": 0, "concise": 1}}
			_, _ = s.scan(two())
			if most := 4 * (deepest + 1) * len(text); s.steps > most {
				t.Errorf("%q repeated: %d steps for %d bytes", piece, s.steps, len(text))
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"correct": "partly", "concise": "yes"}`, `x {"a": {"correct": "no", "concise": "no"}} y`, `{"correct": [1, {"a": null}], "concise": "no"`, `{"\u0063orrect": "no"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanner{text: text, names: map[string]int{"correct": 0, "concise": 1}}
		choices, err := s.scan(two())
		if s.steps > 4*(deepest+1)*len(text)+4 {
			t.Fatalf("%d steps for %d bytes", s.steps, len(text))
		}
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
		after, err := scan(text+"\n"+`{"correct": "no", "concise": "no"}`, two())
		if err == nil && strings.Join(after, " ") != "no no" {
			t.Fatalf("%q hides the verdict: %q", text, after)
		}
	})
}
