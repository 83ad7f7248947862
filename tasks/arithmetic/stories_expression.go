package arithmetic

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/task/answer"
)

// An expression consists of whole numbers, names, + - * / and brackets, evaluated from left
// to right.
type expression struct {
	source string
	value  func(*teller) fraction
}

// A fraction is over/under, not in lowest terms; under is above 0.
type fraction struct{ over, under int64 }

// evaluate returns the value of an expression, rounded down, and whether it is whole.
func (t *teller) evaluate(e *expression) (n int64, whole bool) {
	v := e.value(t)
	if v.over < 0 {
		t.fail("%q is %d/%d, want 0 or more", e.source, v.over, v.under)
	}
	return v.over / v.under, v.over%v.under == 0
}

// A scope reads the expressions and texts of a template. It keeps the first error.
type scope struct {
	names []string // defined so far; a name's index is that of its value in a teller
	err   error
}

func (s *scope) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// find returns the index of a name.
func (s *scope) find(name string) int {
	at := slices.Index(s.names, name)
	if at < 0 {
		s.fail("nothing is called %q", name)
	}
	return at
}

// expression reads an expression.
func (s *scope) expression(source string) expression {
	e := answer.Evaluator[func(*teller) fraction]{
		Operand: s.operand, Apply: apply, Operators: []string{"+", "-", "*", "/"}, Parts: "numbers, names, + - * / and ( )",
	}
	value, err := e.Read(source)
	if err != nil {
		s.fail("%q is no expression: %w", source, err)
	}
	return expression{source, value}
}

// operand reads a number or a name.
func (s *scope) operand(text string) (value func(*teller) fraction, size int, err error) {
	n := int64(0)
	for size < len(text) && text[size] >= '0' && text[size] <= '9' {
		n = 10*n + int64(text[size]-'0')
		size++
	}
	if size > 0 {
		return func(*teller) fraction { return fraction{n, 1} }, size, nil
	}
	size = nameEnd(text)
	at := s.find(text[:size])
	return func(t *teller) fraction { return fraction{t.values[at].number, 1} }, size, nil
}

// apply returns left op right.
func apply(op byte, left, right func(*teller) fraction) (func(*teller) fraction, error) {
	return func(t *teller) fraction {
		x, y := left(t), right(t)
		switch op {
		case '+':
			return fraction{x.over*y.under + y.over*x.under, x.under * y.under}
		case '-':
			return fraction{x.over*y.under - y.over*x.under, x.under * y.under}
		case '*':
			return fraction{x.over * y.over, x.under * y.under}
		}
		if y.over <= 0 {
			t.fail("an expression divides by %d", y.over)
			return x
		}
		return fraction{x.over * y.under, x.under * y.over}
	}, nil
}

// nameEnd returns the end of the name at the beginning of text.
func nameEnd(text string) int {
	end := 0
	for end < len(text) && (text[end] == '$' || text[end] >= 'a' && text[end] <= 'z') {
		end++
	}
	return end
}
