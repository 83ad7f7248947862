package chattemplate

import (
	"errors"
	"fmt"
)

// mapped is the filter map: an attribute of each item, or a filter applied to it.
func mapped(r *run, v value, a args) ([]value, error) {
	if !truth(v) {
		return nil, nil
	}
	apply, err := r.mapping(a)
	if err != nil {
		return nil, err
	}
	items, err := r.items(v)
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

// mapping returns what the filter map does to an item.
func (r *run) mapping(a args) (func(value) (value, error), error) {
	if attribute, has := a.keyword("attribute"); has && len(a.pos) == 0 {
		other, _ := a.keyword("default")
		if len(a.names) > 0 {
			return nil, fmt.Errorf("unexpected keyword argument '%s'", a.names[0])
		}
		p := newPath(attribute)
		return func(item value) (value, error) { return p.of(r, item, other) }, nil
	}
	if len(a.pos) == 0 {
		return nil, errors.New("map requires a filter argument")
	}
	name, _ := plain(a.pos[0])
	t, err := lookup(r.lib.filters, "filter", name)
	if err != nil {
		return nil, err
	}
	a.pos = a.pos[1:]
	return func(item value) (value, error) { return t.apply(r, name, item, a) }, nil
}

// chosen is select, reject, selectattr or rejectattr.
func chosen(byAttribute, wanted bool) func(*run, value, args) ([]value, error) {
	return func(r *run, v value, a args) ([]value, error) {
		if !truth(v) {
			return nil, nil
		}
		var p path
		if byAttribute {
			if len(a.pos) == 0 {
				return nil, errors.New("Missing parameter for attribute name") //nolint:staticcheck // as jinja2 says it
			}
			p = newPath(a.pos[0])
			a.pos = a.pos[1:]
		}
		holds, err := r.condition(a)
		if err != nil {
			return nil, err
		}
		items, err := r.items(v)
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

// condition returns the test that arguments name; without them, whether a value is true.
func (r *run) condition(a args) (func(value) (bool, error), error) {
	if len(a.pos) == 0 {
		return func(v value) (bool, error) { return truth(v), nil }, nil
	}
	name, _ := plain(a.pos[0])
	t, err := lookup(r.lib.tests, "test", name)
	if err != nil {
		return nil, err
	}
	a.pos = a.pos[1:]
	return func(v value) (bool, error) {
		is, err := t.apply(r, name, v, a)
		return truth(is), err
	}, nil
}
