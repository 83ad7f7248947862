package guard

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// arithmetic is x op y, where op is +, -, *, // or %.
func arithmetic(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case starlark.Int:
		if y, is := y.(starlark.Int); is {
			switch op {
			case syntax.PLUS:
				return bounded(x.Add(y))
			case syntax.STAR:
				return bounded(x.Mul(y))
			}
			v, err := starlark.Binary(op, x, y)
			if err != nil {
				return nil, err
			}
			return bounded(v.(starlark.Int))
		}
		if op == syntax.STAR {
			x, y := y, x // the list or the string first
			if err := fits(t, op, x, y); err != nil {
				return nil, err
			}
			return starlark.Binary(op, x, y)
		}
	case starlark.String:
		y, is := y.(starlark.String)
		if is && op == syntax.PLUS {
			return x + y, room(t, len(x)+len(y))
		}
	}
	if err := fits(t, op, x, y); err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

// fits checks the size of a list that is joined or repeated, or of a string that is repeated.
func fits(t *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	_, isString := x.(starlark.String)
	_, isList := x.(*starlark.List)
	_, isTuple := x.(starlark.Tuple)
	n, times := starlark.Len(x), 0
	switch {
	case op == syntax.PLUS && (isList || isTuple) && x.Type() == y.Type():
		return items(t, n+starlark.Len(y))
	case op == syntax.STAR && (isList || isTuple || isString):
		if err := starlark.AsInt(y, &times); err != nil {
			return err
		}
		if times > maxBytes {
			times = maxBytes + 1 // n may be 0
		}
		if isString {
			return room(t, n*max(times, 0))
		}
		return items(t, n*max(times, 0))
	}
	return fmt.Errorf("%s is not for a %s and a %s", op, x.Type(), y.Type())
}

