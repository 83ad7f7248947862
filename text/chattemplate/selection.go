package chattemplate

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// mapped is the filter map: an attribute of each item, or a filter applied to it.
func mapped(r *rendering, v value, a pyvalue.Args) ([]value, error) {
	if !pyvalue.Truth(v) {
		return nil, nil
	}
	apply, err := r.mapping(a)
	if err != nil {
		return nil, err
	}
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	out := make([]value, len(items))
	for i, item := range items {
		if out[i], err = apply(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mapping returns the function of the filter map.
func (r *rendering) mapping(a pyvalue.Args) (func(value) (value, error), error) {
	if attribute, has := a.Keyword("attribute"); has && len(a.Pos) == 0 {
		other, _ := a.Keyword("default")
		if len(a.Names) > 0 {
			return nil, fmt.Errorf("unexpected keyword argument '%s'", a.Names[0])
		}
		p := newPath(attribute)
		return func(item value) (value, error) { return p.of(r, item, other) }, nil
	}
	if len(a.Pos) == 0 {
		return nil, errors.New("map requires a filter argument")
	}
	name, _ := pyvalue.Text(a.Pos[0])
	t, err := lookup(r.lib.filters, "filter", name)
	if err != nil {
		return nil, err
	}
	a.Pos = a.Pos[1:]
	return func(item value) (value, error) { return t.apply(r, name, item, a) }, nil
}

// chosen returns select, reject, selectattr or rejectattr.
func chosen(byAttribute, wanted bool) func(*rendering, value, pyvalue.Args) ([]value, error) {
	return func(r *rendering, v value, a pyvalue.Args) ([]value, error) {
		if !pyvalue.Truth(v) {
			return nil, nil
		}
		var p path
		if byAttribute {
			if len(a.Pos) == 0 {
				return nil, errors.New("Missing parameter for attribute name") //nolint:staticcheck // as jinja2 says it
			}
			p = newPath(a.Pos[0])
			a.Pos = a.Pos[1:]
		}
		holds, err := r.condition(a)
		if err != nil {
			return nil, err
		}
		items, err := r.Items(v)
		if err != nil {
			return nil, err
		}
		var out []value
		for _, item := range items {
			attribute, err := p.of(r, item, nil)
			if err != nil {
				return nil, err
			}
			is, err := holds(attribute)
			if err != nil {
				return nil, err
			}
			if is == wanted {
				out = append(out, item)
			}
		}
		return out, nil
	}
}

// condition returns the test named by the arguments; without them, the truth of the value.
func (r *rendering) condition(a pyvalue.Args) (func(value) (bool, error), error) {
	if len(a.Pos) == 0 {
		return func(v value) (bool, error) { return pyvalue.Truth(v), nil }, nil
	}
	name, _ := pyvalue.Text(a.Pos[0])
	t, err := lookup(r.lib.tests, "test", name)
	if err != nil {
		return nil, err
	}
	a.Pos = a.Pos[1:]
	return func(v value) (bool, error) {
		is, err := t.apply(r, name, v, a)
		return pyvalue.Truth(is), err
	}, nil
}
