package logic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// circuitLogic asks for the output of a circuit of gates, drawn in text.
var circuitLogic = task.Spec[circuitParams, circuitItem]{
	Name:     "circuit_logic",
	Category: "logic",
	Doc: "Work out the output of a circuit of two layers of gates from its drawing. Both outputs are equally frequent. " +
		"Harder levels ask for the output for each of several inputs.",
	Source:  "C. E. Shannon, A Symbolic Analysis of Relay and Switching Circuits (1938); the drawing is our own, the settings are those of reasoning-gym and num_assignments.",
	Version: 3,
	List:    " ",
	Default: circuitParams{MinTerms: 3, MaxTerms: 5, MinInputs: 2, MaxInputs: 4, NegProb: 0.3, AllowReuse: true, Assignments: 1},
	Levels: []circuitParams{
		{MinTerms: 2, MaxTerms: 2, MinInputs: 2, MaxInputs: 2, NegProb: 0, AllowReuse: true, Assignments: 1},
		{MinTerms: 2, MaxTerms: 3, MinInputs: 2, MaxInputs: 3, NegProb: 0.2, AllowReuse: true, Assignments: 2},
		{MinTerms: 3, MaxTerms: 5, MinInputs: 2, MaxInputs: 4, NegProb: 0.3, AllowReuse: true, Assignments: 4},
		{MinTerms: 6, MaxTerms: 9, MinInputs: 2, MaxInputs: 6, NegProb: 0.3, AllowReuse: true, Assignments: 6},
		{MinTerms: 12, MaxTerms: 18, MinInputs: 3, MaxInputs: 8, NegProb: 0.4, AllowReuse: true, Assignments: 8},
		{MinTerms: 24, MaxTerms: 30, MinInputs: 5, MaxInputs: 10, NegProb: 0.4, AllowReuse: true, Assignments: 12},
	},
	Few: []string{
		"There are few circuits of two terms and two inputs.",
	},
	Make: makeCircuit,
}

// circuitParams are the settings of one difficulty.
type circuitParams struct {
	MinTerms    int     `json:"min_terms" want:"2 to 60"` // gates of the first layer
	MaxTerms    int     `json:"max_terms" want:"min_terms to 60"`
	MinInputs   int     `json:"min_inputs" want:"2 to 12"` // of each of these gates
	MaxInputs   int     `json:"max_inputs" want:"min_inputs to 12"`
	NegProb     float64 `json:"neg_prob" want:"0 to 1"`          // probability that an input of a gate is inverted
	AllowReuse  bool    `json:"allow_reuse"`                     // several gates may share an input
	Assignments int     `json:"num_assignments" want:"1 to 100"` // number of input assignments to evaluate
}

const (
	circuitMostTerms = 60
	circuitMostNames = 260
)

// Check refuses what no tag does.
func (p circuitParams) Check() error {
	if !p.AllowReuse && p.MaxTerms*p.MaxInputs > circuitMostNames {
		return fmt.Errorf("allow_reuse is false, and max_terms (%d) × max_inputs (%d) exceeds the number of names, %d", p.MaxTerms, p.MaxInputs, circuitMostNames)
	}
	return nil
}

// A gate is a kind of gate.
type gate struct {
	name, sign, legend string
	output             func(ones, inputs int) bool // ones is the number of inputs that are 1
}

// gates are the kinds of gate.
var gates = []gate{
	{"AND", "&", "1 if all its inputs are 1, else 0", func(ones, inputs int) bool { return ones == inputs }},
	{"NAND", "↑", "0 if all its inputs are 1, else 1", func(ones, inputs int) bool { return ones != inputs }},
	{"OR", "+", "1 if at least one of its inputs is 1, else 0", func(ones, _ int) bool { return ones > 0 }},
	{"NOR", "↓", "0 if at least one of its inputs is 1, else 1", func(ones, _ int) bool { return ones == 0 }},
	{"XOR", "⊕", "1 if an odd number of its inputs is 1, else 0", func(ones, _ int) bool { return ones%2 == 1 }},
}

// gateNamed finds a kind of gate.
func gateNamed(name string) (*gate, bool) {
	i := slices.IndexFunc(gates, func(g gate) bool { return g.name == name })
	if i < 0 {
		return nil, false
	}
	return &gates[i], true
}

