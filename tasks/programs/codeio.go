package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// codeIO asks for the output of a program, or for an input.
var codeIO = task.Spec[codeParams, codeItem]{
	Name:     "codeio",
	Category: "code",
	Doc: "Work out what a small program returns for an input, or find an input for which it returns an output. Any input of the drawn kinds is right if " +
		"the program gives that output: printable ASCII, integers of at most 12 digits, 1,024 values and characters in all. The programs are in a subset of Starlark, and are Python too. Those that differ by a choice or two are a family, which is held out whole or not at all.",
	Source:  "The idea of J. Li and others, CodeI/O (2025); the programs are our own, the settings those of reasoning-gym.",
	Version: 2,
	Default: codeParams{InputPrediction: 0.5},
	Levels: []codeParams{
		{0.5, new(1)},
		{0.5, new(3)},
		{0.5, new(6)},
		{0.5, new(8)},
		{0.5, new(10)},
	},
	Many: true,
	Refuses: map[string]string{
		answer.InQuotes:                "Quotes tell a text from a number.",
		"in single quotes":             "Quotes tell a text from a number.",
		"in quotes, as JSON":           "Quotes tell a text from a list.",
		"in quotes, as a text of JSON": "Quotes tell a text from a list.",
	},
	Make: makeCode,
}

// codeParams are the settings of one difficulty.
type codeParams struct {
	InputPrediction float64 `json:"input_prediction_probability" want:"0 to 1"` // probability of asking for an input
	Difficulty      *int    `json:"difficulty" want:"1 to 10"`                  // 1 to 10: two for each band of programs, with smaller and larger inputs; null: any
}

