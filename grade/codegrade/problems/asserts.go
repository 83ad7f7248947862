package problems

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// asserted makes tests of a program that tests. Name is where it stands.
func asserted(name string, t codegrade.Tests) ([]codegrade.Tests, error) {
	if t.Kind = codegrade.Asserts; strings.TrimSpace(t.Asserts) == "" && len(t.Cases) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoTests)
	}
	return []codegrade.Tests{t}, nil
}

// sources makes a case of each text that is not blank. The first ones are public.
func sources(texts []string, public int) (all []codegrade.Case) {
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			all = append(all, codegrade.Case{Input: text, Public: i < public})
		}
	}
	return all
}

// entry returns the name of the function under test.
func (r row) entry() (string, error) {
	name, err := r.need("entry_point")
	if err != nil {
		return "", err
	}
	if name = strings.TrimSpace(name); !identifier(name) {
		return "", fmt.Errorf("entry_point: %.40q is not the name of a function", name)
	}
	return name, nil
}

// readHumanEval reads a row of HumanEval or HumanEval+.
func readHumanEval(r row, p *Problem) ([]codegrade.Tests, error) {
	name, err := r.entry()
	if err != nil {
		return nil, err
	}
	if p.Statement, err = r.need("prompt"); err != nil {
		return nil, err
	}
	test, err := r.need("test")
	if err != nil {
		return nil, err
	}
	body, err := r.text("canonical_solution")
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(body) != "" {
		p.Solutions = []string{p.Statement + body}
	}
	p.Starter = p.Statement
	at := strings.LastIndex("\n"+p.Statement, "\ndef "+name+"(")
	if at < 0 {
		return nil, fmt.Errorf("prompt: it does not begin the function %s: correct entry_point", name)
	}
	// Imports and helpers stand before the function. Tests call the helpers, too.
	before := p.Statement[:at]
	return asserted("test", codegrade.Tests{Prelude: before, Asserts: joined(before, test, "check("+name+")")})
}

// joined joins parts of a program.
func joined(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if strings.TrimSpace(part) != "" {
			b.WriteString(strings.TrimRight(part, " \t\n") + "\n")
		}
	}
	return b.String()
}

// unitTests runs the tests of a row of BigCodeBench.
const unitTests = `
import unittest as _unittest
_cases = _unittest.defaultTestLoader.loadTestsFromTestCase(TestCases)
_outcome = _unittest.TextTestRunner(verbosity=0).run(_cases)
assert _outcome.testsRun > 0 and _outcome.wasSuccessful()
`

// readBigCodeBench reads a row of BigCodeBench. Its unit tests replace names of the program's
// module, so they share a process with it.
func readBigCodeBench(r row, p *Problem) (readings []codegrade.Tests, err error) {
	if p.Statement, err = r.need("instruct_prompt", "complete_prompt"); err != nil {
		return nil, err
	}
	for column, to := range map[string]*string{"complete_prompt": &p.Starter, "difficulty": &p.Difficulty} {
		if *to, err = r.text(column); err != nil {
			return nil, err
		}
	}
	test, err := r.need("test")
	if err != nil {
		return nil, err
	}
	if !strings.Contains(test, "class TestCases") {
		return nil, errors.New("test: has no class TestCases: leave the row out")
	}
	body, err := r.text("canonical_solution")
	if err != nil {
		return nil, err
	}
	start, err := r.text("code_prompt")
	if err != nil {
		return nil, err
	}
	if start == "" {
		start = p.Starter
	}
	if strings.TrimSpace(body) != "" {
		p.Solutions = []string{start + body}
	}
	return asserted("test", codegrade.Tests{Shared: true, Asserts: joined(test, unitTests)})
}

// readMBPP reads a row of MBPP, its sanitized form, or MBPP+.
func readMBPP(r row, p *Problem) ([]codegrade.Tests, error) {
	text, err := r.need("text", "prompt")
	if err != nil {
		return nil, err
	}
	code, err := r.text("code")
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(code) != "" {
		p.Solutions = []string{code}
	}
	var parts [4][]string
	for i, name := range []string{"test_imports", "test_setup_code", "test_list", "challenge_test_list"} {
		if parts[i], err = r.texts(name); err != nil {
			return nil, err
		}
	}
	shown, hidden := parts[2], parts[3]
	if len(shown) == 0 {
		return nil, fmt.Errorf("test_list: %w", errNoTests)
	}
	p.Statement = strings.TrimSpace(text) + "\n\nYour program must pass these tests:\n\n" + strings.Join(shown, "\n")
	setup := joined(append(parts[0], parts[1]...)...)
	t := codegrade.Tests{Prelude: setup, Asserts: setup}
	more, err := r.text("test")
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(more) != "" { // MBPP+ has the tests again, and more
		t.Asserts = joined(setup, more)
	} else {
		t.Cases = sources(append(shown, hidden...), len(shown))
	}
	return asserted("test_list", t)
}

// imported finds what a file of tests imports from the program.
var imported = compiled.Regexp(`(?m)^\s*(from\s+solution\s+import\s+(\([^)]*\)|[^\n#]*)|import\s+solution\b)`)

// readKodCode reads a row of KodCode, whose tests import the program as the module solution.
func readKodCode(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.fill(p, "question"); err != nil {
		return nil, err
	}
	test, err := r.need("test")
	if err != nil {
		return nil, err
	}
	found := imported().FindAllString(test, -1)
	if found == nil {
		return nil, errors.New("test: it does not import the program, by from solution import …: correct it, or leave the row out")
	}
	p.Statement = strings.TrimRight(p.Statement, " \n") + "\n\nYour program is the module solution of its tests:\n"
	for _, one := range found {
		p.Statement += "\n" + strings.Join(strings.Fields(one), " ")
	}
	t := codegrade.Tests{Kind: codegrade.Unittest, Asserts: test}
	if strings.Contains(test, "pytest") {
		t.Kind = codegrade.Pytest
	}
	return []codegrade.Tests{t}, nil
}
