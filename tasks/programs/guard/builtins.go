package guard

import (
	"errors"
	"fmt"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A function is called by programs.
type function func(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error)

// An operation is a function that the rewriter calls, with the right number of arguments.
type operation func(t *starlark.Thread, args starlark.Tuple) (starlark.Value, error)

// predeclared returns the values of names in programs, but for None, True and False.
var predeclared = sync.OnceValue(func() starlark.StringDict {
	all := starlark.StringDict{}
	add := func(name string, f function) {
		all[unique(name)] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			return f(t, args, named)
		})
	}
	for name := range starlark.Universe {
		if b, is := starlark.Universe[name].(*starlark.Builtin); is {
			add(name, missing(b))
		}
	}
	for _, name := range []string{"abs", "all", "any", "bool", "enumerate", "list", "reversed", "tuple", "zip"} {
		add(name, charged(starlark.Universe[name].(*starlark.Builtin)))
	}
	for name, f := range map[string]function{"dict": dict, "int": integer, "len": length, "max": extreme(syntax.GT), "min": extreme(syntax.LT), "range": span, "sorted": sorted, "str": str} {
		add(name, f)
	}
	for name, f := range operations() {
		all[unique(name)] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			if len(named) > 0 {
				return nil, errors.New("the method takes no arguments by name")
			}
			return f(t, args)
		})
	}
	return all
})

// operations are the functions that take the place of operators and the like, by name.
func operations() map[string]operation {
	all := map[string]operation{
		"{}":  func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) { return key(t, a[0]) },
		"[]":  func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) { return index(t, a[0], a[1]) },
		"[:]": func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) { return slice(t, a[0], a[1:]) },
	}
	for name, m := range methods {
		all[name] = func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) {
			return m.call(t, name[1:], a[0], a[1:])
		}
	}
	for op, compares := range operators {
		all[op.String()] = func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) {
			return arithmetic(t, op, a[0], a[1])
		}
		if compares {
			all[op.String()] = func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) {
				is, err := compare(t, op, a[0], a[1])
				return starlark.Bool(is), err
			}
		}
	}
	for assign, op := range updates {
		all[assign.String()] = func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) { return update(t, op, a[0], a[1]) }
		all["[]"+assign.String()] = func(t *starlark.Thread, a starlark.Tuple) (starlark.Value, error) {
			v, err := index(t, a[0], a[1])
			if err != nil {
				return nil, err
			}
			if v, err = update(t, op, v, a[2]); err != nil {
				return nil, err
			}
			return starlark.None, setIndex(a[0], a[1], v)
		}
	}
	return all
}

// setIndex is of[at] = v, of an item that there is.
func setIndex(of, at, v starlark.Value) error {
	switch of := of.(type) {
	case *starlark.Dict:
		return of.SetKey(at, v)
	case *starlark.List:
		var i int
		if err := starlark.AsInt(at, &i); err != nil {
			return err
		}
		if i < 0 {
			i += of.Len()
		}
		return of.SetIndex(i, v)
	}
	return fmt.Errorf("the items of a %s cannot be set", of.Type())
}

// missing takes the place of a function of Starlark that programs do not have.
func missing(b *starlark.Builtin) function {
	return func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return nil, fmt.Errorf("there is no function %s here", b.Name())
	}
}

// charged is a function of Starlark after taking a step for each item of its arguments.
func charged(b *starlark.Builtin) function {
	return func(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		for _, arg := range args {
			if err := spend(t, max(starlark.Len(arg), 1)); err != nil {
				return nil, err
			}
		}
		return b.CallInternal(t, args, named)
	}
}

// only returns the only argument.
func only(args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(named) > 0 {
		return nil, fmt.Errorf("the function has %d arguments, want 1", len(args)+len(named))
	}
	return args[0], nil
}