// codeItem is one program with an input and its output. Entries of reasoning-gym lack the
// program and the direction; their answer decides.
type codeItem struct {
	Program  string          `json:"program,omitempty"`
	Asks     string          `json:"asks,omitempty"` // output or input
	Input    json.RawMessage `json:"input_data,omitempty"`
	Output   json.RawMessage `json:"output_data,omitempty"`
	Answer   string          `json:"answer" want:"1 or more"` // as Python writes JSON
	Phrasing int             `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeCode draws a program and an input.
func makeCode(p codeParams, r *rng.Rand) (codeItem, error) {
	item := codeItem{Asks: "output", Phrasing: r.Between(0, len(outputPhrasings)-1)}
	if r.Chance(p.InputPrediction) {
		item.Asks = "input"
	}
	all, err := programs()
	if err != nil {
		return item, err
	}
	const tries = 100
	for range tries {
		band, of := r.Between(1, bands), anySize
		if p.Difficulty != nil {
			band, of = (*p.Difficulty+1)/2, small+size(*p.Difficulty+1)%2
		}
		program := rng.Pick(r, rng.Pick(r, all.bands[band]))
		if program.outputOnly && item.Asks == "input" {
			continue
		}
		input := program.draw(of, r)
		output, err := program.run(input)
		if err != nil || !telling(output, input) || item.Asks == "input" && program.effortless(output) {
			continue
		}
		return item, item.fill(program, input, output)
	}
	return item, fmt.Errorf("no input with a telling output found in %d tries", tries)
}

// telling refuses outputs that say little, are part of the input, or are long.
func telling(output string, input *pyvalue.Dict) bool {
	const longest = 400
	if len(output) > longest || slices.Contains([]string{"[]", "{}", `""`, "0", "1", "-1", "null", "[[]]"}, output) {
		return false
	}
	for _, v := range input.All() {
		if text, err := jsonOf(v); err != nil || text == output {
			return false
		}
	}
	return true
}

// fill completes a problem.
func (c *codeItem) fill(p *program, input *pyvalue.Dict, output string) error {
	text, err := jsonOf(input)
	if err != nil {
		return err
	}
	c.Program, c.Answer = p.name, output
	if c.Asks == "input" {
		c.Answer = text
	}
	c.Input, c.Output = compact(text), compact(output)
	return nil
}

// compact removes the spaces that jsonOf writes after commas and colons.
func compact(text string) json.RawMessage {
	raw, quoted := make(json.RawMessage, 0, len(text)), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
			raw = append(raw, c, text[i])
		case c != ' ' || quoted:
			quoted = quoted != (c == '"')
			raw = append(raw, c)
		}
	}
	return raw
}

func (c codeItem) Short() string {
	p, err := c.program()
	switch {
	case err != nil:
		return ""
	case c.Asks == "input":
		return p.source + "\nmain(?) = " + spaced(c.Output)
	}
	return p.source + "\nmain(" + strings.Join(c.arguments("="), ", ") + ") = ?"
}

// Family implements [task.Relative]. It is that of the program.
func (c codeItem) Family() string {
	p, err := c.program()
	if err != nil {
		return ""
	}
	return p.family
}

// parts finds the program and reads the input.
func (c codeItem) parts() (*program, *pyvalue.Dict, error) {
	p, err := c.program()
	if err != nil {
		return nil, nil, err
	}
	input, err := c.input()
	return p, input, err
}

// program finds the program.
func (c codeItem) program() (*program, error) {
	all, err := programs()
	if err != nil {
		return nil, err
	}
	p, has := all.names[c.Program]
	if !has {
		return nil, fmt.Errorf("program is %.100q, which is not one of ours", c.Program)
	}
	return p, nil
}

// input reads the input.
func (c codeItem) input() (*pyvalue.Dict, error) {
	v, err := pyvalue.ParseJSON(c.Input)
	if err != nil {
		return nil, fmt.Errorf("input_data: %w", err)
	}
	input, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, errors.New("input_data is not an object")
	}
	return input, nil
}

// Check refuses a record with a wrong output.
func (c codeItem) Check() error {
	if c.Program == "" {
		return nil // from reasoning-gym
	}
	p, input, err := c.parts()
	if err != nil {
		return err
	}
	output, err := p.run(input)
	if err != nil {
		return fmt.Errorf("input_data: %w", err)
	}
	if got := spaced(c.Output); got != output {
		return fmt.Errorf("output_data is %.60s, want %.60s", got, output)
	}
	if c.Asks != "output" && c.Asks != "input" {
		return fmt.Errorf("asks is %.20q, want output or input", c.Asks)
	}
	want := output
	if c.Asks == "input" {
		want = spaced(c.Input)
	}
	if c.Answer != want {
		return fmt.Errorf("answer is %.60s, want %.60s", c.Answer, want)
	}
	return nil
}

func (c codeItem) Solve() string { return c.Answer }

func (c codeItem) Score(text string) quintain.Verdict {
	const longest = 4000
	text = answer.Trim(text)
	switch {
	case text == c.Answer:
		return quintain.Right()
	case len(text) > longest:
		return quintain.Wrong("the answer is too long")
	}
	want, err := pyvalue.ParseJSON([]byte(c.Answer))
	if err != nil {
		return quintain.Wrong("want " + c.Answer) // an entry of reasoning-gym with a text
	}
	if bare, ok := want.(string); ok && c.Asks != "input" && (text == bare || text == "'"+bare+"'") {
		return quintain.Right()
	}
	got, err := pyvalue.ParseJSON([]byte(strings.TrimSuffix(text, ".")))
	if err != nil {
		return quintain.Malformed("want JSON and nothing else")
	}
	got = wholes(got)
	if same(got, want) {
		return quintain.Right()
	}
	if c.Asks == "input" {
		return c.tryInput(got)
	}
	return quintain.Wrong("want " + c.Answer)
}

// tryInput runs the program with another input.
func (c codeItem) tryInput(v pyvalue.Value) quintain.Verdict {
	p, err := c.program()
	input, ok := v.(*pyvalue.Dict)
	if err != nil || !ok {
		return quintain.Malformed("want an object with the arguments by name")
	}
	output, err := p.run(input)
	if err != nil {
		return quintain.Wrong(err.Error())
	}
	got, err := pyvalue.ParseJSON([]byte(output))
	if err != nil {
		return quintain.Wrong(err.Error())
	}
	if want, err := pyvalue.ParseJSON(c.Output); err != nil || !same(got, want) {
		return quintain.Wrong(fmt.Sprintf("main returns %.200s for this input", output))
	}
	return quintain.Right()
}

// same reports whether two values are the same JSON, in any order of members.
func same(a, b pyvalue.Value) bool {
	x, err := sortedJSON(a)
	if err != nil {
		return false
	}
	y, err := sortedJSON(b)
	return err == nil && x == y
}

// wholes writes numbers such as 3.0 as whole numbers.
func wholes(v pyvalue.Value) pyvalue.Value {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case *pyvalue.List:
		for i, item := range v.Items { // nobody else holds v
			v.Items[i] = wholes(item)
		}
	case *pyvalue.Dict:
		for name, item := range v.All() {
			v.Set(name.(string), wholes(item))
		}
	}
	return v
}
