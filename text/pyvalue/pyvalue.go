// Package pyvalue holds values that behave like Python's: their operators and methods, their
// order, how they print, format and encode as JSON. Dicts keep their order, integers are long,
// and text counts code points. Markup and Undefined are those of markupsafe and jinja2.
//
// The computation may be a hostile program: a [Runtime] bounds work and memory, and nesting
// has a limit.
package pyvalue

import (
	"errors"
	"fmt"
	"math/big"
)

// A Value is a Python value:
//
//	nil          None
//	bool         True, False
//	int64        int
//	*big.Int     int beyond int64
//	float64      float
//	string       str, valid UTF-8
//	Markup       markupsafe.Markup
//	*List        list, tuple
//	*Dict        dict
//	*Generator   generator
//	*Undefined   jinja2.Undefined
//	*Function    a function, or a method with its object
//	Object       a type of another package
//
// Ranges, and the results of dict.keys, values and items, have types of their own. There are
// no other values. No operation changes its operands, except that a generator is read once; so
// goroutines may share all values but generators.
type Value = any

// Markup is HTML-safe text. Joining it with text escapes the text.
type Markup string

// A List is a list or a tuple. Its creator may still add items; after that it does not change.
type List struct {
	Items  []Value
	Tuple  bool
	Fields []string // item names of a named tuple
}

// NewTuple returns a tuple.
func NewTuple(items ...Value) *List { return &List{Items: items, Tuple: true} }

// A Generator yields its items once. It makes them at the first read.
type Generator struct {
	pending func() ([]Value, error) // makes the items; nil: done
	items   []Value
}

// start makes the items.
func (g *Generator) start() (err error) {
	if g.pending != nil {
		g.items, err = g.pending()
		g.pending = nil
	}
	return err
}

// NewGenerator returns a generator that makes its items with pending, at the first read.
func NewGenerator(pending func() ([]Value, error)) *Generator { return &Generator{pending: pending} }

// Next reads an item; has is false at the end.
func (g *Generator) Next() (item Value, has bool, err error) {
	if err := g.start(); err != nil || len(g.items) == 0 {
		return nil, false, err
	}
	item, g.items = g.items[0], g.items[1:]
	return item, true, nil
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

// An Undefined stands for a missing variable or attribute. Most uses of it fail.
type Undefined struct {
	Name    string // of the variable or attribute
	Of      string // the type without the attribute; empty: a variable
	Message string // replaces the default message
}

// Fault returns the error of using v.
func (v *Undefined) Fault() error {
	switch {
	case v.Message != "":
		return errors.New(v.Message)
	case v.Of != "":
		return fmt.Errorf("%s has no attribute '%.100s'", v.Of, v.Name)
	}
	return fmt.Errorf("'%.100s' is undefined", v.Name)
}

// An Object is a value of a type from another package. Python's == compares it by identity,
// and it counts as true.
type Object interface {
	// TypeName returns Python's name of the type.
	TypeName() string

	// Attribute returns an attribute or a method.
	Attribute(name string) (v Value, has bool, err error)
}

// A Printer is an [Object] that can print. Python prints others as their addresses in memory;
// here that is an error.
type Printer interface {
	Object

	// Repr appends Python's repr of the object. inner does so for its contents.
	Repr(dst []byte, inner Append) ([]byte, error)
}

// Append appends a text of v to dst.
type Append func(dst []byte, v Value) ([]byte, error)

// TypeName returns Python's name of the type of v.
func TypeName(v Value) string {
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
	case Markup:
		return "Markup"
	case *List:
		if v.Tuple {
			return "tuple"
		}
		return "list"
	case *Dict:
		return "dict"
	case *view:
		return "dict_" + v.kind
	case *interval:
		return "range"
	case *Generator:
		return "generator"
	case *Undefined:
		return "Undefined"
	case Object:
		return v.TypeName()
	}
	return "function"
}

// Truth returns bool(v).
func Truth(v Value) bool {
	switch v := v.(type) {
	case nil, *Undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case Markup:
		return v != ""
	case *List:
		return len(v.Items) > 0
	case *Dict:
		return v.length() > 0
	case *view:
		return v.dict.length() > 0
	case *interval:
		return v.length() > 0
	}
	return true // never zero
}

// Len returns len(v); has is false if v has no length.
func Len(v Value) (n int64, has bool) {
	switch v := v.(type) {
	case string:
		return int64(runeCount(v)), true
	case Markup:
		return int64(runeCount(string(v))), true
	case *List:
		return int64(len(v.Items)), true
	case *Dict:
		return int64(v.length()), true
	case *view:
		return int64(v.dict.length()), true
	case *interval:
		return v.length(), true
	case *Undefined:
		return 0, true
	}
	return 0, false
}

// Items returns the items of a loop over v, and reads generators to their end. The caller must
// not change it.
func (r *Runtime) Items(v Value) (items []Value, err error) {
	switch v := v.(type) {
	case *List:
		items = v.Items
	case *Dict:
		items = v.keys
	case *view:
		items = v.items()
	case *Generator:
		err = v.start()
		items, v.items = v.items, nil
	case string:
		items = characters(v)
	case Markup:
		items = characters(string(v)) // these are not markup
	case *interval:
		items = make([]Value, v.length()) // at most maxRange
		for i := range items {
			items[i] = v.start + int64(i)*v.step
		}
	case *Undefined:
		items = nil
	default:
		return nil, fmt.Errorf("'%s' object is not iterable", TypeName(v))
	}
	if err != nil {
		return nil, err
	}
	return items, r.Spend(len(items))
}

// characters returns the characters of s.
func characters(s string) []Value {
	items := make([]Value, 0, len(s))
	for _, c := range s {
		items = append(items, string(c))
	}
	return items
}

// Text returns the text of v if v is a string or markup.
func Text(v Value) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Markup:
		return string(v), true
	}
	return "", false
}