// circuitItem is one circuit. Entries of reasoning-gym have their gates only in texts;
// their answer is trusted.
type circuitItem struct {
	Expression  string         `json:"expression"`
	Assignments map[string]int `json:"assignments"`  // the value of each input: the first assignment
	TermStrings []string       `json:"term_strings"` // the gates of the first layer, inverted inputs with a prime
	FinalGate   string         `json:"final_gate"`
	Inputs      []string       `json:"inputs" want:"at most 260"`
	Gates       []string       `json:"gates,omitempty"`                              // of the first layer
	More        []string       `json:"more,omitempty" want:"at most 100" chars:"01"` // further assignments: the values of the inputs, in their order
	Answer      string         `json:"answer" want:"1 or more" chars:"01"`           // the outputs, one digit for each assignment
	Phrasing    int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// A circuit is gates in two layers.
type circuit struct {
	inputs []string
	terms  []circuitTerm
	final  *gate
}

// A circuitTerm is a gate of the first layer.
type circuitTerm struct {
	gate     *gate
	literals []circuitLiteral
}

// A circuitLiteral is an input of a gate.
type circuitLiteral struct {
	input   int
	negated bool
}

// output returns the output for values of the inputs.
func (c *circuit) output(values []bool) bool {
	on := 0
	for _, t := range c.terms {
		ones := 0
		for _, l := range t.literals {
			ones += task.Bit(values[l.input] != l.negated)
		}
		on += task.Bit(t.gate.output(ones, len(t.literals)))
	}
	return c.final.output(on, len(c.terms))
}

// makeCircuit draws a circuit that can have both outputs, and assignments for outputs drawn
// beforehand.
func makeCircuit(p circuitParams, r *rng.Rand) (circuitItem, error) {
	const tries = 200
	for range tries {
		c := drawCircuit(p, r)
		item := circuitItem{Inputs: c.inputs, FinalGate: c.final.name, Phrasing: r.Between(0, len(circuitPhrasings)-1)}
		for len(item.Answer) < p.Assignments && item.assign(&c, p.Assignments, r) {
		}
		if len(item.Answer) == p.Assignments {
			item.write(&c)
			return item, nil
		}
	}
	return circuitItem{}, fmt.Errorf("no circuit that has both outputs found in %d tries", tries)
}

// assign adds one of several assignments, for an output drawn first. It reports false if
// that output is too rare.
func (c *circuitItem) assign(of *circuit, several int, r *rng.Rand) bool {
	want, few := r.Chance(0.5), len(of.inputs) < 10 && 1<<len(of.inputs) < 4*several
	values, row := make([]bool, len(of.inputs)), make([]byte, len(of.inputs))
	const tries = 40
	for range tries {
		for i := range values {
			values[i] = r.Chance(0.5)
			row[i] = '0' + byte(task.Bit(values[i]))
		}
		if of.output(values) != want || !few && c.Assignments != nil && slices.Contains(c.rows(), string(row)) {
			continue
		}
		c.Answer += string('0' + rune(task.Bit(want)))
		if c.Assignments != nil {
			c.More = append(c.More, string(row))
			return true
		}
		c.Assignments = make(map[string]int, len(values))
		for i, name := range c.Inputs {
			c.Assignments[name] = task.Bit(values[i])
		}
		return true
	}
	return false
}

// drawCircuit draws the gates and their inputs.
func drawCircuit(p circuitParams, r *rng.Rand) circuit {
	c := circuit{terms: make([]circuitTerm, r.Between(p.MinTerms, p.MaxTerms)), final: &gates[r.Between(0, len(gates)-1)]}
	most := 0
	for i := range c.terms {
		c.terms[i] = circuitTerm{&gates[r.Between(0, len(gates)-1)], make([]circuitLiteral, r.Between(p.MinInputs, p.MaxInputs))}
		most = max(most, len(c.terms[i].literals))
	}
	pool := max(most, min(len(c.terms)+r.Between(0, 2), 26))
	var used [circuitMostNames]bool
	next := 0
	for i := range c.terms {
		drawn := rng.Different(r, len(c.terms[i].literals), 0, int64(pool-1))
		slices.Sort(drawn)
		for k := range c.terms[i].literals {
			input := int(drawn[k])
			if !p.AllowReuse {
				input = next
				next++
			}
			used[input] = true
			c.terms[i].literals[k] = circuitLiteral{input, r.Chance(p.NegProb)}
		}
	}
	c.rename(used[:])
	return c
}

// rename removes the unused inputs.
func (c *circuit) rename(used []bool) {
	to := make([]int, len(used))
	for i, is := range used {
		if is {
			to[i] = len(c.inputs)
			c.inputs = append(c.inputs, inputName(len(c.inputs)))
		}
	}
	for _, t := range c.terms {
		for k := range t.literals {
			t.literals[k].input = to[t.literals[k].input]
		}
	}
}

// inputName returns the name of input i: A to Z, A1 to Z1, and so on.
func inputName(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// write records the gates.
func (c *circuitItem) write(of *circuit) {
	for _, t := range of.terms {
		parts := make([]string, len(t.literals))
		for k, l := range t.literals {
			parts[k] = of.inputs[l.input]
			if l.negated {
				parts[k] += "'"
			}
		}
		c.Gates = append(c.Gates, t.gate.name)
		c.TermStrings = append(c.TermStrings, strings.Join(parts, t.gate.sign))
	}
	c.Expression = "(" + strings.Join(c.TermStrings, ")"+of.final.sign+"(") + ")"
}

// circuit reads the gates. The error describes their fault.
func (c circuitItem) circuit() (of circuit, err error) {
	final, known := gateNamed(c.FinalGate)
	if !known || len(c.Gates) != len(c.TermStrings) || len(c.Gates) > circuitMostTerms {
		return of, errors.New("gates, term_strings and final_gate do not fit together")
	}
	of = circuit{c.Inputs, make([]circuitTerm, len(c.Gates)), final}
	for i, name := range c.Gates {
		g, known := gateNamed(name)
		if !known {
			return of, fmt.Errorf("gates has %.20q", name)
		}
		for part := range strings.SplitSeq(c.TermStrings[i], g.sign) {
			input, negated := strings.CutSuffix(part, "'")
			at := slices.Index(c.Inputs, input)
			if at < 0 {
				return of, fmt.Errorf("term_strings has %.20q, which is not an input", part)
			}
			of.terms[i].literals = append(of.terms[i].literals, circuitLiteral{at, negated})
		}
		of.terms[i].gate = g
	}
	return of, nil
}

// rows returns the assignments, one digit for each input.
func (c circuitItem) rows() []string {
	first := make([]byte, len(c.Inputs))
	for i, name := range c.Inputs {
		first[i] = '0' + byte(c.Assignments[name]&1)
	}
	return append([]string{string(first)}, c.More...)
}

// Check refuses a record with a wrong answer.
func (c circuitItem) Check() error {
	if len(c.Gates) == 0 {
		return nil // from reasoning-gym
	}
	of, err := c.circuit()
	if err != nil {
		return err
	}
	rows := c.rows()
	if len(rows) != len(c.Answer) {
		return fmt.Errorf("answer has %d digits for %d assignments", len(c.Answer), len(rows))
	}
	values := make([]bool, len(c.Inputs))
	for i, row := range rows {
		if len(row) != len(values) {
			return fmt.Errorf("more has %.20q, want a digit for each input", row)
		}
		for k := range values {
			values[k] = row[k] == '1'
		}
		if of.output(values) != (c.Answer[i] == '1') {
			return fmt.Errorf("digit %d of the answer is wrong", i+1)
		}
	}
	return nil
}

// Choices implements [task.Chooser]: 0 or 1 for each assignment.
func (c circuitItem) Choices() int { return 1 << min(len(c.Answer), 30) }

func (c circuitItem) Solve() string { return c.Answer }

// Score implements [task.Scorer]. It ignores spaces and commas between the digits.
func (c circuitItem) Score(text string) quintain.Verdict {
	if len(text) > 4*len(c.Answer)+80 {
		return quintain.Wrong("the answer is too long")
	}
	return task.MatchWords(strings.NewReplacer(" ", "", ",", "").Replace(text), c.Answer)
}
