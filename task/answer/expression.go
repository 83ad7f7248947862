package answer

import (
	"fmt"
	"strings"
)

// Negate is the sign before an operand, as an operation.
const Negate = '~'

// An Evaluator reads expressions of its operators, operands and round brackets, over values of any type, and evaluates them
// from left to right. It keeps pending operations on a stack, so that no nesting makes it recurse. The
// expression comes as a text, to [Evaluator.Read], or part by part, to the other methods.
type Evaluator[T any] struct {
	// Operand reads the operand at the beginning of text; size is its length in bytes, 0 if there is none.
	Operand func(text string) (x T, size int, err error)

	// Apply returns x op y. An operation is the first byte of its operator, or [Negate], for which x is y.
	Apply func(op byte, x, y T) (T, error)

	Operators []string // some of + - * / mod << >>
	Signs     string   // those before an operand: none, - or +-
	Parts     string   // what an expression consists of, in words for errors
	MaxDepth  int      // of nested brackets; 0: any

	values  []T
	pending []byte // operations that still lack their right-hand side, and open brackets
	depth   int    // open brackets
	err     error  // the first of Apply
}

// A SyntaxError says why a text is no expression.
type SyntaxError struct {
	Rest string // begins with the part that cannot stand there; empty: the text ends too early
	Why  string
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Why }

// Read evaluates all of text. Space between parts is ignored, and within brackets line breaks. The error is a
// [*SyntaxError], or that of Operand or of Apply.
func (e *Evaluator[T]) Read(text string) (value T, err error) {
	e.values, e.pending, e.depth, e.err = make([]T, 0, 8), make([]byte, 0, 16), 0, nil
	for wanted := true; err == nil; {
		if text = e.trim(text, wanted); text == "" {
			return e.end(wanted)
		}
		size := 1
		switch c := text[0]; {
		case c == '(' && wanted:
			e.Open()
		case c == ')' && !wanted && e.depth > 0:
			e.Close()
		case c == '-' && wanted && e.Signs != "":
			e.Negate()
		case wanted:
			size, err = e.operand(text)
			wanted = false
		default:
			size = e.operator(text)
			wanted = true
		}
		switch {
		case err != nil:
		case e.err != nil:
			err = e.err
		case size == 0:
			err = e.misplaced(text)
		case e.MaxDepth > 0 && e.depth > e.MaxDepth:
			err = &SyntaxError{text, fmt.Sprintf("brackets are nested more than %d deep", e.MaxDepth)}
		}
		text = text[size:]
	}
	return value, err
}

// trim cuts what has no effect at the beginning of text: space, or a plus sign before an operand.
func (e *Evaluator[T]) trim(text string, wanted bool) string {
	for ; text != ""; text = text[1:] {
		switch c := text[0]; {
		case c == ' ' || c == '\t' || c == '\f':
		case (c == '\n' || c == '\r') && e.depth > 0:
		case c == '+' && wanted && e.Signs == "+-":
		default:
			return text
		}
	}
	return text
}

// operand takes the operand at the beginning of text.
func (e *Evaluator[T]) operand(text string) (size int, err error) {
	x, size, err := e.Operand(text)
	if size > 0 {
		e.Number(x)
	}
	return size, err
}

// operator takes the operator at the beginning of text.
func (e *Evaluator[T]) operator(text string) (size int) {
	for _, op := range e.Operators {
		if strings.HasPrefix(text, op) {
			e.Operator(op[0])
			return len(op)
		}
	}
	return 0
}

// misplaced returns the error of the part that cannot stand at the beginning of text.
func (e *Evaluator[T]) misplaced(text string) error {
	return &SyntaxError{text, fmt.Sprintf("%.12q does not belong here: an expression consists of %s", text, e.Parts)}
}

// end returns the value of an expression that ends here.
func (e *Evaluator[T]) end(wanted bool) (value T, err error) {
	switch {
	case wanted:
		return value, &SyntaxError{"", "the expression ends without its last number"}
	case e.depth > 0:
		return value, &SyntaxError{"", "a bracket is not closed"}
	}
	e.Settle(0)
	if e.err != nil {
		return value, e.err
	}
	return e.values[0], nil
}

// Open takes an opening bracket.
func (e *Evaluator[T]) Open() {
	e.pending = append(e.pending, '(')
	e.depth++
}

// Close takes a closing bracket; one must be open.
func (e *Evaluator[T]) Close() {
	e.Settle(0)
	e.pending = e.pending[:len(e.pending)-1]
	e.depth--
}

// Negate takes a minus sign before an operand.
func (e *Evaluator[T]) Negate() { e.pending = append(e.pending, Negate) }

// Number takes an operand.
func (e *Evaluator[T]) Number(x T) { e.values = append(e.values, x) }

// Operator takes an operation between two operands.
func (e *Evaluator[T]) Operator(op byte) {
	e.Settle(op)
	e.pending = append(e.pending, op)
}

// Settle applies the pending operations that bind at least as tightly as op, which comes next, back to the innermost open
// bracket; 0 is the end. It returns the value so far.
func (e *Evaluator[T]) Settle(op byte) T {
	for n := len(e.pending); n > 0 && e.err == nil; n-- {
		last, top := e.pending[n-1], len(e.values)-1
		if last == '(' || binding(last) < binding(op) {
			break
		}
		left := top - 1
		if last == Negate {
			left = top
		}
		e.values[left], e.err = e.Apply(last, e.values[left], e.values[top])
		e.values, e.pending = e.values[:left+1], e.pending[:n-1]
	}
	return e.values[len(e.values)-1]
}

// binding returns how tightly an operation binds, as in Python; 0 if it is none.
func binding(op byte) int {
	switch op {
	case '<', '>':
		return 1
	case '+', '-':
		return 2
	case '*', '/', 'm':
		return 3
	case Negate:
		return 4
	}
	return 0
}
