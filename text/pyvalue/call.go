package pyvalue

import (
	"fmt"
	"slices"
)

// A Function is a function, or a method with its object.
type Function struct {
	Name  string
	Class string // if the function makes objects, their class: that is how it is printed
	Call  func(a Args) (Value, error)
}

// Args are the arguments of a call.
type Args struct {
	Pos   []Value  // those without a name
	Names []string // of the others
	Named []Value  // in the order of Names
}

// Keyword returns a keyword argument and takes it out of a.
func (a *Args) Keyword(name string) (v Value, has bool) {
	i := slices.Index(a.Names, name)
	if i < 0 {
		return nil, false
	}
	v = a.Named[i]
	a.Names = slices.Delete(slices.Clone(a.Names), i, i+1)
	a.Named = slices.Delete(slices.Clone(a.Named), i, i+1)
	return v, true
}

// A method is a method of a type, of which v is the object.
type method struct {
	params []string // names of the arguments
	need   int      // of which so many must be given
	call   func(r *Runtime, v Value, a []Value) (Value, error)
}

// missing is an argument that was not given.
type missing struct{}

// apply calls t, which has a name, with arguments.
func (t *method) apply(r *Runtime, name string, v Value, a Args) (Value, error) {
	if s, is := Text(v); is {
		if err := r.Spend(len(s) / 64); err != nil { // most read the whole text
			return nil, err
		}
	}
	bound, err := Bind(name, t.params, t.need, a)
	if err != nil {
		return nil, err
	}
	result, err := t.call(r, v, bound)
	if err != nil {
		return nil, err
	}
	return result, r.Charge(result)
}

// Bind brings arguments into the order of params, of which the first need must be given; an
// empty name cannot be used as a keyword. [Or] tells which are not given. name is that of the
// function, for errors.
func Bind(name string, params []string, need int, a Args) ([]Value, error) {
	if len(a.Pos) > len(params) {
		return nil, fmt.Errorf("%s takes at most %d arguments, has %d", name, len(params), len(a.Pos))
	}
	if len(a.Pos) == len(params) && len(a.Names) == 0 {
		return a.Pos, nil
	}
	bound := make([]Value, len(params))
	for i := range bound {
		bound[i] = missing{}
	}
	copy(bound, a.Pos)
	for i, keyword := range a.Names {
		at := slices.Index(params, keyword)
		if at < 0 {
			return nil, fmt.Errorf("%s takes no argument '%s'", name, keyword)
		}
		if bound[at] != (missing{}) {
			return nil, fmt.Errorf("%s has two values for argument '%s'", name, keyword)
		}
		bound[at] = a.Named[i]
	}
	for i, v := range bound[:need] {
		if v == (missing{}) {
			return nil, fmt.Errorf("%s wants argument '%s'", name, params[i])
		}
	}
	return bound, nil
}

// Or returns v, or other if v stands for an argument that [Bind] did not find.
func Or(v, other Value) Value {
	if _, is := v.(missing); is {
		return other
	}
	return v
}
