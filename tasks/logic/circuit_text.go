package logic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
)

// circuitPhrasings are the wordings: %d, %g, %r and %a stand for the drawing, the meanings
// of its gates, the values of the inputs and the question. The form of a row comes second.
var circuitPhrasings = []circuitPhrasing{
	{"This circuit has its inputs on the left and its output on the right:\n\n%d\n\nAn o on a wire inverts what it carries. The gates:\n%g\n\n%r\n\n%a", "- %s: %s\n", " = "},
	{"%a Signals run from left to right; where a wire has an o, a 0 becomes a 1 and a 1 becomes a 0.\n\n%d\n\n%g\n\n%r", "%s is %s.\n", " is "},
	{"What each gate gives:\n%g\n\nA small o negates a signal. The values of the inputs:\n\n%r\n\nThe circuit:\n\n%d\n\n%a", "  %s: %s\n", "="},
	{"An engineer has drawn the following circuit. The letters are inputs, o is an inverter, and the names in capitals are gates.\n\n%d\n\nRemember:\n%g\n\nIt is tested. %r\n\n%a", "* %s gives %s\n", ":"},
	{"Simulate a logic circuit. Input values:\n\n%r\n\nDrawing (o stands for NOT):\n\n%d\n\nGates used in it:\n%g\n\n%a", "%s → %s\n", "→"},
	{"Below, lines carry bits from the inputs to OUT. Passing an o flips a bit.\n\n%d\n\n%r\n\n%a For reference:\n%g", "(%s) %s\n", " := "},
}

// A circuitPhrasing is the text, the form of a gate's line, and the text between an input
// and its value.
type circuitPhrasing struct{ text, gate, is string }

func (c circuitItem) Prompt() string {
	words := circuitPhrasings[c.Phrasing]
	ask, form := "What is the output?", "Answer with 0 or 1."
	if len(c.More) > 0 {
		ask = "What is the output in each of the " + strconv.Itoa(1+len(c.More)) + " cases?"
		form = "Answer with one digit for each case, 0 or 1, in the order of the cases and with nothing between them."
	}
	b := task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), words.text, func(what byte) string {
		switch what {
		case 'd':
			return c.drawing()
		case 'g':
			return c.legend(words.gate)
		case 'r':
			return c.table(words.is)
		}
		return ask
	})
	return string(append(append(b, "\n\n"...), form...))
}

// circuitGap is the number of columns from the names to the wire on the right.
const circuitGap = 17

// drawing draws the circuit: the inputs of each first-layer gate below each other, and a
// wire to the last gate on the right.
func (c circuitItem) drawing() string {
	of, err := c.circuit()
	if err != nil {
		return c.Expression
	}
	wide := 1
	for _, name := range c.Inputs {
		wide = max(wide, len(name))
	}
	var b strings.Builder
	b.Grow(task.PromptRoom)
	for i, t := range of.terms {
		right := "┤\n"
		switch i {
		case 0:
			right = "┐\n"
		case len(of.terms) - 1:
			right = "┴─ " + of.final.name + " ── OUT"
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", wide+circuitGap-1) + "│\n")
		}
		last := len(t.literals) - 1
		for k, l := range t.literals {
			name := of.inputs[l.input]
			b.WriteString(name + strings.Repeat(" ", wide-len(name)) + " ──" + [2]string{"─", "o"}[task.Bit(l.negated)] + "──")
			switch {
			case k == last:
				b.WriteString("┴─ " + t.gate.name + " " + strings.Repeat("─", circuitGap-11-len(t.gate.name)) + right)
			case i == 0:
				b.WriteString([2]string{"┤", "┐"}[task.Bit(k == 0)] + "\n")
			default:
				b.WriteString([2]string{"┤", "┐"}[task.Bit(k == 0)] + strings.Repeat(" ", circuitGap-8) + "│\n")
			}
		}
	}
	return b.String()
}

// legend describes the gates of the circuit, each in a line of the given form.
func (c circuitItem) legend(form string) string {
	before, rest, _ := strings.Cut(form, "%s")
	between, after, _ := strings.Cut(rest, "%s")
	var b strings.Builder
	b.Grow(task.PromptRoom / 2)
	for _, g := range gates {
		if g.name == c.FinalGate || slices.Contains(c.Gates, g.name) {
			b.WriteString(before + g.name + between + g.legend + after)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table lists the values of the inputs.
func (c circuitItem) table(is string) string {
	var b strings.Builder
	rows := c.rows()
	if len(rows) == 1 {
		for i, name := range c.Inputs {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name + is + rows[0][i:i+1])
		}
		return "Inputs: " + b.String()
	}
	b.WriteString("Inputs:  " + strings.Join(c.Inputs, " "))
	for i, row := range rows {
		b.WriteString("\nCase " + strconv.Itoa(i+1) + ": " + strings.Repeat(" ", 2-len(strconv.Itoa(i+1))))
		for k := range row {
			b.WriteString(row[k:k+1] + strings.Repeat(" ", len(c.Inputs[k])))
		}
	}
	return strings.TrimRight(strings.ReplaceAll(b.String(), " \n", "\n"), " ")
}

func (c circuitItem) Short() string {
	if len(c.Gates) == 0 {
		return ""
	}
	return c.Expression + " with " + strings.Join(c.Inputs, " ") + " = " + strings.Join(c.rows(), " ")
}

// Canonical implements [task.Canonicalizer]. The names of the inputs do not matter, nor do the
// orders of the gates, of the inputs of a gate, and of the assignments, nor whether an input is inverted
// everywhere, or the output.
func (c circuitItem) Canonical() string {
	of, err := c.circuit()
	if err != nil || len(c.Gates) == 0 {
		return ""
	}
	rows := c.rows()
	look := make([]uint64, 2*len(c.Inputs)) // of an input and its opposite: what it is joined to, as a hash
	gates, cases := make([]uint64, len(of.terms)), make([]uint64, len(rows))
	const rounds = 3
	for range rounds {
		of.hash(look, gates)
		hashRows(look, rows, cases)
		next := make([]uint64, len(look))
		for i, term := range of.terms {
			for _, l := range term.literals {
				next[2*l.input+task.Bit(l.negated)] += hashed(gates[i], 1)
			}
		}
		for i, row := range rows {
			for k := range row {
				next[2*k+int(row[k]-'0')] += hashed(cases[i], 2)
			}
		}
		for i := range look {
			look[i] = hashed(next[i], next[i^1])
		}
	}
	of.hash(look, gates)
	hashRows(look, rows, cases)
	slices.Sort(gates)
	slices.Sort(cases)
	return fmt.Sprint(strings.TrimPrefix(c.FinalGate, "N"), len(c.Inputs), gates, cases)
}

// hash fills sums with a hash of each gate of the first layer, for looks of the inputs.
func (c *circuit) hash(look, sums []uint64) {
	for i, term := range c.terms {
		sums[i] = 0
		for _, l := range term.literals {
			sums[i] += hashed(look[2*l.input+task.Bit(l.negated)], 1)
		}
		sums[i] = hashed(sums[i], uint64(term.gate.sign[0]))
	}
}

// hashRows fills sums with a hash of each assignment, for looks of the inputs.
func hashRows(look []uint64, rows []string, sums []uint64) {
	for i, row := range rows {
		sums[i] = 0
		for k := range row {
			sums[i] += hashed(look[2*k+int(row[k]-'0')], 2)
		}
	}
}

// hashed mixes two numbers (G. Steele and others, SplitMix, 2014).
func hashed(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
