package guard

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A method is one that Starlark and Python share, of strings, lists or dicts.
type method struct {
	ofString bool // it is that of Python, which counts characters and not bytes
	ofList   func(t *starlark.Thread, l *starlark.List, name string, args starlark.Tuple) (starlark.Value, error)
	ofDict   func(t *starlark.Thread, d *starlark.Dict, name string, args starlark.Tuple) (starlark.Value, error)
}

// methods are the methods by name, after a dot.
var methods = map[string]method{
	".capitalize": {ofString: true}, ".count": {ofString: true}, ".endswith": {ofString: true}, ".find": {ofString: true},
	".isalnum": {ofString: true}, ".isalpha": {ofString: true}, ".isdigit": {ofString: true}, ".islower": {ofString: true},
	".isspace": {ofString: true}, ".isupper": {ofString: true}, ".join": {ofString: true}, ".lower": {ofString: true},
	".lstrip": {ofString: true}, ".partition": {ofString: true}, ".removeprefix": {ofString: true}, ".removesuffix": {ofString: true},
	".replace": {ofString: true}, ".rfind": {ofString: true}, ".rindex": {ofString: true}, ".rpartition": {ofString: true},
	".rsplit": {ofString: true}, ".rstrip": {ofString: true}, ".split": {ofString: true}, ".splitlines": {ofString: true},
	".startswith": {ofString: true}, ".strip": {ofString: true}, ".title": {ofString: true}, ".upper": {ofString: true},
	".append": {ofList: grow}, ".extend": {ofList: grow}, ".insert": {ofList: grow}, ".remove": {ofList: remove},
	".clear": {ofList: nativeOfList, ofDict: nativeOfDict}, ".pop": {ofList: nativeOfList, ofDict: byKey},
	".index": {ofString: true, ofList: indexOf},
	".get":   {ofDict: byKey}, ".setdefault": {ofDict: byKey}, ".update": {ofDict: updateDict},
	".items": {ofDict: nativeOfDict}, ".keys": {ofDict: nativeOfDict}, ".values": {ofDict: nativeOfDict},
}

// call calls the method of a value.
func (m method) call(t *starlark.Thread, name string, of starlark.Value, args starlark.Tuple) (starlark.Value, error) {
	switch of := of.(type) {
	case *starlark.List:
		if m.ofList != nil {
			return m.ofList(t, of, name, args)
		}
	case *starlark.Dict:
		if m.ofDict != nil {
			return m.ofDict(t, of, name, args)
		}
	case starlark.String:
		if m.ofString {
			return ofPython(t, string(of), name, args)
		}
	}
	return nil, fmt.Errorf("a %s has no method %s here", of.Type(), name)
}

// ofPython calls the method of a string of Python.
func ofPython(t *starlark.Thread, s, name string, args starlark.Tuple) (starlark.Value, error) {
	own := make([]pyvalue.Value, len(args))
	for i, arg := range args {
		v, err := toPython(t, arg, 0)
		if err != nil {
			return nil, err
		}
		own[i] = v
	}
	if name == "join" && len(args) == 1 {
		if _, is := args[0].(starlark.String); is {
			return nil, errors.New("a text cannot be looped over")
		}
	}
	v, err := python(t, func(r *pyvalue.Runtime) (pyvalue.Value, error) {
		f, _, err := r.Attribute(s, name)
		if err != nil {
			return nil, err
		}
		return f.(*pyvalue.Function).Call(pyvalue.Args{Pos: own})
	})
	if err != nil {
		return nil, err
	}
	return fromPython(t, v, 0)
}

// grow is append, extend or insert.
func grow(t *starlark.Thread, l *starlark.List, name string, args starlark.Tuple) (starlark.Value, error) {
	more := 1
	if name == "extend" && len(args) == 1 {
		more = max(starlark.Len(args[0]), 1)
	}
	switch {
	case l.Len()+more > maxItems:
		return nil, errItems
	case name == "append" && len(args) == 1:
		return starlark.None, l.Append(args[0])
	}
	if err := spend(t, more); err != nil {
		return nil, err
	}
	return nativeOfList(t, l, name, args)
}

// nativeOfList is a method of Starlark's.
func nativeOfList(t *starlark.Thread, l *starlark.List, name string, args starlark.Tuple) (starlark.Value, error) {
	if err := spend(t, l.Len()/16); err != nil {
		return nil, err
	}
	return native(t, l, name, args)
}

func native(t *starlark.Thread, of starlark.HasAttrs, name string, args starlark.Tuple) (starlark.Value, error) {
	f, err := of.Attr(name)
	if err != nil {
		return nil, err
	}
	return f.(*starlark.Builtin).CallInternal(t, args, nil)
}

func indexOf(t *starlark.Thread, l *starlark.List, _ string, args starlark.Tuple) (starlark.Value, error) {
	v, err := only(args, nil)
	if err != nil {
		return nil, err
	}
	i, err := find(t, l, v)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, errors.New("the list does not have the item")
	}
	return starlark.MakeInt(i), nil
}

func remove(t *starlark.Thread, l *starlark.List, name string, args starlark.Tuple) (starlark.Value, error) {
	i, err := indexOf(t, l, name, args)
	if err != nil {
		return nil, err
	}
	_, err = nativeOfList(t, l, "pop", starlark.Tuple{i})
	return starlark.None, err
}

// nativeOfDict is a method of Starlark's that goes through the dict.
func nativeOfDict(t *starlark.Thread, d *starlark.Dict, name string, args starlark.Tuple) (starlark.Value, error) {
	if err := spend(t, d.Len()); err != nil {
		return nil, err
	}
	return native(t, d, name, args)
}

// byKey is a method of Starlark's that looks for a key.
func byKey(t *starlark.Thread, d *starlark.Dict, name string, args starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, errors.New("want a key, and perhaps a default")
	}
	if _, err := key(t, args[0]); err != nil {
		return nil, err
	}
	if name != "get" {
		return native(t, d, name, args)
	}
	v, has, err := d.Get(args[0])
	if err != nil || has {
		return v, err
	}
	if len(args) == 2 {
		return args[1], nil
	}
	return starlark.None, nil
}

func updateDict(t *starlark.Thread, d *starlark.Dict, name string, args starlark.Tuple) (starlark.Value, error) {
	v, err := only(args, nil)
	if err != nil {
		return nil, err
	}
	from, is := v.(*starlark.Dict)
	if !is {
		return nil, fmt.Errorf("want a dict to update from, have a %s", v.Type())
	}
	if err := spend(t, from.Len()); err != nil {
		return nil, err
	}
	return native(t, d, name, args)
}
