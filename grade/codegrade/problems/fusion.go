package problems

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
)

// readFusion reads a row in the own form of SandboxFusion (ByteDance, Apache-2.0; its documentation
// of data sets). What its tests are tells the shape of the column test: a list of inputs and outputs
// (CommonOJ), a list of assertions (MBPP), or an object with code that stands after the program
// (AutoEval).
func readFusion(r row, p *Problem) (readings []codegrade.Tests, err error) {
	if p.Statement, err = r.text("content"); err != nil {
		return nil, err
	}
	labels, err := r.object("labels")
	if err != nil {
		return nil, err
	}
	if solution, ok := r["canonical_solution"].(string); ok && strings.TrimSpace(solution) != "" {
		p.Solutions = []string{solution}
	}
	p.Difficulty, _ = labels["difficulty"].(string)
	v, err := data("test", r["test"])
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case map[string]any:
		return appended(v, labels)
	case []any:
		if len(v) > 0 {
			if _, ok := v[0].(string); ok {
				return assertions(r, labels, p)
			}
		}
		list, err := streams(v)
		if err != nil {
			return nil, fmt.Errorf("test%w", err)
		}
		return cases("test", list, quiz{})
	}
	return nil, fmt.Errorf("test: is %s, want a list, or an object with code", kind(v))
}

// streams returns tests with texts in place of the objects {"stdin": …} and {"stdout": …}.
func streams(list []any) ([]any, error) {
	plain := make([]any, len(list))
	for i, one := range list {
		fields, ok := one.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("[%d]: is %s, want an object", i, kind(one))
		}
		in, err := streamOf(fields["input"], "stdin")
		if err != nil {
			return nil, fmt.Errorf("[%d].input: %w", i, err)
		}
		out, err := streamOf(fields["output"], "stdout")
		if err != nil {
			return nil, fmt.Errorf("[%d].output: %w", i, err)
		}
		plain[i] = map[string]any{"input": in, "output": out}
	}
	return plain, nil
}

// streamOf returns the only member of an object, by its name, or a value that is none.
func streamOf(v any, name string) (any, error) {
	files, ok := v.(map[string]any)
	if !ok {
		return v, nil
	}
	if _, has := files[name]; !has || len(files) > 1 {
		return nil, fmt.Errorf("has other files than %s: leave the row out", name)
	}
	return files[name], nil
}

// assertions makes tests of a list of assertions, the first of which the statement shows.
func assertions(r, labels row, p *Problem) ([]codegrade.Tests, error) {
	list, err := r.texts("test")
	if err != nil {
		return nil, err
	}
	setup, err := labels.text("test_setup_code")
	if err != nil {
		return nil, fmt.Errorf("labels.%w", err)
	}
	if strings.TrimSpace(p.Statement) != "" {
		p.Statement = strings.TrimSpace(p.Statement) + "\n\nYour program must pass this test, and more:\n\n" + list[0]
	}
	return asserted("test", codegrade.Tests{Prelude: setup, Asserts: setup, Cases: sources(list, 1)})
}

// appended makes tests of code that stands after the program, or around the mark #<INSERT>.
func appended(test, labels row) ([]codegrade.Tests, error) {
	code, err := test.need("code")
	if err != nil {
		return nil, fmt.Errorf("test.%w", err)
	}
	if assets, err := data("asset", test["asset"]); err != nil || assets != nil && fmt.Sprint(assets) != "map[]" {
		return nil, errors.New("test.asset: files beside the tests are not supported: leave the row out")
	}
	language, _ := labels["programming_language"].(string)
	if runs, ok := labels["execution_language"].(string); ok {
		language = runs
	}
	before, after, around := strings.Cut(code, "#<INSERT>")
	if !around {
		before, after = "", code
	}
	return asserted("test.code", codegrade.Tests{Language: languageOf(language), Shared: true, Prelude: before, Asserts: after})
}
