package chattemplate

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// mutators are the methods of Python that change their object. The sandbox keeps
// templates from them.
var mutators = map[string][]string{
	"list": {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
	"dict": {"clear", "pop", "popitem", "setdefault", "update"},
}

// attribute returns v.name: the attribute or method of that name, or else the item.
func (r *run) attribute(v value, name string) (value, error) {
	if own, has, err := r.own(v, name); has || err != nil {
		return own, err
	}
	if d, is := v.(*dict); is {
		if item, has := d.text(name); has {
			return item, nil
		}
	}
	return absent(v, name), nil
}

// item returns v[key]: the item, or else the attribute or method of that name.
func (r *run) item(v, key value) (value, error) {
	if u, is := v.(*undefined); is {
		return nil, u.fault()
	}
	if s, is := plain(v); is { // whose characters are counted
		if err := r.spend(len(s) / 16); err != nil {
			return nil, err
		}
	}
	if item, has := r.subscript(v, key); has {
		return item, nil
	}
	name, is := plain(key)
	if !is {
		text, err := r.str(key)
		if err != nil {
			text = typeName(key)
		}
		return absent(v, text), nil
	}
	if own, has, err := r.own(v, name); has || err != nil {
		return own, err
	}
	return absent(v, name), nil
}

// absent is the attribute or item that v does not have.
func absent(v value, name string) *undefined {
	return &undefined{name: name, of: "'" + typeName(v) + " object'"}
}

// subscript returns v[key] if v has it.
func (r *run) subscript(v, key value) (item value, has bool) {
	if d, is := v.(*dict); is {
		item, has, _ = d.get(r, key) // a key that is not hashable is none of its keys
		return item, has
	}
	i, is := toInt64(key)
	if !is {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		c, has := charAt(v, i)
		return c, has
	case markup:
		c, has := charAt(string(v), i)
		return markup(c), has
	case *list:
		if i < 0 {
			i += int64(len(v.items))
		}
		if i < 0 || i >= int64(len(v.items)) {
			return nil, false
		}
		return v.items[i], true
	case *interval:
		n := v.length()
		if i < 0 {
			i += n
		}
		return v.start + i*v.step, 0 <= i && i < n
	}
	return nil, false
}

// own returns the attribute or method of v with a name.
func (r *run) own(v value, name string) (own value, has bool, err error) {
	switch v := v.(type) {
	case *undefined:
		return nil, true, v.fault()
	case string:
		if t, has := textMethods[name]; has {
			return method(t, name, v), true, nil
		}
	case markup:
		if t, has := textMethods[name]; has {
			return markupMethod(t, name, v), true, nil
		}
	case *dict:
		if t, has := dictMethods[name]; has {
			return method(t, name, v), true, nil
		}
	case *list:
		if t, has := listMethods[name]; has {
			return method(t, name, v), true, nil
		}
		if v.group && (name == "grouper" || name == "list") {
			return v.items[slices.Index([]string{"grouper", "list"}, name)], true, nil
		}
	case *namespace:
		own, has = v.dict.text(name)
	case *loop:
		own, has, err = v.attribute(name)
	case *macro:
		own, has = v.attribute(name)
	case *cycler:
		own, has = v.attribute(name)
	case *interval:
		own, has = map[string]value{"start": v.start, "stop": v.stop, "step": v.step}[name]
	case bool, int64, *big.Int, float64:
		own, has = numberAttribute(v, name)
	}
	if unsafe := slices.Contains(mutators[typeName(v)], name) || strings.HasPrefix(name, "_") && has || slices.Contains(internals, name); unsafe {
		return &undefined{message: fmt.Sprintf("access to attribute '%.100s' of '%s' object is unsafe", name, typeName(v))}, true, err
	}
	return own, has, err
}

// internals are the attributes that all objects of Python have.
var internals = []string{
	"__class__", "__delattr__", "__dir__", "__doc__", "__eq__", "__format__", "__ge__", "__getattribute__", "__getstate__",
	"__gt__", "__hash__", "__init__", "__init_subclass__", "__le__", "__lt__", "__ne__", "__new__", "__reduce__",
	"__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__str__", "__subclasshook__",
}

// numberAttribute returns an attribute of a number.
func numberAttribute(v value, name string) (value, bool) {
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
		return &function{name: name, call: func(_ *run, a args) (value, error) {
			_, err := bind(name, nil, 0, a)
			return f == float64(int64(f)), err
		}}, isFloat
	}
	return nil, false
}

// plus returns +v.
func plus(v value) value {
	if n, is := toInt64(v); is {
		return n
	}
	return v
}

// method binds a method to its object.
func method(t *routine, name string, v value) *function {
	return &function{name: name, call: func(r *run, a args) (value, error) { return t.apply(r, name, v, a) }}
}

// markupMethod binds a method of text to markup: the texts that it returns are markup, and
// those that it takes in are escaped.
func markupMethod(t *routine, name string, v markup) *function {
	return &function{name: name, call: func(r *run, a args) (value, error) {
		if name == "join" || name == "replace" {
			a.pos = slices.Clone(a.pos)
			for i, arg := range a.pos {
				a.pos[i] = escapeArgument(arg)
			}
		}
		result, err := t.apply(r, name, string(v), a)
		return asMarkup(result), err
	}}
}

// escapeArgument escapes text, or the texts of a list.
func escapeArgument(v value) value {
	switch v := v.(type) {
	case string:
		return escapeHTML(v)
	case *list:
		items := make([]value, len(v.items))
		for i, item := range v.items {
			items[i] = item
			if s, is := item.(string); is {
				items[i] = escapeHTML(s)
			}
		}
		return &list{items: items, tuple: v.tuple}
	}
	return v
}

// asMarkup makes markup of text, or of the texts of a list.
func asMarkup(v value) value {
	switch v := v.(type) {
	case string:
		return markup(v)
	case *list:
		for i, item := range v.items { // which nobody else has yet
			v.items[i] = asMarkup(item)
		}
	}
	return v
}

// escapeHTML escapes the characters that mean something in HTML.
func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

// escaped returns the text of v as markup.
func (r *run) escaped(v value) (markup, error) {
	if m, is := v.(markup); is {
		return m, nil
	}
	s, err := r.str(v)
	if err != nil {
		return "", err
	}
	s = escapeHTML(s)
	return markup(s), r.room(len(s))
}
