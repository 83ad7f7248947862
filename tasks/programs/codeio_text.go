package programs

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// outputPhrasings are the wordings for questions about the output: %p stands for the
// program, %i for the input, %a for it as arguments of a call, and %l for it in lines.
var outputPhrasings = []string{
	"What does main return?\n\n%p\n\nInput: %i",
	"Take this input:\n\n%i\n\nIts members are the arguments of the Python function main below. Run the function in your head and say what it returns.\n\n%p",
	"Here is a Python program.\n\n%p\n\nWith it loaded, someone types main(%a) at the prompt of the interpreter. Which value appears?",
	"Find the value that belongs in place of the question marks, so that the last line does not fail.\n\n%p\n\nassert main(%a) == ???",
	"Trace the following code step by step. It starts in main, with these arguments:\n%l\n\n%p\n\nWhat is the result?",
	"%p\n\nThe function main above is called with\n%l\n\nPredict its return value.",
}

// inputPhrasings are the wordings for questions about an input: %o stands for the output.
var inputPhrasings = []string{
	"For which input does main return the output below?\n\n%p\n\nOutput: %o",
	"The Python function main, which is defined below, has returned\n\n%o\n\nThe arguments were not written down. Work backwards, and find some that explain the result.\n\n%p",
	"Here is a Python program.\n\n%p\n\nSomeone calls main at the prompt of the interpreter and reads\n\n%o\n\nHow may they have called it?",
	"Replace the question marks by arguments with which the last line does not fail.\n\n%p\n\nassert main(???) == %o",
	"You want this value:\n\n%o\n\nThe only way to get it is to call main:\n\n%p\n\nWhich arguments do you choose?",
	"%p\n\nA test of the function main above expects %o, but its input got lost. Find an input with which the test passes.",
}

func (c codeItem) Prompt() string {
	p, err := c.program()
	if err != nil {
		return "" // Check refuses it
	}
	phrasings := outputPhrasings
	if c.Asks == "input" {
		phrasings = inputPhrasings
	}
	b := task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), phrasings[c.Phrasing], func(mark byte) string {
		switch mark {
		case 'p':
			return "```python\n" + p.source + "\n```"
		case 'i':
			return spaced(c.Input)
		case 'a':
			return strings.Join(c.arguments("="), ", ")
		case 'l':
			return strings.Join(c.arguments(" = "), "\n")
		}
		return spaced(c.Output)
	})
	if c.Asks == "input" {
		return string(p.appendForm(b))
	}
	return string(append(b, "\n\nAnswer with the returned value alone, written as JSON, with strings in double quotes."...))
}

// appendForm appends the form of an input.
func (p *program) appendForm(b []byte) []byte {
	b = append(b, "\n\nAnswer with a JSON object that has the arguments by name, and nothing else: "...)
	for i, q := range p.params {
		before := ", "
		if i == 0 {
			before = "{"
		}
		b = append(append(append(b, before...), '"'), q.name...)
		b = append(append(b, `": `...), "…"...)
	}
	b = append(b, '}')
	for i, q := range p.params {
		before := ", "
		switch {
		case i == 0:
			before = ", where "
		case i == len(p.params)-1:
			before = " and "
		}
		b = append(append(b, before...), q.name...)
		b = append(append(b, " is "...), drawers[q.kind].name...)
	}
	return append(b, ". Any input with this output is right."...)
}

// arguments returns the members of the input, names before values.
func (c codeItem) arguments(between string) (list []string) {
	input, err := c.input()
	if err != nil {
		return nil // Check refuses it
	}
	for name, v := range input.All() {
		text, _ := jsonOf(v) // it was JSON
		list = append(list, name.(string)+between+text)
	}
	return list
}

// spaced writes JSON as Python does.
func spaced(raw json.RawMessage) string {
	v, err := pyvalue.ParseJSON(raw)
	if err != nil {
		return "" // Check refuses it
	}
	text, _ := jsonOf(v)
	return text
}
