package problems

import (
	"fmt"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain/codegrade"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// readOwn reads a row in the form of a [Problem].
func readOwn(r row, p *Problem) ([]codegrade.Tests, error) {
	columns := maps.Clone(r)
	columns["id"] = p.ID
	text, err := compact(map[string]any(columns))
	if err != nil {
		return nil, err
	}
	if err := jsonform.Unmarshal([]byte(text), p); err != nil {
		return nil, jsonform.Explain(err)
	}
	t := p.Tests
	if err := t.Limits.Check(); err != nil {
		return nil, fmt.Errorf("tests: limits: %w", err)
	}
	if t.Kind == codegrade.Asserts {
		return asserted("tests.asserts", t)
	}
	if !slices.Contains([]codegrade.Kind{codegrade.Stdin, codegrade.Call}, t.Kind) {
		return nil, fmt.Errorf("tests.kind: is %.40q, want %s, %s or %s", t.Kind, codegrade.Stdin, codegrade.Call, codegrade.Asserts)
	}
	if len(t.Cases) == 0 {
		return nil, fmt.Errorf("tests.cases: %w", errNoTests)
	}
	return []codegrade.Tests{t}, callable(t)
}

// callable checks the parts of tests of a function.
func callable(t codegrade.Tests) error {
	if t.Kind != codegrade.Call {
		return nil
	}
	if !identifier(t.Function) {
		return fmt.Errorf("tests.function: %.40q is not the name of a function", t.Function)
	}
	for i, c := range t.Cases {
		if _, is := asList(c.Input); !is {
			return fmt.Errorf("tests.cases[%d].input: want a JSON list of the arguments", i)
		}
		if _, err := parse(c.Output); err != nil {
			return fmt.Errorf("tests.cases[%d].output: is not JSON: %w", i, err)
		}
	}
	return nil
}
