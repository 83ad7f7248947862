package chattemplate

import (
	"errors"
	"fmt"
	"math/big"
)

// A value is what Python would hold:
//
//	nil          None
//	bool         True, False
//	int64        int
//	*big.Int     int outside of int64
//	float64      float
//	string       str, valid UTF-8
//	markup       markupsafe.Markup
//	*list        list, tuple
//	*dict        dict
//	*view        what dict.keys, values and items return
//	*interval    range
//	*generator   what many filters return
//	*undefined   jinja2.Undefined
//	*namespace, *loop, *macro, *cycler, *joiner, *function
//
// No template changes a value, but for a namespace, and for a generator, which is read once.
type value = any

// markup is text that is safe in HTML. Text that joins it is escaped.
type markup string

// A list is a list or a tuple.
type list struct {
	items []value
	tuple bool
	group bool // a tuple of the filter groupby, whose items have names
}

// newTuple returns a tuple.
func newTuple(items ...value) *list { return &list{items: items, tuple: true} }

// A generator is read once. Its items are made when it is first read.
type generator struct {
	pending func() ([]value, error) // makes the items; nil: they are made
	items   []value
}

// start makes the items.
func (g *generator) start() (err error) {
	if g.pending != nil {
		g.items, err = g.pending()
		g.pending = nil
	}
	return err
}

// An interval is a range.
type interval struct{ start, stop, step int64 }

// length returns the number of items.
func (v *interval) length() int64 {
	switch {
	case v.step > 0 && v.start < v.stop:
		return (v.stop-v.start-1)/v.step + 1
	case v.step < 0 && v.start > v.stop:
		return (v.start-v.stop-1)/-v.step + 1
	}
	return 0
}

// An undefined is what does not exist. Most uses of it fail.
type undefined struct {
	name    string // of the variable or attribute
	of      string // what has no such attribute; empty: a variable
	message string // in place of the message made of these
}

// fault says that v was used.
func (v *undefined) fault() error {
	switch {
	case v.message != "":
		return errors.New(v.message)
	case v.of != "":
		return fmt.Errorf("%s has no attribute '%.100s'", v.of, v.name)
	}
	return fmt.Errorf("'%.100s' is undefined", v.name)
}

// A namespace holds what may be set from inner scopes.
type namespace struct{ dict *dict }

// A function is a function, or a method with its object.
type function struct {
	name  string
	class string // of Python, if the function makes objects; that is how it is printed
	call  func(r *run, a args) (value, error)
}

// args are the arguments of a call.
type args struct {
	pos   []value
	names []string // of the keyword arguments
	named []value
}

// typeName names the type of v, as Python does.
func typeName(v value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case *list:
		if v.tuple {
			return "tuple"
		}
		return "list"
	case *dict:
		return "dict"
	case *view:
		return "dict_" + v.kind
	case *interval:
		return "range"
	case *generator:
		return "generator"
	case *undefined:
		return "Undefined"
	case *namespace:
		return "Namespace"
	case *loop:
		return "LoopContext"
	case *macro:
		return "Macro"
	case *cycler:
		return "Cycler"
	case *joiner:
		return "Joiner"
	}
	return "function"
}

// truth reports whether v counts as true.
func truth(v value) bool {
	switch v := v.(type) {
	case nil, *undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	case *list:
		return len(v.items) > 0
	case *dict:
		return v.length() > 0
	case *view:
		return v.dict.length() > 0
	case *interval:
		return v.length() > 0
	}
	return true // a big integer is not zero
}

// size returns the length of v; has is false if it has none.
func size(v value) (n int64, has bool) {
	switch v := v.(type) {
	case string:
		return int64(runeCount(v)), true
	case markup:
		return int64(runeCount(string(v))), true
	case *list:
		return int64(len(v.items)), true
	case *dict:
		return int64(v.length()), true
	case *view:
		return int64(v.dict.length()), true
	case *interval:
		return v.length(), true
	case *undefined:
		return 0, true
	case *loop:
		return 0, false
	}
	return 0, false
}

// items returns what a loop over v goes through. The caller must not change it.
func (r *run) items(v value) (items []value, err error) {
	switch v := v.(type) {
	case *list:
		items = v.items
	case *dict:
		items = v.keys
	case *view:
		items = v.items()
	case *generator:
		err = v.start()
		items, v.items = v.items, nil
	case string:
		items = characters(v)
	case markup:
		items = characters(string(v)) // which are not markup
	case *interval:
		items = make([]value, v.length()) // at most maxRange
		for i := range items {
			items[i] = v.start + int64(i)*v.step
		}
	case *undefined:
	default:
		return nil, fmt.Errorf("'%s' object is not iterable", typeName(v))
	}
	if err != nil {
		return nil, err
	}
	return items, r.spend(len(items))
}

// characters returns the characters of s.
func characters(s string) []value {
	items := make([]value, 0, len(s))
	for _, c := range s {
		items = append(items, string(c))
	}
	return items
}

// plain returns the text of v if v is a string or markup.
func plain(v value) (text string, is bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}
