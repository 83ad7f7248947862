package pyvalue

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// mutators lists Python's mutating methods. The sandbox keeps templates from them.
var mutators = map[string][]string{
	"list": {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
	"dict": {"clear", "pop", "popitem", "setdefault", "update"},
}

// Item returns v[key], and whether v has it. An undefined v is an error.
func (r *Runtime) Item(v, key Value) (item Value, has bool, err error) {
	if u, ok := v.(*Undefined); ok {
		return nil, false, u.Fault()
	}
	if s, ok := Text(v); ok { // counted in characters
		if err := r.Spend(len(s) / 16); err != nil {
			return nil, false, err
		}
	}
	item, has = r.subscript(v, key)
	return item, has, nil
}

func (r *Runtime) subscript(v, key Value) (item Value, has bool) {
	if d, ok := v.(*Dict); ok {
		item, has, _ = d.lookup(r, key) // an unhashable key is never in a dict
		return item, has
	}
	i, ok := toInt64(key)
	if !ok {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		c, has := charAt(v, i)
		return c, has
	case Markup:
		c, has := charAt(string(v), i)
		return Markup(c), has
	case *List:
		if i < 0 {
			i += int64(len(v.Items))
		}
		if i < 0 || i >= int64(len(v.Items)) {
			return nil, false
		}
		return v.Items[i], true
	case *interval:
		n := v.length()
		if i < 0 {
			i += n
		}
		return v.start + i*v.step, 0 <= i && i < n
	}
	return nil, false
}

// Attribute returns the named attribute or method of v, and whether v has it. A method that
// would change v, or a name that starts with an underscore, gives an [Undefined], as in
// jinja2's sandbox. An undefined v is an error.
func (r *Runtime) Attribute(v Value, name string) (own Value, has bool, err error) {
	switch v := v.(type) {
	case *Undefined:
		return nil, true, v.Fault()
	case string:
		if t, has := textMethods[name]; has {
			return r.bound(t, name, v), true, nil
		}
	case Markup:
		if t, has := textMethods[name]; has {
			return r.boundMarkup(t, name, v), true, nil
		}
	case *Dict:
		if t, has := dictMethods[name]; has {
			return r.bound(t, name, v), true, nil
		}
	case *List:
		if t, has := listMethods[name]; has {
			return r.bound(t, name, v), true, nil
		}
		if i := slices.Index(v.Fields, name); i >= 0 {
			return v.Items[i], true, nil
		}
	case Object:
		own, has, err = v.Attribute(name)
	case *interval:
		own, has = map[string]Value{"start": v.start, "stop": v.stop, "step": v.step}[name]
	case bool, int64, *big.Int, float64:
		own, has = numberAttribute(v, name)
	}
	if unsafe := slices.Contains(mutators[TypeName(v)], name) || strings.HasPrefix(name, "_") && has || slices.Contains(internals, name); unsafe {
		return &Undefined{Message: fmt.Sprintf("access to attribute '%.100s' of '%s' object is unsafe", name, TypeName(v))}, true, err
	}
	return own, has, err
}

// internals lists the attributes of every Python object.
var internals = []string{
	"__class__", "__delattr__", "__dir__", "__doc__", "__eq__", "__format__", "__ge__", "__getattribute__", "__getstate__",
	"__gt__", "__hash__", "__init__", "__init_subclass__", "__le__", "__lt__", "__ne__", "__new__", "__reduce__",
	"__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__str__", "__subclasshook__",
}

// numberAttribute returns an attribute of a number.
func numberAttribute(v Value, name string) (Value, bool) {
	f, isFloat := v.(float64)
	switch name {
	case "real":
		return plus(v), true
	case "imag":
		if isFloat {
			return 0.0, true
		}
		return int64(0), true
	case "numerator":
		return plus(v), !isFloat
	case "denominator":
		return int64(1), !isFloat
	case "is_integer":
		return &Function{Name: name, Call: func(a Args) (Value, error) {
			_, err := Bind(name, nil, 0, a)
			return f == float64(int64(f)), err
		}}, isFloat
	}
	return nil, false
}

// plus returns +v.
func plus(v Value) Value {
	if n, ok := toInt64(v); ok {
		return n
	}
	return v
}

// bound binds a method to its object.
func (r *Runtime) bound(t *method, name string, v Value) *Function {
	return &Function{Name: name, Call: func(a Args) (Value, error) { return t.apply(r, name, v, a) }}
}

// boundMarkup binds a method of text to markup: it escapes text arguments, and its text results
// are markup.
func (r *Runtime) boundMarkup(t *method, name string, v Markup) *Function {
	return &Function{Name: name, Call: func(a Args) (Value, error) {
		if name == "join" || name == "replace" {
			a.Pos = slices.Clone(a.Pos)
			for i, arg := range a.Pos {
				a.Pos[i] = escapeArgument(arg)
			}
		}
		result, err := t.apply(r, name, string(v), a)
		return asMarkup(result), err
	}}
}

// escapeArgument escapes text, or the texts of a list.
func escapeArgument(v Value) Value {
	switch v := v.(type) {
	case string:
		return escapeHTML(v)
	case *List:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item
			if s, ok := item.(string); ok {
				items[i] = escapeHTML(s)
			}
		}
		return &List{Items: items, Tuple: v.Tuple}
	}
	return v
}

// asMarkup turns text, or the texts of a list, into markup.
func asMarkup(v Value) Value {
	switch v := v.(type) {
	case string:
		return Markup(v)
	case *List:
		for i, item := range v.Items { // nobody else has v yet
			v.Items[i] = asMarkup(item)
		}
	}
	return v
}

// escapeHTML escapes the special characters of HTML.
func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

// Escape returns v as markup: its text, HTML-escaped unless v is markup already.
func (r *Runtime) Escape(v Value) (Markup, error) {
	if m, ok := v.(Markup); ok {
		return m, nil
	}
	s, err := r.Str(v)
	if err != nil {
		return "", err
	}
	s = escapeHTML(s)
	return Markup(s), r.Room(len(s))
}
