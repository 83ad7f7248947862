package codetask

import (
	"strings"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/task/rng"
)

// A draft is a problem before its cases are drawn.
type draft struct {
	name  string // of the kind
	level int

	task   string // the question
	want   string // the result, after "print" or "return"
	form   form   // of the result
	fields []field
	body   string // the reference, as the body of a function in Python
	before string // imports of it

	solve func(in input) any              // the reference
	bend  func(r *rng.Rand, in input)     // changes arguments so that they fit together; may be nil
	make  func(r *rng.Rand, s size) input // draws the arguments, instead of the fields; may be nil
	drawn []int64                         // the drawn rules

	yes, no string // how truth is printed
	upright bool   // a list is printed with an element on a line
}

// Numbers of cases.
const (
	publicCases = 3
	leastCases  = 15
	mostCases   = 30
)

// sizes are those of the cases: first those of the examples, last the largest.
func (d *draft) sizes(r *rng.Rand) []size {
	all := []size{
		{len: 5, span: 9}, {len: 4, span: 6}, {len: 6, span: 12},
		{len: 0}, {len: 1, span: -1}, {len: 1, span: 3}, {len: 2, span: 1}, {len: 2, span: 9}, {len: 3, span: 2},
		{len: 5, span: 0}, {len: 6, span: 1}, {len: 8, span: 2}, {len: 7, span: 5, minus: true}, {len: 6, span: 20, order: 1}, {len: 6, span: 20, order: -1},
		{len: 9, span: 3}, {len: 10, span: 8}, {len: 12, span: 20}, {len: 7, span: -1}, {len: 9, span: -1}, {len: 14, span: 4}, {len: 16, span: 12}, {len: 20, span: 30}, {len: 25, span: 60}, {len: 30, span: -1},
	}
	longest := int64(0)
	for _, f := range d.fields {
		longest = max(longest, f.len[1])
	}
	all = append(all, size{len: min(longest, 60), span: 10}, size{len: longest, span: -2})
	return append(all, size{len: longest, span: []int64{-1, 5, 100}[r.Between(0, 2)]})
}

// arguments draws the input of a case.
func (d *draft) arguments(r *rng.Rand, s size) input {
	if d.make != nil {
		return d.make(r, s)
	}
	in := make(input, len(d.fields))
	for i, f := range d.fields {
		in[i] = f.draw(r, s)
	}
	if d.bend != nil {
		d.bend(r, in)
	}
	return in
}

// A drawnCase is a case before it is written as text.
type drawnCase struct {
	in  input
	out any
}

// cases draws the cases. No two have the same input, and the results of the first differ where
// they can.
func (d *draft) cases(r *rng.Rand) []drawnCase {
	var all []drawnCase
	seen := map[string]bool{}
	results := map[string]int{}
	for i, s := range d.sizes(r) {
		tries := 3
		if i < publicCases {
			tries = 12
		}
		for try := range tries {
			in := d.arguments(r, s)
			text := joined(in, " ", literal)
			if seen[text] {
				continue
			}
			out := d.solve(in)
			result := literal(out)
			if try < tries-1 && results[result] > i/4 && s.len < 100 {
				continue
			}
			seen[text] = true
			results[result]++
			all = append(all, drawnCase{in, out})
			break
		}
	}
	return all[:min(len(all), mostCases)]
}

// problem writes a problem with its cases.
func (d *draft) problem(r *rng.Rand, drawn []drawnCase) Problem {
	yes := rng.Pick(r, []string{"yes no", "YES NO", "true false", "1 0"})
	d.yes, d.no, _ = strings.Cut(yes, " ")
	d.upright = r.Chance(0.5)
	tests := codegrade.Tests{Language: "python", Kind: codegrade.Call, Function: d.name}
	if r.Chance(0.5) {
		tests = codegrade.Tests{Language: "python", Kind: codegrade.Stdin, Compare: codegrade.Tokens}
		if d.form == word || d.form == texts {
			tests.Compare = codegrade.Trim
		}
	}
	tests.Limits.CPU = 5 * time.Second
	for i, c := range drawn {
		one := codegrade.Case{Input: literal(c.in), Output: literal(c.out), Public: i < publicCases}
		if tests.Kind == codegrade.Stdin {
			one.Input, one.Output = d.stdin(c.in), d.printed(c.out)
		}
		tests.Cases = append(tests.Cases, one)
	}
	return Problem{
		Kind: d.name, Level: d.level, Tests: tests,
		Statement: d.statement(r, &tests, drawn), Python: d.reference(tests.Kind),
	}
}

// stdin writes arguments as a program reads them.
func (d *draft) stdin(in input) string {
	var text strings.Builder
	for i, v := range in {
		text.WriteString(d.fields[i].lines(v))
	}
	return text.String()
}
