package chattemplate

import (
	"errors"
	"math/big"
)

// tests are the tests of jinja2: what stands after "is".
var tests = map[string]*routine{
	"boolean":     kindTest(func(v value) bool { _, is := v.(bool); return is }),
	"callable":    kindTest(callable),
	"defined":     kindTest(func(v value) bool { _, is := v.(*undefined); return !is }),
	"divisibleby": {params: []string{"num"}, need: 1, call: func(r *run, v value, a []value) (value, error) { return r.divides(v, a[0], 0) }},
	"escaped":     kindTest(func(v value) bool { _, is := v.(markup); return is }),
	"even":        {call: func(r *run, v value, _ []value) (value, error) { return r.divides(v, int64(2), 0) }},
	"false":       kindTest(func(v value) bool { return v == false }),
	"filter": {call: func(r *run, v value, _ []value) (value, error) {
		name, _ := plain(v)
		return r.lib.filters[name] != nil || unsupported[name], nil
	}},
	"float": kindTest(func(v value) bool { _, is := v.(float64); return is }),
	"in": {params: []string{"seq"}, need: 1, call: func(r *run, v value, a []value) (value, error) {
		return r.contains(a[0], v)
	}},
	"integer":  kindTest(isInteger),
	"iterable": kindTest(isIterable),
	"lower":    textTest(isLower),
	"mapping":  kindTest(func(v value) bool { _, is := v.(*dict); return is }),
	"none":     kindTest(func(v value) bool { return v == nil }),
	"number":   kindTest(isNumber),
	"odd":      {call: func(r *run, v value, _ []value) (value, error) { return r.divides(v, int64(2), 1) }},
	"sameas":   {params: []string{"other"}, need: 1, call: func(_ *run, v value, a []value) (value, error) { return identical(v, a[0]), nil }},
	"sequence": kindTest(isSequence),
	"string":   kindTest(func(v value) bool { _, is := plain(v); return is }),
	"test": {call: func(r *run, v value, _ []value) (value, error) {
		name, _ := plain(v)
		return r.lib.tests[name] != nil, nil
	}},
	"true":      kindTest(func(v value) bool { return v == true }),
	"undefined": kindTest(func(v value) bool { _, is := v.(*undefined); return is }),
	"upper":     textTest(isUpper),

	"==": comparison("=="), "eq": comparison("=="), "equalto": comparison("=="),
	"!=": comparison("!="), "ne": comparison("!="),
	"<": comparison("<"), "lt": comparison("<"), "lessthan": comparison("<"),
	"<=": comparison("<="), "le": comparison("<="),
	">": comparison(">"), "gt": comparison(">"), "greaterthan": comparison(">"),
	">=": comparison(">="), "ge": comparison(">="),
}

// kindTest is a test that needs only the value, and cannot fail.
func kindTest(is func(value) bool) *routine {
	return &routine{call: func(_ *run, v value, _ []value) (value, error) { return is(v), nil }}
}

// textTest is a test of the text of a value.
func textTest(is func(string) bool) *routine {
	return &routine{call: func(r *run, v value, _ []value) (value, error) {
		s, err := r.str(v)
		return is(s), err
	}}
}

// comparison is a test that compares with its argument.
func comparison(op string) *routine {
	return &routine{params: []string{""}, need: 1, call: func(r *run, v value, a []value) (value, error) {
		return r.holds(op, v, a[0])
	}}
}

// divides reports whether the rest of v divided by n is rest.
func (r *run) divides(v, n value, rest int64) (bool, error) {
	if _, is := plain(v); is {
		return false, errors.New("not all arguments converted during string formatting")
	}
	got, err := r.operate("%", v, n)
	if err != nil {
		return false, err
	}
	return r.equal(got, rest)
}

func isInteger(v value) bool {
	switch v.(type) {
	case int64, *big.Int:
		return true
	}
	return false
}

func isIterable(v value) bool {
	switch v.(type) {
	case string, markup, *list, *dict, *view, *interval, *generator, *undefined, *loop:
		return true
	}
	return false
}

func isSequence(v value) bool {
	switch v.(type) {
	case string, markup, *list, *dict, *interval, *undefined:
		return true
	}
	return false
}

// identical reports whether a and b are one object. Equal texts count as one, and so do
// equal numbers of a type, which Python does not promise.
func identical(a, b value) bool {
	if x, is := a.(*big.Int); is {
		y, is := b.(*big.Int)
		return is && x.Cmp(y) == 0
	}
	return a == b
}

// holds applies a comparison.
func (r *run) holds(op string, a, b value) (bool, error) {
	switch op {
	case "==":
		return r.equal(a, b)
	case "!=":
		same, err := r.equal(a, b)
		return !same, err
	case "in":
		return r.contains(b, a)
	case "not in":
		within, err := r.contains(b, a)
		return !within, err
	}
	return r.compare(op, a, b)
}
