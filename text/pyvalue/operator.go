package pyvalue

import (
	"fmt"
	"strings"
)

// Operate applies an operator: +, -, *, /, //, % or **. Integers of more than 65,536 bits, and powers
// that are complex numbers, are errors.
func (r *Runtime) Operate(op string, a, b Value) (Value, error) {
	if x, ok := Text(a); ok && op == "%" {
		return r.format(a, x, b)
	}
	for _, v := range []Value{a, b} {
		if u, ok := v.(*Undefined); ok {
			return nil, u.Fault()
		}
	}
	if IsNumber(a) && IsNumber(b) {
		return calculate(op, a, b)
	}
	switch op {
	case "+":
		if v, done, err := r.added(a, b); done {
			return v, err
		}
	case "*":
		for _, order := range [][2]Value{{a, b}, {b, a}} {
			if _, err := Index(order[1]); err != nil {
				continue
			}
			n, err := count(order[1])
			if err != nil {
				return nil, err
			}
			return r.repeat(order[0], n)
		}
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(a), TypeName(b))
}

// added concatenates texts or lists. done is false for other operands.
func (r *Runtime) added(a, b Value) (v Value, done bool, err error) {
	x, isText := Text(a)
	y, both := Text(b)
	_, safeA := a.(Markup)
	_, safeB := b.(Markup)
	switch {
	case isText && both && (safeA || safeB):
		left, err := r.Escape(a)
		if err != nil {
			return nil, true, err
		}
		right, err := r.Escape(b)
		return left + right, true, err
	case isText && both:
		if err := r.Room(len(x) + len(y)); err != nil {
			return nil, true, err
		}
		return x + y, true, nil
	}
	s, isList := a.(*List)
	t, bothLists := b.(*List)
	if !isList || !bothLists || s.Tuple != t.Tuple {
		return nil, false, nil
	}
	if err := r.Room(16 * (len(s.Items) + len(t.Items))); err != nil {
		return nil, true, err
	}
	items := make([]Value, 0, len(s.Items)+len(t.Items))
	items = append(append(items, s.Items...), t.Items...)
	return &List{Items: items, Tuple: s.Tuple}, true, nil
}

// repeat repeats a text or a list.
func (r *Runtime) repeat(v Value, n int64) (Value, error) {
	n = max(n, 0)
	if l, ok := v.(*List); ok {
		if len(l.Items) == 0 {
			return l, nil
		}
		if n > int64(r.Bytes/16/len(l.Items)) {
			return nil, fmt.Errorf("a list has more than %d items", r.Bytes/16)
		}
		if err := r.Spend(len(l.Items) * int(n)); err != nil {
			return nil, err
		}
		items := make([]Value, 0, len(l.Items)*int(n))
		for range n {
			items = append(items, l.Items...)
		}
		return &List{Items: items, Tuple: l.Tuple}, nil
	}
	s, ok := Text(v)
	if !ok {
		return nil, fmt.Errorf("can't multiply a '%s'", TypeName(v))
	}
	if s == "" {
		return v, nil
	}
	if n > int64(r.Bytes/len(s)) {
		return nil, r.Room(r.Bytes + 1)
	}
	if err := r.Room(len(s) * int(n)); err != nil {
		return nil, err
	}
	return Like(v, strings.Repeat(s, int(n))), nil
}
