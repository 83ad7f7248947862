package stories

import (
	"fmt"
	"slices"
	"strings"
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
	r := expressionReader{s, source}
	value := r.sum()
	if r.rest != "" {
		s.fail("%q is no expression: it ends before %q", source, r.rest)
	}
	return expression{source, value}
}

// An expressionReader reads an expression of a scope.
type expressionReader struct {
	*scope
	rest string // the unread rest
}

// sum reads products separated by + and -.
func (r *expressionReader) sum() func(*teller) fraction {
	sum := r.product()
	for {
		op := r.next("+-")
		if op == 0 {
			return sum
		}
		sign := int64(1)
		if op == '-' {
			sign = -1
		}
		left, right := sum, r.product()
		sum = func(t *teller) fraction {
			x, y := left(t), right(t)
			return fraction{x.over*y.under + sign*y.over*x.under, x.under * y.under}
		}
	}
}

// product reads values separated by * and /.
func (r *expressionReader) product() func(*teller) fraction {
	product := r.value()
	for {
		op := r.next("*/")
		if op == 0 {
			return product
		}
		left, right := product, r.value()
		product = func(t *teller) fraction {
			x, y := left(t), right(t)
			if op == '/' {
				if y.over <= 0 {
					t.fail("an expression divides by %d", y.over)
					return x
				}
				y = fraction{y.under, y.over}
			}
			return fraction{x.over * y.over, x.under * y.under}
		}
	}
}

// value reads a number, a name or a sum in brackets.
func (r *expressionReader) value() func(*teller) fraction {
	if r.next("(") != 0 {
		sum := r.sum()
		if r.next(")") == 0 {
			r.fail("a bracket is not closed before %q", r.rest)
		}
		return sum
	}
	n, end := int64(0), 0
	for end < len(r.rest) && r.rest[end] >= '0' && r.rest[end] <= '9' {
		n = 10*n + int64(r.rest[end]-'0')
		end++
	}
	if end > 0 {
		r.rest = r.rest[end:]
		return func(*teller) fraction { return fraction{n, 1} }
	}
	end = nameEnd(r.rest)
	at := r.find(r.rest[:end])
	r.rest = r.rest[end:]
	return func(t *teller) fraction { return fraction{t.values[at].number, 1} }
}

// next consumes one of some characters and the space before it, or returns 0 if another
// comes next.
func (r *expressionReader) next(among string) byte {
	r.rest = strings.TrimLeft(r.rest, " ")
	if r.rest == "" || strings.IndexByte(among, r.rest[0]) < 0 {
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

// nameEnd returns the end of the name at the beginning of text.
func nameEnd(text string) int {
	end := 0
	for end < len(text) && (text[end] == '$' || text[end] >= 'a' && text[end] <= 'z') {
		end++
	}
	return end
}