// compare is x op y, where op is a comparison.
func compare(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (bool, error) {
	switch op {
	case syntax.IN:
		return contains(t, y, x)
	case syntax.NOT_IN:
		has, err := contains(t, y, x)
		return !has, err
	}
	switch x := x.(type) {
	case starlark.Int:
		if _, is := y.(starlark.Int); is {
			return starlark.Compare(op, x, y)
		}
		if _, is := y.(starlark.Bool); is {
			return false, errMixed
		}
	case starlark.Bool:
		if _, is := y.(starlark.Int); is {
			return false, errMixed
		}
	}
	return asPython(t, op, x, y)
}

var errMixed = errors.New("a bool and a number are compared, which Starlark and Python do in different ways")

// asPython compares as Python does.
func asPython(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (bool, error) {
	if x, is := x.(starlark.String); is {
		if y, is := y.(starlark.String); is {
			if err := spend(t, min(len(x), len(y))/64); err != nil {
				return false, err
			}
			return starlark.Compare(op, x, y)
		}
	}
	a, err := toPython(t, x, 0)
	if err != nil {
		return false, err
	}
	b, err := toPython(t, y, 0)
	if err != nil {
		return false, err
	}
	return python(t, func(r *pyvalue.Runtime) (bool, error) { return r.Compare(op.String(), a, b) })
}

// contains is x in of.
func contains(t *starlark.Thread, of, x starlark.Value) (bool, error) {
	switch of := of.(type) {
	case *starlark.Dict:
		x, err := key(t, x)
		if err != nil {
			return false, err
		}
		_, has, err := of.Get(x)
		return has, err
	case starlark.String:
		s, is := x.(starlark.String)
		if !is {
			return false, fmt.Errorf("want a string to look for in a string, have a %s", x.Type())
		}
		a, b := string(s), string(of)
		return python(t, func(r *pyvalue.Runtime) (bool, error) { return r.Compare("in", a, b) })
	case starlark.Indexable:
		i, err := find(t, of, x)
		return i >= 0, err
	}
	return false, fmt.Errorf("a %s contains nothing", of.Type())
}

// find returns the index of the first item that is equal to x, and -1 if there is none.
func find(t *starlark.Thread, of starlark.Indexable, x starlark.Value) (int, error) {
	for i := range of.Len() {
		if err := instruct(t, 1); err != nil {
			return -1, err
		}
		same, err := asPython(t, syntax.EQL, of.Index(i), x)
		if err != nil || same {
			return i, err
		}
	}
	return -1, nil
}

// update is x op= y, which changes a list.
func update(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	l, is := x.(*starlark.List)
	if !is || op != syntax.PLUS {
		return arithmetic(t, op, x, y)
	}
	_, err := grow(t, l, "extend", starlark.Tuple{y})
	return l, err
}

// index is of[at].
func index(t *starlark.Thread, of, at starlark.Value) (starlark.Value, error) {
	switch of := of.(type) {
	case *starlark.Dict:
		at, err := key(t, at)
		if err != nil {
			return nil, err
		}
		v, has, err := of.Get(at)
		if err == nil && !has {
			err = errors.New("the dict does not have the key")
		}
		return v, err
	case starlark.String:
		return character(t, string(of), at)
	case starlark.Indexable:
		var i int
		if err := starlark.AsInt(at, &i); err != nil {
			return nil, err
		}
		if i < 0 {
			i += of.Len()
		}
		if i < 0 || i >= of.Len() {
			return nil, fmt.Errorf("the %s does not have the index %v", of.Type(), at)
		}
		return of.Index(i), nil
	}
	return nil, fmt.Errorf("a %s has no items", of.Type())
}

// character is s[at].
func character(t *starlark.Thread, s string, at starlark.Value) (starlark.Value, error) {
	n, is := at.(starlark.Int)
	if !is {
		return nil, fmt.Errorf("an index is a %s, want an int", at.Type())
	}
	i, _ := n.Int64() // 0 if it is too large
	c, err := python(t, func(r *pyvalue.Runtime) (pyvalue.Value, error) {
		c, has, err := r.Item(s, i)
		if err == nil && (!has || n.Sign() != 0 && i == 0) {
			err = errors.New("the string does not have the index")
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return starlark.String(c.(string)), nil
}

// slice is of[from:to:step]; a bound may be None.
func slice(t *starlark.Thread, of starlark.Value, bounds starlark.Tuple) (starlark.Value, error) {
	var at [3]pyvalue.Value
	for i, bound := range bounds {
		if _, is := bound.(starlark.Bool); is {
			return nil, errors.New("a bound is a bool, want an int")
		}
		v, err := toPython(t, bound, 0)
		if err != nil {
			return nil, err
		}
		at[i] = v
	}
	cut := func(v pyvalue.Value) (pyvalue.Value, error) {
		return python(t, func(r *pyvalue.Runtime) (pyvalue.Value, error) { return r.Slice(v, at[0], at[1], at[2]) })
	}
	switch of := of.(type) {
	case starlark.String:
		part, err := cut(string(of))
		if err != nil {
			return nil, err
		}
		return starlark.String(part.(string)), nil
	case starlark.Indexable:
		if err := spend(t, of.Len()/16); err != nil {
			return nil, err
		}
		part, err := cut(&pyvalue.List{Items: opaque(of)})
		if err != nil {
			return nil, err
		}
		return sequence(part.(*pyvalue.List).Items, of), nil
	}
	return nil, fmt.Errorf("a %s has no slices", of.Type())
}

// opaque returns items for functions of pyvalue that do not look into them.
func opaque(v starlark.Indexable) []pyvalue.Value {
	all := make([]pyvalue.Value, v.Len())
	for i := range all {
		all[i] = v.Index(i)
	}
	return all
}

// sequence makes a tuple if like is one, and a list otherwise.
func sequence(opaque []pyvalue.Value, like starlark.Value) starlark.Value {
	all := make([]starlark.Value, len(opaque))
	for i, item := range opaque {
		all[i] = item.(starlark.Value)
	}
	if _, is := like.(starlark.Tuple); is {
		return starlark.Tuple(all)
	}
	return starlark.NewList(all)
}
