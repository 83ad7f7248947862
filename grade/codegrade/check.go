package codegrade

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Check reports the first fault of the tests by name. Its time is linear in their size.
func (t Tests) Check() error {
	l, known := languageOf(t.Language)
	if !known || l.names[0] != t.Language {
		return fmt.Errorf("language: is %q, want %s", t.Language, languageNames())
	}
	if t.Kind != Stdin && !l.isPython() {
		return fmt.Errorf("kind: tests of the kind %q need python, and the language is %q", t.Kind, t.Language)
	}
	if err := t.checkKind(); err != nil {
		return err
	}
	if !slices.Contains([]Scoring{"", All, Share, FirstN, Levels}, t.Scoring) {
		return fmt.Errorf("scoring: is %q, want %s, %s, %s or %s", t.Scoring, All, Share, FirstN, Levels)
	}
	for i, c := range t.Cases {
		if !(c.Weight >= 0 && c.Weight <= math.MaxFloat32) {
			return fmt.Errorf("cases[%d].weight: is %v, want 0 or more", i, c.Weight)
		}
	}
	return t.Limits.Check()
}

// checkKind checks the fields that the kind uses.
func (t Tests) checkKind() error {
	tested := strings.TrimSpace(t.Asserts) != "" || t.Kind == Asserts && len(t.Cases) > 0
	switch t.Kind {
	case Stdin, Call:
		if len(t.Cases) == 0 {
			return errors.New("cases: there is none")
		}
		if t.Kind == Call {
			return t.checkCalls()
		}
		return t.checkCompare()
	case Asserts, Unittest, Pytest:
		if !tested {
			return errors.New("asserts: are missing")
		}
		return t.checkUnits()
	}
	return fmt.Errorf("kind: is %q, want %s, %s, %s, %s or %s", t.Kind, Stdin, Call, Asserts, Unittest, Pytest)
}

// checkUnits checks what unit tests alone have, or lack.
func (t Tests) checkUnits() error {
	switch unit := t.Kind.isUnit(); {
	case unit && len(t.Cases) > 0:
		return fmt.Errorf("cases: there are %d, and tests of the kind %q have none", len(t.Cases), t.Kind)
	case !unit && t.Module != "":
		return fmt.Errorf("module: is %q, and tests of the kind %q import none", t.Module, t.Kind)
	case strings.Trim(t.Module, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "":
		return fmt.Errorf("module: is %q, want the name of a module", t.Module)
	}
	return nil
}

// checkCompare checks the way to compare outputs.
func (t Tests) checkCompare() error {
	if !slices.Contains([]Compare{"", Exact, Trim, Lines, Tokens, LCB, Checker}, t.Compare) {
		return fmt.Errorf("compare: is %q, want %s, %s, %s, %s, %s or %s", t.Compare, Exact, Trim, Lines, Tokens, LCB, Checker)
	}
	for _, file := range []struct{ field, name string }{{"input_file", t.InputFile}, {"output_file", t.OutputFile}} {
		if strings.ContainsAny(file.name, "/\\\x00") || file.name == "." || file.name == ".." || strings.HasPrefix(file.name, "solution.") || file.name == program {
			return fmt.Errorf("%s: is %.40q, want a name without a folder, other than the program's", file.field, file.name)
		}
	}
	switch {
	case t.Compare != Checker && t.Checker != "":
		return fmt.Errorf("compare: is %q, and there is a checker: set compare to %q, or leave the checker out", t.Compare, Checker)
	case t.Compare == Checker && t.Checker == "":
		return fmt.Errorf("checker: is missing, and compare is %q: write the source of a program in Python there, or compare in another way", Checker)
	}
	return nil
}

// checkCalls checks the arguments and results of calls.
func (t Tests) checkCalls() error {
	if t.Function == "" {
		return errors.New("function: is missing")
	}
	for i, c := range t.Cases {
		if args, err := decode([]byte(c.Input)); err != nil {
			return fmt.Errorf("cases[%d].input: %w", i, err)
		} else if _, ok := args.([]any); !ok {
			return fmt.Errorf("cases[%d].input: is not an array of arguments", i)
		}
		if _, err := decode([]byte(c.Output)); err != nil {
			return fmt.Errorf("cases[%d].output: %w", i, err)
		}
	}
	return nil
}
