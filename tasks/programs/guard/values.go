package guard

import (
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// odd reports whether v has what Starlark and Python treat in different ways: bools, and
// strings with characters of several bytes or with a percent sign, after which % formats.
func odd(v pyvalue.Value) bool {
	switch v := v.(type) {
	case bool:
		return true
	case string:
		for i := range len(v) {
			if v[i] >= utf8.RuneSelf || v[i] == '%' {
				return true
			}
		}
	case *pyvalue.List:
		return slices.ContainsFunc(v.Items, odd)
	case *pyvalue.Dict:
		for name, item := range v.All() {
			if odd(name) || odd(item) {
				return true
			}
		}
	}
	return false
}

// fromPython copies a value of Python.
func fromPython(t *starlark.Thread, v pyvalue.Value, depth int) (starlark.Value, error) {
	if err := enter(t, depth); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case int64:
		return starlark.MakeInt64(v), nil
	case *big.Int:
		return bounded(starlark.MakeBigInt(v))
	case string:
		return starlark.String(v), room(t, len(v))
	case *pyvalue.List:
		list := make([]starlark.Value, len(v.Items))
		for i, item := range v.Items {
			own, err := fromPython(t, item, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = own
		}
		if v.Tuple {
			return starlark.Tuple(list), nil
		}
		return starlark.NewList(list), nil
	case *pyvalue.Dict:
		return dictFromPython(t, v, depth)
	}
	return nil, fmt.Errorf("an argument is a '%s', want None, a bool, a whole number, a text, a list or a dict", pyvalue.TypeName(v))
}

func dictFromPython(t *starlark.Thread, v *pyvalue.Dict, depth int) (starlark.Value, error) {
	d := new(starlark.Dict)
	for name, item := range v.All() {
		key, err := fromPython(t, name, depth+1)
		if err != nil {
			return nil, err
		}
		own, err := fromPython(t, item, depth+1)
		if err != nil {
			return nil, err
		}
		if err := d.SetKey(key, own); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// toPython copies a value for Python. What stands in it several times is copied as often.
func toPython(t *starlark.Thread, v starlark.Value, depth int) (pyvalue.Value, error) {
	if err := enter(t, depth); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		if n, is := v.Int64(); is {
			return n, nil
		}
		_, err := bounded(v)
		return v.BigInt(), err
	case starlark.String:
		return string(v), nil
	case *starlark.List:
		items, err := itemsToPython(t, v, depth)
		return &pyvalue.List{Items: items}, err
	case starlark.Tuple:
		items, err := itemsToPython(t, v, depth)
		return pyvalue.NewTuple(items...), err
	case *starlark.Dict:
		return dictToPython(t, v, depth)
	}
	return nil, fmt.Errorf("want None, a bool, a whole number, a text, a list or a dict, have a %s", v.Type())
}

func itemsToPython(t *starlark.Thread, v starlark.Indexable, depth int) ([]pyvalue.Value, error) {
	items := make([]pyvalue.Value, v.Len())
	for i := range items {
		item, err := toPython(t, v.Index(i), depth+1)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return items, nil
}

func dictToPython(t *starlark.Thread, v *starlark.Dict, depth int) (pyvalue.Value, error) {
	d := pyvalue.NewDict(v.Len())
	for name, item := range v.Entries() {
		key, err := toPython(t, name, depth+1)
		if err != nil {
			return nil, err
		}
		own, err := toPython(t, item, depth+1)
		if err != nil {
			return nil, err
		}
		_, err = python(t, func(r *pyvalue.Runtime) (pyvalue.Value, error) { return nil, r.SetItem(d, key, own) })
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// enter takes the instruction of copying a value at a depth.
func enter(t *starlark.Thread, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values stand within each other more than %d deep", maxDepth)
	}
	return instruct(t, 1)
}

// bounded refuses an integer that is too large.
func bounded(n starlark.Int) (starlark.Value, error) {
	if _, small := n.Int64(); !small && n.BigInt().BitLen() > maxBits {
		return nil, fmt.Errorf("a whole number has more than %d bits", maxBits)
	}
	return n, nil
}

// key returns a key of a dict, unless it is costly to hash or Python takes it for another.
func key(t *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.Int:
		return v, nil
	case starlark.String:
		return v, spend(t, len(v)/64)
	case starlark.Bool:
		return nil, fmt.Errorf("a key is a bool, which is a number in Python")
	}
	_, err := toPython(t, v, 0)
	return v, err
}
