package chattemplate

import (
	"fmt"
	"slices"
)

// A library holds what templates may use by name.
type library struct {
	filters, tests map[string]*routine
	globals        map[string]*function
}

// A routine is a filter, a test or a method: a function of a value and arguments.
type routine struct {
	params []string // names of the arguments
	need   int      // of which so many must be given
	call   func(r *run, v value, a []value) (value, error)

	raw func(r *run, v value, a args) (value, error) // in place of all that: takes any arguments
}

// missing is an argument that was not given.
type missing struct{}

// apply calls t, which has a name, with arguments.
func (t *routine) apply(r *run, name string, v value, a args) (value, error) {
	if s, is := plain(v); is {
		if err := r.spend(len(s) / 64); err != nil { // most read the whole text
			return nil, err
		}
	}
	call := t.raw
	if call == nil {
		call = func(r *run, v value, a args) (value, error) {
			bound, err := bind(name, t.params, t.need, a)
			if err != nil {
				return nil, err
			}
			return t.call(r, v, bound)
		}
	}
	result, err := call(r, v, a)
	if err != nil {
		return nil, err
	}
	return result, r.charge(result)
}

// charge takes the steps that it cost to make v.
func (r *run) charge(v value) error {
	switch v := v.(type) {
	case string:
		return r.room(len(v))
	case markup:
		return r.room(len(v))
	case *list:
		return r.spend(len(v.items))
	case *generator:
		return r.spend(len(v.items))
	}
	return r.spend(1)
}

// bind brings arguments into the order of params. Those that are not given are missing.
func bind(name string, params []string, need int, a args) ([]value, error) {
	if len(a.pos) > len(params) {
		return nil, fmt.Errorf("%s takes at most %d arguments, has %d", name, len(params), len(a.pos))
	}
	if len(a.pos) == len(params) && len(a.names) == 0 {
		return a.pos, nil
	}
	bound := make([]value, len(params))
	for i := range bound {
		bound[i] = missing{}
	}
	copy(bound, a.pos)
	for i, keyword := range a.names {
		at := slices.Index(params, keyword)
		if at < 0 {
			return nil, fmt.Errorf("%s takes no argument '%s'", name, keyword)
		}
		if bound[at] != (missing{}) {
			return nil, fmt.Errorf("%s has two values for argument '%s'", name, keyword)
		}
		bound[at] = a.named[i]
	}
	for i, v := range bound[:need] {
		if v == (missing{}) {
			return nil, fmt.Errorf("%s wants argument '%s'", name, params[i])
		}
	}
	return bound, nil
}

// or returns v, or other if v is missing.
func or(v, other value) value {
	if _, is := v.(missing); is {
		return other
	}
	return v
}

// keyword returns a keyword argument and takes it out of a.
func (a *args) keyword(name string) (v value, has bool) {
	i := slices.Index(a.names, name)
	if i < 0 {
		return nil, false
	}
	v = a.named[i]
	a.names = slices.Delete(slices.Clone(a.names), i, i+1)
	a.named = slices.Delete(slices.Clone(a.named), i, i+1)
	return v, true
}

// lookup returns a routine of a table.
func lookup(table map[string]*routine, what, name string) (*routine, error) {
	t, has := table[name]
	if !has {
		return nil, fmt.Errorf("no %s named '%.100s'", what, name)
	}
	return t, nil
}

// call calls a value.
func (r *run) call(f value, a args) (value, error) {
	switch f := f.(type) {
	case *function:
		v, err := f.call(r, a)
		if err != nil {
			return nil, err
		}
		return v, r.charge(v)
	case *macro:
		return f.call(r, a)
	case *loop:
		return f.recurse(r, a)
	case *joiner:
		return f.next(a)
	case *undefined:
		return nil, f.fault()
	}
	return nil, fmt.Errorf("'%s' object is not callable", typeName(f))
}

// callable reports whether call can succeed.
func callable(v value) bool {
	switch v.(type) {
	case *function, *macro, *loop, *joiner, *undefined:
		return true
	}
	return false
}
