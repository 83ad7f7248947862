package logic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCircuitScore(t *testing.T) {
	tasktest.Nears(t, circuitItem{Answer: "1"}.Score, []tasktest.Near{
		{"1", 1, ""}, {" 1.\n", 1, "space and a full stop"}, {"0", 0, ""}, {"11", 0, ""}, {"0 or 1", 0, "no choice"}, {"OUT = 1", 0, "the digit alone was asked for"}, {"True", 0, ""}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, circuitItem{Answer: "0110"}.Score, []tasktest.Near{
		{"0110", 1, ""}, {"0, 1, 1, 0", 1, "separated"}, {"0111", 0, "three of four"}, {"011", 0, ""}, {"110", 0, "a text, not a number"}, {"01100", 0, ""},
	})
}

func TestCircuitParams(t *testing.T) {
	tasktest.Refused(t, circuitLogic.Task(), map[string]string{
		`{"min_terms":1}`: "min_terms", `{"max_terms":2}`: "max_terms", `{"max_terms":61}`: "max_terms", `{"min_inputs":1}`: "min_inputs", `{"max_inputs":13}`: "max_inputs",
		`{"neg_prob":1.1}`: "neg_prob", `{"allow_reuse":false,"max_terms":60,"max_inputs":12}`: "allow_reuse", `{"num_assignments":0}`: "num_assignments",
	})
	tasktest.Second(t, tasktest.With(t, circuitLogic.Task(), `{"allow_reuse":false,"max_terms":20,"max_inputs":12}`), 20, simulate)
	const rest = `"expression":"(A&B)+(A&B')","assignments":{"A":1,"B":0},"inputs":["A","B"],"final_gate":"OR"`
	tasktest.RefusedRecords(t, circuitLogic.Task(), []string{
		`{}`, `{"answer":"2"}`,
		`{` + rest + `,"term_strings":["A&B","A&B'"],"gates":["AND","AND"],"answer":"0"}`,
		`{` + rest + `,"term_strings":["A&B","A&C"],"gates":["AND","AND"],"answer":"1"}`,
		`{` + rest + `,"term_strings":["A&B"],"gates":["AND","AND"],"answer":"1"}`,
		`{` + rest + `,"term_strings":["A&B","A&B'"],"gates":["AND","BUT"],"answer":"1"}`,
		`{` + rest + `,"term_strings":["A&B","A&B'"],"gates":["AND","AND"],"answer":"11"}`,
		`{` + rest + `,"term_strings":["A&B","A&B'"],"gates":["AND","AND"],"answer":"11","more":["1"]}`,
		`{` + rest + `,"term_strings":["A&B","A&B'"],"gates":["AND","AND"],"answer":"1","phrasing":6}`,
	})
}

var (
	circuitWireRE = regexp.MustCompile(`^([A-Z]\d?)\s+──([─o])──([┐┤┴])(?:─ (\w+) ─+[┐┤┴](?:─ (\w+) ── OUT)?)?`)
	circuitCaseRE = regexp.MustCompile(`(?m)^Case \d+: +([01][01 ]*)$`)
	circuitNameRE = regexp.MustCompile(`^[A-Z]\d?`)
	circuitOneRE  = regexp.MustCompile(`(?m)Inputs: (.*[01])$`)
)

// outputOf returns the output of a gate of this name for signals.
func outputOf(name string, signals []int) int {
	lowest, highest, sum := slices.Min(signals), slices.Max(signals), 0
	for _, s := range signals {
		sum += s
	}
	return map[string]int{"AND": lowest, "NAND": 1 - lowest, "OR": highest, "NOR": 1 - highest, "XOR": sum % 2}[name]
}

// simulate follows the wires of the drawing from left to right.
func simulate(item circuitItem, prompt, got string) error {
	var rows []map[string]int
	for _, m := range circuitCaseRE.FindAllStringSubmatch(prompt, -1) {
		row := map[string]int{}
		for i, digit := range strings.Fields(m[1]) {
			row[item.Inputs[i]] = int(digit[0] - '0')
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		row := map[string]int{}
		for _, part := range strings.Split(circuitOneRE.FindStringSubmatch(prompt)[1], ", ") {
			row[circuitNameRE.FindString(part)] = int(part[len(part)-1] - '0')
		}
		rows = append(rows, row)
	}
	out := ""
	for _, row := range rows {
		var wires, joined []int
		final := ""
		for line := range strings.Lines(prompt) {
			m := circuitWireRE.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			value, known := row[m[1]]
			if !known {
				return fmt.Errorf("input %q has no value in %v", m[1], row)
			}
			if m[2] == "o" {
				value = 1 - value
			}
			if wires = append(wires, value); m[4] != "" {
				joined, wires = append(joined, outputOf(m[4], wires)), nil
			}
			final += m[5]
		}
		out += fmt.Sprint(outputOf(final, joined))
	}
	if out != got {
		return fmt.Errorf("the drawing gives %s, want %s", out, got)
	}
	return nil
}

func TestCircuitSecond(t *testing.T) {
	tasktest.Second(t, circuitLogic.Task(), 1002, simulate)
}

func TestCircuitKeys(t *testing.T) {
	tasktest.Variant(t, circuitLogic.Task(), "other names of the inputs, and their columns in another order", func(c *circuitItem, r *rng.Rand) func(string) string {
		of, err := c.circuit()
		if err != nil {
			t.Fatal(err)
		}
		to := rng.Different(r, len(c.Inputs), 0, int64(len(c.Inputs)-1))
		rows := c.rows()
		for i, row := range rows {
			moved := make([]byte, len(row))
			for k := range row {
				moved[to[k]] = row[k]
			}
			rows[i] = string(moved)
		}
		for _, term := range of.terms {
			for k := range term.literals {
				term.literals[k].input = int(to[term.literals[k].input])
			}
			slices.Reverse(term.literals)
		}
		for i, name := range c.Inputs {
			c.Assignments[name] = int(rows[0][i] - '0')
		}
		c.More, c.Gates, c.TermStrings = rows[1:], nil, nil
		c.write(&of)
		return nil
	})
	tasktest.Variant(t, circuitLogic.Task(), "the output inverted", func(c *circuitItem, _ *rng.Rand) func(string) string {
		inverted := map[string]string{"AND": "NAND", "NAND": "AND", "OR": "NOR", "NOR": "OR"}
		was, _ := gateNamed(c.FinalGate)
		name, has := inverted[c.FinalGate]
		if !has || c.Expression == "" {
			return nil
		}
		is, _ := gateNamed(name)
		c.FinalGate = name
		c.Expression = strings.ReplaceAll(c.Expression, ")"+was.sign+"(", ")"+is.sign+"(")
		opposed := strings.NewReplacer("0", "1", "1", "0").Replace
		c.Answer = opposed(c.Answer)
		return opposed
	})
	tasktest.Variant(t, circuitLogic.Task(), "an input inverted", func(c *circuitItem, _ *rng.Rand) func(string) string {
		name := c.Inputs[0]
		opposed := func(text string) string {
			text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(text, name+"'")
			return strings.ReplaceAll(text, "''", "")
		}
		c.Expression = opposed(c.Expression)
		for i, term := range c.TermStrings {
			c.TermStrings[i] = opposed(term)
		}
		c.Assignments[name] = 1 - c.Assignments[name]
		for i, row := range c.More {
			c.More[i] = string('0'+'1'-row[0]) + row[1:]
		}
		return nil
	})
	tasktest.Variant(t, circuitLogic.Task(), "the assignments in another order", func(c *circuitItem, _ *rng.Rand) func(string) string {
		rows, reversed := c.rows(), func(answer string) string {
			digits := []byte(answer)
			slices.Reverse(digits)
			return string(digits)
		}
		slices.Reverse(rows)
		for i, name := range c.Inputs {
			c.Assignments[name] = int(rows[0][i] - '0')
		}
		c.More, c.Answer = rows[1:], reversed(c.Answer)
		return reversed
	})
	tasktest.Same(t, circuitLogic.Task(), "the gates may be in any order", func(c *circuitItem) {
		slices.Reverse(c.Gates)
		slices.Reverse(c.TermStrings)
	})
	tasktest.Other(t, circuitLogic.Task(), "another last gate", func(c *circuitItem) {
		if c.FinalGate == "XOR" && strings.Count(c.Answer, "0") == 1 && len(c.Answer) == 1 && len(c.Gates) == 2 {
			if c.FinalGate = "AND"; task.Check(c) != nil {
				c.FinalGate = "XOR"
			}
		}
	})
}
