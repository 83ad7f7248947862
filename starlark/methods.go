package starlark

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// textMethods are the methods of texts that Starlark and Python share.
var textMethods = strings.Fields("capitalize count endswith find index isalnum isalpha isdigit islower isspace isupper join lower lstrip" +
	" partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines startswith strip title upper")

// A method changes a list or a dict.
type method struct {
	params int // arguments that there may be
	need   int // that there must be
	list   func(r *run, l *pyvalue.List, a []value) (value, error)
	dict   func(r *run, d *pyvalue.Dict, a []value) (value, error)
}

// listMethods are the methods of lists, but for index.
var listMethods = map[string]method{
	"append": {params: 1, need: 1, list: func(r *run, l *pyvalue.List, a []value) (value, error) { return nil, r.insert(l, len(l.Items), a) }},
	"clear": {list: func(_ *run, l *pyvalue.List, _ []value) (value, error) {
		l.Items = nil
		return nil, nil
	}},
	"extend": {params: 1, need: 1, list: func(r *run, l *pyvalue.List, a []value) (value, error) { return nil, r.extend(l, a[0]) }},
	"insert": {params: 2, need: 2, list: insert},
	"pop":    {params: 1, list: pop},
	"remove": {params: 1, need: 1, list: remove},
}

// dictMethods are the methods of dicts that change them.
var dictMethods = map[string]method{
	"clear": {dict: func(_ *run, d *pyvalue.Dict, _ []value) (value, error) {
		*d = *pyvalue.NewDict(0)
		return nil, nil
	}},
	"pop":        {params: 2, need: 1, dict: take},
	"setdefault": {params: 2, need: 1, dict: setDefault},
	"update":     {params: 1, need: 1, dict: update},
}

// method calls a method of v.
func (r *run) method(v value, name string, a pyvalue.Args) (value, error) {
	if err := r.Spend(1); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		if slices.Contains(textMethods, name) {
			return r.pure(v, name, a)
		}
	case *pyvalue.List:
		if name == "index" {
			return r.pure(v, name, a)
		}
		if m, has := listMethods[name]; has && !v.Tuple {
			return m.apply(r, v, a)
		}
	case *pyvalue.Dict:
		if slices.Contains([]string{"items", "keys", "values"}, name) {
			view, err := r.pure(v, name, a)
			if err == nil {
				r.sources[view] = []value{v}
			}
			return view, err
		}
		if name == "get" {
			return r.pure(v, name, a)
		}
		if m, has := dictMethods[name]; has {
			return m.apply(r, v, a)
		}
	}
	return nil, fmt.Errorf("a %s has no method %.100s here", pyvalue.TypeName(v), name)
}

// pure calls a method that changes nothing.
func (r *run) pure(v value, name string, a pyvalue.Args) (value, error) {
	if name == "join" && len(a.Pos) == 1 {
		if _, is := a.Pos[0].(string); is {
			return nil, errors.New("a text cannot be looped over")
		}
	}
	m, _, err := r.Attribute(v, name)
	if err != nil {
		return nil, err
	}
	f, is := m.(*pyvalue.Function)
	if !is {
		return nil, fmt.Errorf("a %s has no method %.100s", pyvalue.TypeName(v), name)
	}
	return f.Call(a)
}

// apply calls a method that changes v.
func (m method) apply(r *run, v value, a pyvalue.Args) (value, error) {
	if n := len(a.Pos); n < m.need || n > m.params || len(a.Names) > 0 {
		return nil, fmt.Errorf("the method has %d arguments, want %d to %d without names", n+len(a.Names), m.need, m.params)
	}
	if err := r.changes(v); err != nil {
		return nil, err
	}
	if l, is := v.(*pyvalue.List); is {
		return m.list(r, l, a.Pos)
	}
	return m.dict(r, v.(*pyvalue.Dict), a.Pos)
}

// insert puts items before place i of l.
func (r *run) insert(l *pyvalue.List, i int, items []value) error {
	if err := r.Room(16 * (len(l.Items) - i + len(items))); err != nil {
		return err
	}
	if len(l.Items)+len(items) > r.Bytes/16 {
		return fmt.Errorf("a list has more than %d items", r.Bytes/16)
	}
	l.Items = slices.Insert(l.Items, i, items...)
	return nil
}

// extend adds what v goes through to the end of l.
func (r *run) extend(l *pyvalue.List, v value) error {
	items, err := r.items(v)
	if err != nil {
		return err
	}
	if err := r.changes(l); err != nil {
		return err
	}
	return r.insert(l, len(l.Items), slices.Clone(items))
}

func insert(r *run, l *pyvalue.List, a []value) (value, error) {
	i, is := a[0].(int64)
	if !is {
		return nil, fmt.Errorf("an index is a %s, want an int", pyvalue.TypeName(a[0]))
	}
	n := int64(len(l.Items))
	if i < 0 {
		i = max(i+n, 0)
	}
	return nil, r.insert(l, int(min(i, n)), a[1:])
}

func pop(r *run, l *pyvalue.List, a []value) (value, error) {
	i := len(l.Items) - 1
	if len(a) > 0 {
		var err error
		if i, err = position(a[0], len(l.Items)); err != nil {
			return nil, err
		}
	}
	if i < 0 {
		return nil, errors.New("the list is empty")
	}
	item := l.Items[i]
	err := r.Spend((len(l.Items) - i) / 16)
	l.Items = slices.Delete(l.Items, i, i+1)
	return item, err
}

func remove(r *run, l *pyvalue.List, a []value) (value, error) {
	i, err := r.pure(l, "index", pyvalue.Args{Pos: a})
	if err != nil {
		return nil, err
	}
	at := i.(int64)
	l.Items = slices.Delete(l.Items, int(at), int(at)+1)
	return nil, nil
}

// lookUp returns the value of a key. The error says that it is not hashable.
func (r *run) lookUp(d *pyvalue.Dict, key value) (v value, has bool, err error) {
	if err := r.SetItem(pyvalue.NewDict(1), key, nil); err != nil {
		return nil, false, err
	}
	return r.Item(d, key)
}

// take removes a key from d and returns its value.
func take(r *run, d *pyvalue.Dict, a []value) (value, error) {
	found, has, err := r.lookUp(d, a[0])
	switch {
	case err != nil:
		return nil, err
	case !has && len(a) == 2:
		return a[1], nil
	case !has:
		return nil, errors.New("the dict does not have the key")
	}
	rest := pyvalue.NewDict(0)
	for key, v := range d.All() {
		if err := r.Spend(1); err != nil {
			return nil, err
		}
		same, err := r.Compare("==", key, a[0])
		if err == nil && !same {
			err = r.SetItem(rest, key, v)
		}
		if err != nil {
			return nil, err
		}
	}
	*d = *rest
	return found, nil
}

func setDefault(r *run, d *pyvalue.Dict, a []value) (value, error) {
	found, has, err := r.lookUp(d, a[0])
	if err != nil || has {
		return found, err
	}
	var v value
	if len(a) == 2 {
		v = a[1]
	}
	return v, r.SetItem(d, a[0], v)
}

func update(r *run, d *pyvalue.Dict, a []value) (value, error) {
	other, err := r.Dict(pyvalue.Args{Pos: a})
	if err != nil {
		return nil, err
	}
	for key, v := range other.All() {
		if err := r.SetItem(d, key, v); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