// dict is dict(…) of nothing, of a dict, or of arguments by name.
func dict(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	d := starlark.NewDict(len(named))
	for _, arg := range args {
		if _, err := updateDict(t, d, "update", starlark.Tuple{arg}); err != nil {
			return nil, err
		}
	}
	for _, pair := range named {
		if err := d.SetKey(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// integer is int(v, base=10).
func integer(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	base := 10
	if err := starlark.UnpackArgs("int", args, named, "v", &v, "base?", &base); err != nil {
		return nil, err
	}
	from, err := toPython(t, v, 0)
	if err != nil {
		return nil, err
	}
	n, valid, err := pyvalue.Int(from, int64(base))
	if err != nil {
		return nil, err
	}
	if !valid {
		return nil, fmt.Errorf("the %s is no whole number", v.Type())
	}
	return fromPython(t, n, 0)
}

// length is len(v).
func length(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	v, err := only(args, named)
	if err != nil {
		return nil, err
	}
	if s, is := v.(starlark.String); is {
		n, _ := pyvalue.Len(string(s))
		return starlark.MakeInt64(n), nil
	}
	n := starlark.Len(v)
	if n < 0 {
		return nil, fmt.Errorf("a %s has no length", v.Type())
	}
	return starlark.MakeInt(n), nil
}

// span is range(…), in which Python takes bools for numbers.
func span(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	for i, arg := range args {
		if b, is := arg.(starlark.Bool); is && bool(b) {
			args[i] = starlark.MakeInt(1)
		} else if is {
			args[i] = starlark.MakeInt(0)
		}
	}
	v, err := starlark.Universe["range"].(*starlark.Builtin).CallInternal(t, args, named)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(v); n > maxRange {
		return nil, fmt.Errorf("range has %d numbers, want at most %d", n, maxRange)
	}
	return v, nil
}

// str is str(v), of values that Starlark and Python print alike.
func str(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	v, err := only(args, named)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.String:
		return v, nil
	case starlark.NoneType, starlark.Bool, starlark.Int:
		return starlark.String(v.String()), nil
	}
	return nil, fmt.Errorf("str is for texts, ints, bools and None, have a %s", v.Type())
}

// all returns the items of a list, a tuple, a dict or a range.
func all(t *starlark.Thread, v starlark.Value) ([]pyvalue.Value, error) {
	if err := spend(t, max(starlark.Len(v), 1)); err != nil {
		return nil, err
	}
	items := starlark.Iterate(v)
	if items == nil {
		return nil, fmt.Errorf("a %s cannot be looped over", v.Type())
	}
	defer items.Done()
	var list []pyvalue.Value
	for item := starlark.Value(nil); items.Next(&item); {
		list = append(list, item)
	}
	return list, nil
}

// keyOf calls the function by, or returns its argument if there is none.
func keyOf(t *starlark.Thread, by, v starlark.Value) (starlark.Value, error) {
	if by == nil || by == starlark.None {
		return v, nil
	}
	return starlark.Call(t, by, starlark.Tuple{v}, nil)
}

// sorted is sorted(items, key=None, reverse=False).
func sorted(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var v, by starlark.Value
	var backwards bool
	if err := starlark.UnpackArgs("sorted", args, named, "items", &v, "key?", &by, "reverse?", &backwards); err != nil {
		return nil, err
	}
	list, err := all(t, v)
	if err != nil {
		return nil, err
	}
	keys := make([]pyvalue.Value, len(list)) // found first, as they take steps of t
	for i, item := range list {
		k, err := keyOf(t, by, item.(starlark.Value))
		if err != nil {
			return nil, err
		}
		if keys[i], err = toPython(t, k, 0); err != nil {
			return nil, err
		}
	}
	order, err := python(t, func(r *pyvalue.Runtime) ([]pyvalue.Value, error) {
		next := -1
		return r.Sorted(list, backwards, func(pyvalue.Value) (pyvalue.Value, error) {
			next++
			return keys[next], nil
		})
	})
	if err != nil {
		return nil, err
	}
	return sequence(order, nil), nil
}

// extreme is max or min: of the arguments, or of the items of the only one.
func extreme(better syntax.Token) function {
	return func(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		var by starlark.Value
		if err := starlark.UnpackArgs("max or min", nil, named, "key?", &by); err != nil {
			return nil, err
		}
		list := opaque(args)
		if len(args) == 1 {
			var err error
			if list, err = all(t, args[0]); err != nil {
				return nil, err
			}
		}
		if len(list) == 0 {
			return nil, errors.New("there is nothing to choose from")
		}
		return best(t, better, list, by)
	}
}

// best returns the first item that none is better than.
func best(t *starlark.Thread, better syntax.Token, list []pyvalue.Value, by starlark.Value) (starlark.Value, error) {
	var found, foundKey starlark.Value
	for _, item := range list {
		item := item.(starlark.Value)
		k, err := keyOf(t, by, item)
		if err != nil {
			return nil, err
		}
		is := found == nil
		if !is {
			if is, err = compare(t, better, k, foundKey); err != nil {
				return nil, err
			}
		}
		if is {
			found, foundKey = item, k
		}
	}
	return found, nil
}
