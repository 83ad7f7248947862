package chattemplate

import (
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// tests holds the tests of jinja2: the words after "is".
var tests = map[string]*routine{
	"boolean":  kindTest("bool"),
	"callable": kindTest("function", "Macro", "LoopContext", "Joiner", "Undefined"),
	"defined": {call: func(_ *rendering, v value, _ []value) (value, error) {
		_, ok := v.(*pyvalue.Undefined)
		return !ok, nil
	}},
	"divisibleby": {params: []string{"num"}, need: 1, call: func(r *rendering, v value, a []value) (value, error) {
		return r.divides(v, a[0], 0)
	}},
	"escaped": kindTest("Markup"),
	"even":    {call: func(r *rendering, v value, _ []value) (value, error) { return r.divides(v, int64(2), 0) }},
	"false":   {call: func(_ *rendering, v value, _ []value) (value, error) { return v == false, nil }},
	"filter": {call: func(r *rendering, v value, _ []value) (value, error) {
		name, _ := pyvalue.Text(v)
		return r.lib.filters[name] != nil || unsupported[name], nil
	}},
	"float": kindTest("float"),
	"in": {params: []string{"seq"}, need: 1, call: func(r *rendering, v value, a []value) (value, error) {
		return r.Compare("in", v, a[0])
	}},
	"integer": kindTest("int"),
	"iterable": kindTest("str", "Markup", "list", "tuple", "dict", "dict_keys", "dict_values", "dict_items", "range", "generator",
		"Undefined", "LoopContext"),
	"lower":   textTest("islower"),
	"mapping": kindTest("dict"),
	"none":    kindTest("NoneType"),
	"number":  kindTest("bool", "int", "float"),
	"odd":     {call: func(r *rendering, v value, _ []value) (value, error) { return r.divides(v, int64(2), 1) }},
	"sameas": {params: []string{"other"}, need: 1, call: func(r *rendering, v value, a []value) (value, error) {
		return r.Compare("is", v, a[0])
	}},
	"sequence": kindTest("str", "Markup", "list", "tuple", "dict", "range", "Undefined"),
	"string":   kindTest("str", "Markup"),
	"test": {call: func(r *rendering, v value, _ []value) (value, error) {
		name, _ := pyvalue.Text(v)
		return r.lib.tests[name] != nil, nil
	}},
	"true":      {call: func(_ *rendering, v value, _ []value) (value, error) { return v == true, nil }},
	"undefined": kindTest("Undefined"),
	"upper":     textTest("isupper"),

	"==": comparison("=="), "eq": comparison("=="), "equalto": comparison("=="),
	"!=": comparison("!="), "ne": comparison("!="),
	"<": comparison("<"), "lt": comparison("<"), "lessthan": comparison("<"),
	"<=": comparison("<="), "le": comparison("<="),
	">": comparison(">"), "gt": comparison(">"), "greaterthan": comparison(">"),
	">=": comparison(">="), "ge": comparison(">="),
}

// kindTest returns a test of the type's name.
func kindTest(names ...string) *routine {
	return &routine{call: func(_ *rendering, v value, _ []value) (value, error) {
		return slices.Contains(names, pyvalue.TypeName(v)), nil
	}}
}

// textTest returns a test of a value's text, by a method of str.
func textTest(method string) *routine {
	return &routine{call: func(r *rendering, v value, _ []value) (value, error) {
		s, err := r.Str(v)
		if err != nil {
			return nil, err
		}
		return r.method(s, method)
	}}
}

// comparison returns a test that compares with its argument.
func comparison(op string) *routine {
	return &routine{params: []string{""}, need: 1, call: func(r *rendering, v value, a []value) (value, error) {
		return r.Compare(op, v, a[0])
	}}
}

// divides reports whether v divided by n leaves rest.
func (r *rendering) divides(v, n value, rest int64) (bool, error) {
	got, err := r.Operate("%", v, n)
	if err != nil {
		return false, err
	}
	return r.Compare("==", got, rest)
}
