package problems

import (
	_ "embed" // for the prelude
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A quiz says how a form writes its cases.
type quiz struct {
	function string // the name of the function, where it does not stand with the cases
	public   int    // how many of the cases are public: the first ones
	lines    bool   // the arguments of a call, written as a text, are surely a line each; else perhaps a list
}

// A pair is a case as a file has it.
type pair struct{ in, out any }

// errNoTests is for rows that test nothing.
var errNoTests = errors.New("there are no tests: leave the row out, or write some")

// cases reads tests of either shape: an object of lists, as in APPS, or a list of objects.
// Name is where v stands.
func cases(name string, v any, q quiz) ([]codegrade.Tests, error) {
	var pairs []pair
	var err error
	switch v := v.(type) {
	case nil:
		err = errNoTests
	case map[string]any:
		pairs, err = q.fromLists(v)
	case []any:
		pairs, err = q.fromList(v)
	default:
		err = fmt.Errorf("is %s, want a list or an object", kind(v))
	}
	if err == nil && len(pairs) == 0 {
		err = errNoTests
	}
	var readings []codegrade.Tests
	switch {
	case err != nil:
	case q.function != "":
		readings, err = q.calls(pairs)
	default:
		readings, err = q.runs(pairs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return readings, nil
}

// fromLists reads {"inputs": […], "outputs": […], "fn_name": …}.
func (q *quiz) fromLists(r row) (pairs []pair, err error) {
	ins, err := listIn("inputs", r["inputs"])
	if err != nil {
		return nil, err
	}
	outs, err := listIn("outputs", r["outputs"])
	if err != nil {
		return nil, err
	}
	if len(ins) != len(outs) {
		return nil, fmt.Errorf("there are %d inputs and %d outputs: want as many of both", len(ins), len(outs))
	}
	for i := range ins {
		pairs = append(pairs, pair{ins[i], outs[i]})
	}
	return pairs, q.named(r, "fn_name")
}

// named takes the name of the function from an object that may have it.
func (q *quiz) named(r row, column string) error {
	name, err := r.text(column)
	if err != nil {
		return err
	}
	if name = strings.TrimSpace(name); name != "" {
		q.function = name
	}
	return nil
}

// fromList reads [{"input": …, "output": …, "type": …}, …].
func (q *quiz) fromList(list []any) (pairs []pair, err error) {
	calls := 0
	for i, one := range list {
		fields, ok := one.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("[%d]: is %s, want an object", i, kind(one))
		}
		r := row(fields)
		for _, name := range []string{"input", "output"} {
			if r[name] == nil {
				return nil, fmt.Errorf("[%d].%s: is missing: write it, or leave the test out", i, name)
			}
		}
		if err := q.named(r, "fn_name"); err != nil {
			return nil, fmt.Errorf("[%d].%w", i, err)
		}
		if about, ok := r["metadata"].(map[string]any); ok {
			if err := q.named(about, "func_name"); err != nil {
				return nil, fmt.Errorf("[%d].metadata.%w", i, err)
			}
		}
		if r["type"] == "function_call" || r["testtype"] == "functional" {
			calls++
			q.lines = q.lines || r["testtype"] == "functional"
		}
		pairs = append(pairs, pair{r["input"], r["output"]})
	}
	switch {
	case calls > 0 && calls < len(list):
		return nil, fmt.Errorf("%d of %d tests call a function, and the others do not: want tests of one kind", calls, len(list))
	case calls > 0 && q.function == "":
		return nil, errors.New("the tests call a function without a name: write fn_name, or metadata.func_name")
	case calls == 0 && typed(list):
		q.function = ""
	}
	return pairs, nil
}

// typed reports whether the first of a list of tests says of which type it is.
func typed(list []any) bool {
	if len(list) == 0 {
		return false
	}
	r, _ := list[0].(map[string]any)
	return r["type"] != nil || r["testtype"] != nil
}

// runs makes tests of standard input and output.
func (q *quiz) runs(pairs []pair) ([]codegrade.Tests, error) {
	t := codegrade.Tests{Kind: codegrade.Stdin}
	for i, p := range pairs {
		in, err := stream(p.in)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		out, err := stream(p.out)
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
		t.Cases = append(t.Cases, codegrade.Case{Input: in, Output: out, Public: i < q.public})
	}
	return []codegrade.Tests{t}, nil
}

// stream returns an input or output: a text, a number, or a list of lines.
func stream(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case []any:
		lines := make([]string, len(v))
		for i, line := range v {
			switch line := line.(type) {
			case string:
				lines[i] = line
			case json.Number:
				lines[i] = line.String()
			default:
				return "", fmt.Errorf("line %d is %s, want a text", i, kind(line))
			}
		}
		return strings.Join(lines, "\n"), nil
	}
	return "", fmt.Errorf("is %s, want a text or a list of lines", kind(v))
}

// calls makes tests of a function.
func (q *quiz) calls(pairs []pair) ([]codegrade.Tests, error) {
	if !identifier(q.function) {
		return nil, fmt.Errorf("fn_name: %.40q is not the name of a function", q.function)
	}
	arguments, err := q.arguments(pairs)
	if err != nil {
		return nil, err
	}
	results, err := q.results(pairs)
	if err != nil {
		return nil, err
	}
	var readings []codegrade.Tests
	for _, ins := range arguments {
		for _, outs := range results {
			t, err := q.reading(ins, outs)
			if err != nil {
				return nil, err
			}
			readings = append(readings, t)
		}
	}
	return readings, nil
}

// prelude is what a program of a row of LeetCode's kind may use without an import.
//
//go:embed prelude.py
var prelude string

// reading makes the tests of calls with these arguments and results.
func (q *quiz) reading(ins, outs []any) (codegrade.Tests, error) {
	t := codegrade.Tests{Kind: codegrade.Call, Function: q.function, Prelude: prelude}
	for i := range ins {
		in, err := compact(ins[i])
		if err != nil {
			return t, err
		}
		out, err := compact(outs[i])
		if err != nil {
			return t, err
		}
		t.Cases = append(t.Cases, codegrade.Case{Input: in, Output: out, Public: i < q.public})
	}
	return t, nil
}

// identifier reports whether a text may be a name in Python, with or without letters other
// than English ones.
func identifier(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// arguments returns what the arguments of all calls may be, the likely ones first.
func (q *quiz) arguments(pairs []pair) (readings [][]any, err error) {
	listed, lined := true, true // the texts are lists of arguments; a line each
	var lists, lines []any
	texts := 0
	for i, p := range pairs {
		switch in := p.in.(type) {
		case []any:
			lists, lines = append(lists, in), append(lines, in)
		case string:
			texts++
			list, isList := asList(in)
			line, isLines := asLines(in)
			listed, lined = listed && isList, lined && isLines
			lists, lines = append(lists, list), append(lines, line)
		default:
			return nil, fmt.Errorf("input %d: is %s, want a list of arguments, or a text with one as JSON in each line", i, kind(in))
		}
	}
	switch {
	case !listed && !lined:
		return nil, errors.New("the inputs are texts, and not arguments as JSON: want a list of them, or one in each line")
	case texts == 0:
		return withUnquoted(lists), nil
	case q.lines && lined, !listed:
		return [][]any{lines}, nil
	case !lined:
		return [][]any{lists}, nil
	}
	return [][]any{lists, lines}, nil
}

// asList reads a text as a list of arguments.
func asList(text string) (any, bool) {
	v, err := dataset.Value([]byte(text))
	list, ok := v.([]any)
	return list, ok && err == nil
}

// asLines reads a text with an argument in each line.
func asLines(text string) (any, bool) {
	list := []any{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		v, err := dataset.Value([]byte(line))
		if err != nil {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// results returns what the results of all calls may be, the likely ones first. The grader of
// APPS takes a result also if the file has it in a list of its own, so files have both.
func (q *quiz) results(pairs []pair) (readings [][]any, err error) {
	var plain, unwrapped []any
	texts := false
	for i, p := range pairs {
		out := p.out
		_, text := p.in.(string)
		texts = texts || text
		if written, ok := out.(string); ok && text {
			if out, err = dataset.Value([]byte(written)); err != nil {
				return nil, fmt.Errorf("output %d: is not JSON: %w", i, err)
			}
		}
		plain = append(plain, out)
		if list, ok := out.([]any); ok && len(list) == 1 {
			unwrapped = append(unwrapped, list[0])
		}
	}
	switch {
	case texts && q.lines:
		return [][]any{plain}, nil
	case len(unwrapped) < len(plain):
		return withUnquoted(plain), nil
	}
	return append(withUnquoted(unwrapped), plain), nil
}

// withUnquoted returns values. If each text within them is itself a text of JSON, as in the
// rows that APPS has from LeetCode, the values with the inner texts come first.
func withUnquoted(values []any) [][]any {
	texts := 0
	inner, quoted := unquote(values, &texts)
	if !quoted || texts == 0 {
		return [][]any{values}
	}
	return [][]any{inner.([]any), values}
}

// unquote returns v with inner texts, and whether each text has one. It counts the texts.
func unquote(v any, texts *int) (inner any, quoted bool) {
	switch v := v.(type) {
	case string:
		*texts++
		if !strings.HasPrefix(v, `"`) {
			return nil, false
		}
		read, err := dataset.Value([]byte(v))
		text, ok := read.(string)
		return text, ok && err == nil
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			if list[i], quoted = unquote(one, texts); !quoted {
				return nil, false
			}
		}
		return list, true
	}
	return v, true
}
