package programs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/tasktest"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

func TestCodeScore(t *testing.T) {
	number := codeItem{Program: "affine", Asks: "output", Input: []byte(`{"n":8}`), Output: []byte(`44`), Answer: "44"}
	tasktest.Nears(t, number.Score, []tasktest.Near{
		{"44", 1, ""}, {" 44\n", 1, ""}, {"44.0", 1, "the same number in JSON"}, {"44.", 1, "a full stop"}, {"44..", 0, ""}, {"45", 0, ""}, {"-44", 0, ""}, {`"44"`, 0, "a text"}, {"[44]", 0, ""}, {"44 or 45", 0, "no choice"}, {"", 0, "nothing"},
	})
	text := codeItem{Program: "caesar", Asks: "output", Input: []byte(`{"text":"abz","by":1}`), Output: []byte(`"bca"`), Answer: `"bca"`}
	tasktest.Nears(t, text.Score, []tasktest.Near{
		{`"bca"`, 1, ""}, {"bca", 1, "the text without quotes"}, {"'bca'", 1, "as in Python"}, {`"b\u0063a"`, 1, "the same text in JSON"}, {`"Bca"`, 0, ""}, {`"bca "`, 0, ""}, {`["bca"]`, 0, ""},
	})
	object := codeItem{Program: "total_of_orders", Asks: "output", Output: []byte(`{"total":30,"large":["a"]}`), Answer: `{"total": 30, "large": ["a"]}`}
	tasktest.Nears(t, object.Score, []tasktest.Near{
		{`{"large":["a"],"total":30}`, 1, "members have no order"}, {`{"total": 30}`, 0, "others pay a share"}, {`{"total": 30, "large": ["b"]}`, 0, ""},
		{`{"total": 30, "large": ["a"], "x": 1}`, 0, ""}, {`{"total": 30, "large": ["a"]`, 0, "not closed"}, {`{"total": true, "large": ["a"]}`, 0, ""},
	})
	input := codeItem{Program: "longest_word", Asks: "input", Input: []byte(`{"words":["a","bcd"]}`), Output: []byte(`{"word":"bcd","length":3}`), Answer: `{"words": ["a", "bcd"]}`}
	tasktest.Nears(t, input.Score, []tasktest.Near{
		{`{"words": ["a", "bcd"]}`, 1, ""}, {`{"words":["bcd"]}`, 1, "another input with this output"}, {`{"words":["bcd","efg"]}`, 1, "the first of the longest"}, {`{"words":["efg","bcd"]}`, 0, ""},
		{`{"words":[]}`, 0, "the program fails"}, {`["bcd"]`, 0, "no object"}, {`{"word":["bcd"]}`, 0, "another name"}, {`{"words":["bcd"],"more":1}`, 0, "one too many"}, {`{"words":5}`, 0, "the program fails"},
		{`{"word": "bcd", "length": 3}`, 0, "the output"}, {"{}", 0, ""}, {`{"words":["bcd", 1.5]}`, 0, "no floats"},
	})
	sum := codeItem{Program: "total", Asks: "input", Input: []byte(`{"numbers":[1,2]}`), Output: []byte(`3`), Answer: `{"numbers": [1, 2]}`}
	tasktest.Nears(t, sum.Score, []tasktest.Near{
		{`{"numbers": [3]}`, 1, ""}, {`{"numbers": [3.0]}`, 1, "a whole number"}, {`{"numbers": [5, -2]}`, 1, ""}, {`{"numbers": [true, 2]}`, 0, "no number in Starlark"}, {`{"numbers": [2]}`, 0, ""},
		{`{"numbers": [` + strings.Repeat("0,", 500) + `3]}`, 1, "1,000 bytes"},
	})
	tasktest.Nears(t, codeItem{Answer: `{"n": 7}`}.Score, []tasktest.Near{{`{"n":7}`, 1, "an entry of reasoning-gym"}, {`{"n":8}`, 0, ""}, {"7", 0, ""}})
	tasktest.Nears(t, codeItem{Answer: "{'n'"}.Score, []tasktest.Near{{"{'n'", 1, "is not JSON"}, {"{", 0, ""}})
}

// Other forms keep the quotes and the spaces of a text.
func TestCodeForms(t *testing.T) {
	for _, test := range []struct {
		want, text string
		score      float64
		why        string
	}{
		{"44", "**44**", 1, "in bold"}, {"44", "The answer is 44.", 1, "in a sentence"}, {"44", `"44"`, 0, "a text"}, {"44", `The output is "44"`, 0, ""}, {"44", "`\"44\"`", 0, "a text as code"},
		{`"a  b"`, `"a  b"`, 1, ""}, {`"a  b"`, "`\"a  b\"`", 1, "as code"}, {`"a  b"`, `"a b"`, 0, "a space less"}, {`"a b"`, `"a  b"`, 0, "a space more"}, {`["a  b"]`, "```json\n[\n  'a  b'\n]\n```", 1, "over several lines"},
		{`{"a": "x  y"}`, `\boxed{{"a":  "x  y"}}`, 1, "an object in a box"}, {`{"a": "x  y"}`, `\boxed{{"a": "x y"}}`, 0, ""}, {`{"a": "−"}`, `{'a': '-'}`, 0, "another sign"},
	} {
		item := codeItem{Program: "caesar", Asks: "output", Input: []byte(`{}`), Answer: test.want}
		p := quintain.Problem{Task: "codeio", Instance: quintain.NewRecord(item)}
		if v, err := codeIO.Task().Grade(p, test.text); err != nil || v.Score != test.score {
			t.Errorf("%s for %s: %+v, error %v, want %v (%s)", test.text, test.want, v, err, test.score, test.why)
		}
	}
}

