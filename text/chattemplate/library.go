package chattemplate

import (
	"fmt"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A value is a Python value.
type value = pyvalue.Value

// A library holds the names that templates may use.
type library struct {
	filters, tests map[string]*routine
	globals        map[string]global
}

// A routine is a filter or a test: a function of a value and arguments.
type routine struct {
	params []string // names of the arguments
	need   int      // how many of them are required
	call   func(r *rendering, v value, a []value) (value, error)

	raw func(r *rendering, v value, a pyvalue.Args) (value, error) // replaces all of these: takes any arguments
}

// apply calls t, with its name for errors.
func (t *routine) apply(r *rendering, name string, v value, a pyvalue.Args) (value, error) {
	if s, ok := pyvalue.Text(v); ok {
		if err := r.Spend(len(s) / 64); err != nil { // most routines read the whole text
			return nil, err
		}
	}
	call := t.raw
	if call == nil {
		call = func(r *rendering, v value, a pyvalue.Args) (value, error) {
			bound, err := pyvalue.Bind(name, t.params, t.need, a)
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
	return result, r.Charge(result)
}

// lookup returns a routine from a table.
func lookup(table map[string]*routine, what, name string) (*routine, error) {
	t, has := table[name]
	if !has {
		return nil, fmt.Errorf("no %s named '%.100s'", what, name)
	}
	return t, nil
}
