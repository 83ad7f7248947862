package chattemplate

import (
	"fmt"
	"strings"
)

// operate applies an arithmetic operator.
func (r *run) operate(op string, a, b value) (value, error) {
	if x, is := plain(a); is && op == "%" {
		return r.format(a, x, b)
	}
	for _, v := range []value{a, b} {
		if u, is := v.(*undefined); is {
			return nil, u.fault()
		}
	}
	if isNumber(a) && isNumber(b) {
		return calculate(op, a, b)
	}
	switch op {
	case "+":
		if v, done, err := r.added(a, b); done {
			return v, err
		}
	case "*":
		if n, err := toIndex(b); err == nil {
			return r.repeat(a, n)
		}
		if n, err := toIndex(a); err == nil {
			return r.repeat(b, n)
		}
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
}

// added adds texts or lists. done is false if a and b are not such.
func (r *run) added(a, b value) (v value, done bool, err error) {
	x, isText := plain(a)
	y, both := plain(b)
	_, safeA := a.(markup)
	_, safeB := b.(markup)
	switch {
	case isText && both && (safeA || safeB):
		left, err := r.escaped(a)
		if err != nil {
			return nil, true, err
		}
		right, err := r.escaped(b)
		return left + right, true, err
	case isText && both:
		if err := r.room(len(x) + len(y)); err != nil {
			return nil, true, err
		}
		return x + y, true, nil
	}
	s, isList := a.(*list)
	t, bothLists := b.(*list)
	if !isList || !bothLists || s.tuple != t.tuple {
		return nil, false, nil
	}
	if err := r.room(16 * (len(s.items) + len(t.items))); err != nil {
		return nil, true, err
	}
	items := make([]value, 0, len(s.items)+len(t.items))
	items = append(append(items, s.items...), t.items...)
	return &list{items: items, tuple: s.tuple}, true, nil
}

// repeat repeats a text or a list.
func (r *run) repeat(v value, n int64) (value, error) {
	n = max(n, 0)
	if l, is := v.(*list); is {
		if len(l.items) > 0 && n > int64(r.maxBytes/16/len(l.items)) {
			return nil, fmt.Errorf("a list has more than %d items", r.maxBytes/16)
		}
		if err := r.spend(len(l.items) * int(n)); err != nil {
			return nil, err
		}
		items := make([]value, 0, len(l.items)*int(n))
		for range n {
			items = append(items, l.items...)
		}
		return &list{items: items, tuple: l.tuple}, nil
	}
	s, is := plain(v)
	if !is {
		return nil, fmt.Errorf("can't multiply a '%s'", typeName(v))
	}
	if s == "" {
		return v, nil
	}
	if n > int64(r.maxBytes/len(s)) {
		return nil, r.room(r.maxBytes + 1)
	}
	if err := r.room(len(s) * int(n)); err != nil {
		return nil, err
	}
	return like(v, strings.Repeat(s, int(n))), nil
}