func TestCodeParams(t *testing.T) {
	tasktest.RefusedRecords(t, codeIO.Task(), []string{
		`{}`,
		`{"program":"nothing","asks":"output","input_data":{"n":8},"output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"both","input_data":{"n":8},"output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"output","input_data":{"n":8},"output_data":45,"answer":"45"}`,
		`{"program":"affine","asks":"output","input_data":{"n":8},"output_data":44,"answer":"45"}`,
		`{"program":"affine","asks":"input","input_data":{"n":8},"output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"output","input_data":{"m":8},"output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"output","input_data":[8],"output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"output","output_data":44,"answer":"44"}`,
		`{"program":"affine","asks":"output","input_data":{"n":8},"answer":"44"}`,
		`{"program":"affine","asks":"output","input_data":{"n":8},"output_data":44,"answer":"44","phrasing":6}`,
	})
}

// cpython has inputs of all families of programs with what CPython returns for them. It is written
// by conformance/programs.py.
//
//go:embed testdata/cpython.jsonl
var cpython string

// The second solver for outputs is CPython.
func TestCodeSecond(t *testing.T) {
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]family{}
	for _, list := range all.bands[1:] {
		for _, f := range list {
			families[f[0].family] = f
		}
	}
	met := map[string]bool{}
	for line := range strings.Lines(cpython) {
		var c struct {
			Family  string
			Input   json.RawMessage
			Outputs []json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		input, err := pyvalue.ParseJSON(c.Input)
		if err != nil || len(families[c.Family]) != len(c.Outputs) {
			t.Fatalf("CPython ran %d programs of %s, want %d, error %v: rewrite the cases with conformance/programs.py", len(c.Outputs), c.Family, len(families[c.Family]), err)
		}
		met[c.Family] = true
		for i, p := range families[c.Family] {
			if got, err := p.run(input.(*pyvalue.Dict)); err != nil || got != spaced(c.Outputs[i]) {
				t.Errorf("%s of %s: %s, error %v; CPython returns %s", p.name, c.Input, got, err, c.Outputs[i])
			}
		}
	}
	if len(met) != len(families) {
		t.Errorf("CPython ran %d of %d families: rewrite the cases with conformance/programs.py", len(met), len(families))
	}
}

var fenceRE = regexp.MustCompile("(?s)```python\n(.*?)\n```")

// A prompt has the program, and the known one of input and output.
func TestCodePrompts(t *testing.T) {
	phrasings := map[string]bool{}
	tasktest.Every(t, codeIO.Task(), 1000, func(c codeItem, prompt, got string) error {
		p, input, err := c.parts()
		if err != nil {
			return err
		}
		fences := fenceRE.FindAllStringSubmatch(prompt, -1)
		if len(fences) != 1 || fences[0][1] != p.source {
			return fmt.Errorf("the prompt has %d programs", len(fences))
		}
		phrasings[fmt.Sprint(c.Asks, c.Phrasing)] = true
		rest := strings.Replace(prompt, fences[0][0], "", 1)
		if c.Asks == "input" {
			if !strings.Contains(rest, spaced(c.Output)) {
				return fmt.Errorf("the prompt lacks the output %s", c.Output)
			}
			return nil
		}
		for _, v := range input.All() {
			if !strings.Contains(rest, show(v)) {
				return fmt.Errorf("the prompt lacks %s", show(v))
			}
		}
		return nil
	})
	if len(phrasings) != len(inputPhrasings)+len(outputPhrasings) || len(inputPhrasings) != len(outputPhrasings) {
		t.Errorf("%d wordings come up", len(phrasings))
	}
}

// No right input consists of the output alone.
func TestCodeInputsNeedThought(t *testing.T) {
	asked := 0
	tasktest.Every(t, codeIO.Task(), tasktest.Count(2000, 400), func(c codeItem, _, _ string) error {
		p, _, err := c.parts()
		if err != nil || c.Asks != "input" {
			return err
		}
		asked++
		for i := range 4 * len(p.params) {
			var members []string
			for k, q := range p.params {
				v := fmt.Sprint(i % 2)
				if k == i/4 {
					v = []string{string(c.Output), "[" + string(c.Output) + "]"}[i/2%2]
				}
				members = append(members, fmt.Sprintf("%q: %s", q.name, v))
			}
			if answer := "{" + strings.Join(members, ", ") + "}"; c.Score(answer).Score > 0 {
				return fmt.Errorf("%s is right", answer)
			}
		}
		return nil
	})
	if tasktest.Heavy && asked < 500 {
		t.Errorf("%d inputs are asked for", asked)
	}
}

func TestCodeKeys(t *testing.T) {
	tasktest.NoVariants(t, codeIO.Task(), "The programs are fixed texts with names of their own, so none is drawn in other names or with its lines in another order. "+
		"Few of their arguments may be exchanged, which depends on the program.")
	tasktest.Same(t, codeIO.Task(), "the wording", func(c *codeItem) { c.Phrasing = (c.Phrasing + 1) % len(outputPhrasings) })
}
