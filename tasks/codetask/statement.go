package codetask

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/task/rng"
)

// fill replaces names such as $k in a text: pairs are a name and its text, in turn.
func fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// A layout is how a statement looks.
type layout struct{ call, stdin, head, example string }

var layouts = []layout{
	{"Write a Python function `$call`.", "Write a Python program that reads standard input and prints to standard output.", "**$head**", "**Example $n**"},
	{"Implement `$call` in Python.", "Solve this problem with a Python program: it reads from standard input and prints its result.", "## $head", "### Example $n"},
	{"Define the function `$call` in Python.", "Your task is a complete Python program. Input comes from standard input; output goes to standard output.", "$head:", "Example $n:"},
}

// statement writes the statement. The public ones of the drawn cases are its examples.
func (d *draft) statement(r *rng.Rand, tests *codegrade.Tests, drawn []drawnCase) string {
	l := rng.Pick(r, layouts)
	head := func(text string) string { return "\n\n" + fill(l.head, "$head", text) + "\n\n" }
	call := tests.Kind == codegrade.Call
	var text strings.Builder
	if call {
		text.WriteString(fill(l.call, "$call", d.name+"("+d.names()+")"))
	} else {
		text.WriteString(l.stdin)
	}
	text.WriteString("\n\n" + d.task)
	if call {
		text.WriteString(head("Arguments"))
	} else {
		text.WriteString(head("Input"))
	}
	for i, f := range d.fields {
		describe := f.input
		if call {
			describe = f.argument
		}
		text.WriteString([]string{"\n", ""}[bit(i == 0)] + fmt.Sprintf("- `%s`: %s", f.name, describe()))
	}
	if call {
		text.WriteString(head("Result") + "Return " + d.returned())
	} else {
		text.WriteString(head("Output") + "Print " + d.print())
	}
	text.WriteString(head("Limits") + fmt.Sprintf("Each test may take %d seconds of processor time.", int(tests.Limits.CPU.Seconds())))
	if call {
		text.WriteString(head("Examples") + d.calls(drawn))
		return text.String()
	}
	for i, c := range tests.Cases {
		if c.Public {
			text.WriteString("\n\n" + fill(l.example, "$n", fmt.Sprint(i+1)) + "\n\nInput:\n```\n" + c.Input + "```\nOutput:\n```\n" + c.Output + "```")
		}
	}
	return text.String()
}

// calls writes the examples of a function.
func (d *draft) calls(drawn []drawnCase) string {
	lines := make([]string, 0, publicCases)
	for _, c := range drawn[:publicCases] {
		arguments := make([]string, len(c.in))
		for i, v := range c.in {
			arguments[i] = python(v)
		}
		lines = append(lines, fmt.Sprintf("%s(%s) == %s", d.name, strings.Join(arguments, ", "), python(c.out)))
	}
	return "```python\n" + strings.Join(lines, "\n") + "\n```"
}

// names are the names of the arguments.
func (d *draft) names() string {
	return joined(d.fields, ", ", func(f field) string { return f.name })
}

// returned says what a function returns.
func (d *draft) returned() string {
	switch d.form {
	case truth:
		return "`True` if " + d.want + ", and `False` if not."
	case list:
		return d.want + ", as a list of integers."
	case texts:
		return d.want + ", as a list of strings."
	case rows:
		return d.want + ", as a list of lists of integers."
	default:
		return d.want + "."
	}
}

// print says what a program prints.
func (d *draft) print() string {
	switch {
	case d.form == truth:
		return fmt.Sprintf("`%s` if %s, and `%s` if not.", d.yes, d.want, d.no)
	case d.form == list && !d.upright:
		return d.want + ", on one line, separated by spaces. If there are none, the line is empty."
	case d.form == list || d.form == texts:
		return d.want + ", each on a line of its own. If there are none, print nothing."
	case d.form == rows:
		return d.want + ", each row on a line of its own, its numbers separated by spaces. If there are none, print nothing."
	default:
		return d.want + "."
	}
}

// reference writes the solution in Python.
func (d *draft) reference(kind codegrade.Kind) string {
	before := d.before
	if kind == codegrade.Stdin && !strings.Contains(before, "import sys\n") {
		before += "import sys\n"
	}
	if before != "" {
		before += "\n\n"
	}
	text := before + "def " + d.name + "(" + d.names() + "):\n" + strings.TrimPrefix(d.body, "\n")
	if kind != codegrade.Stdin {
		return text
	}
	text += "\n\ndef main():\n    lines = iter(sys.stdin.read().split(\"\\n\"))\n"
	for _, f := range d.fields {
		text += "    " + strings.ReplaceAll(f.read(), "\n", "\n    ") + "\n"
	}
	return text + strings.ReplaceAll("    result = "+d.name+"("+d.names()+")\n"+d.output(), "\n    \n", "\n\n") + "\n\nmain()\n"
}

// output is the Python that prints the result.
func (d *draft) output() string {
	switch {
	case d.form == truth:
		return fmt.Sprintf("    print(%q if result else %q)\n", d.yes, d.no)
	case d.form == list && !d.upright:
		return "    print(*result)\n"
	case d.form == list || d.form == texts:
		return "    for one in result:\n        print(one)\n"
	case d.form == rows:
		return "    for row in result:\n        print(*row)\n"
	default:
		return "    print(result)\n"
	}
}
