package pyvalue

import (
	"fmt"
	"slices"
)

// A Function is a function, or a method with its object.
type Function struct {
	Name  string
	Class string // the class of its objects, for a constructor; also its printed form
	Call  func(a Args) (Value, error)
}

// Args holds the arguments of a call.
type Args struct {
	Pos   []Value  // positional
	Names []string // names of the keyword arguments
	Named []Value  // in the order of Names
}

// Keyword removes a keyword argument from a and returns it.
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

// A method is a method of a type; v is its object.
type method struct {
	params []string // names of the arguments
	need   int      // how many of them are required
	call   func(r *Runtime, v Value, a []Value) (Value, error)
}

// missing stands for an absent argument.
type missing struct{}

// apply calls t, with its name for errors.
func (t *method) apply(r *Runtime, name string, v Value, a Args) (Value, error) {
	if s, ok := Text(v); ok {
		if err := r.Spend(len(s) / 64); err != nil { // most methods read the whole text
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

// Bind sorts arguments into the order of params; the first need of them are required, and an
// empty name cannot be a keyword. [Or] detects absent ones. name is that of the function, for
// errors.
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
	if _, ok := v.(missing); ok {
		return other
	}
	return v
}
