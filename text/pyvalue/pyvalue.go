// Package pyvalue has values that behave as those of Python do: their operators and methods,
// their order, how they are printed, formatted and written as JSON. Dicts keep their order,
// integers are long, and text is counted in code points. Markup and Undefined are those of
// markupsafe and jinja2.
//
// What is computed may come from a hostile program: a [Runtime] bounds the work and the
// memory, and nesting has an end.
package pyvalue

import (
	"errors"
	"fmt"
	"math/big"
)

// A Value is what Python would hold:
//
//	nil          None
//	bool         True, False
//	int64        int
//	*big.Int     int outside of int64
//	float64      float
//	string       str, valid UTF-8
//	Markup       markupsafe.Markup
//	*List        list, tuple
//	*Dict        dict
//	*Generator   generator
//	*Undefined   jinja2.Undefined
//	*Function    a function, or a method with its object
//	Object       what another package defines
//
// Ranges, and what dict.keys, values and items return, have types of their own. Nothing else
// is a value. No operation changes its operands, but that a generator is read once; so several
// goroutines may use the same values, but for generators.
type Value = any

// Markup is text that is safe in HTML. Text that joins it is escaped.
type Markup string

// A List is a list or a tuple. Whoever makes it may still add items; after that it does not
// change.
type List struct {
	Items  []Value
	Tuple  bool
	Fields []string // names of the items, if it is a named tuple
}

// NewTuple returns a tuple.
func NewTuple(items ...Value) *List { return &List{Items: items, Tuple: true} }

// A Generator is read once. Its items are made when it is first read.
type Generator struct {
	pending func() ([]Value, error) // makes the items; nil: they are made
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

// NewGenerator returns a generator of the items that pending makes when the first is read.
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

// An Undefined is what does not exist. Most uses of it fail.
type Undefined struct {
	Name    string // of the variable or attribute
	Of      string // what has no such attribute; empty: a variable
	Message string // in place of the message made of these
}

// Fault is the error of using v.
func (v *Undefined) Fault() error {
	switch {
	case v.Message != "":
		return errors.New(v.Message)
	case v.Of != "":
		return fmt.Errorf("%s has no attribute '%.100s'", v.Of, v.Name)
	}
	return fmt.Errorf("'%.100s' is undefined", v.Name)
}

// An Object is a value of a type that another package defines. Python's == compares it by
// identity, and it counts as true.
type Object interface {
	// TypeName names the type, as Python does.
	TypeName() string

	// Attribute returns an attribute or a method.
	Attribute(name string) (v Value, has bool, err error)
}

// A Printer is an [Object] that can be printed. Python prints the others as their addresses
// in memory, which is an error here.
type Printer interface {
	Object

	// Repr appends what Python's repr makes of the object. inner does so for what it holds.
	Repr(dst []byte, inner Append) ([]byte, error)
}

// Append appends a text of v to dst.
type Append func(dst []byte, v Value) ([]byte, error)

// TypeName names the type of v, as Python does.
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

// Truth is bool(v).
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
	return true // a big integer is not zero
}

// Len is len(v); has is false if v has no length.
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

// Items returns what a loop over v goes through, and reads generators to their end. The caller
// must not change it.
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
		items = characters(string(v)) // which are not markup
	case *interval:
		items = make([]Value, v.length()) // at most maxRange
		for i := range items {
			items[i] = v.start + int64(i)*v.step
		}
	case *Undefined:
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
func Text(v Value) (text string, is bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Markup:
		return string(v), true
	}
	return "", false
}
