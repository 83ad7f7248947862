package jsonform

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A writer appends the value of its one variable.
type writer func(dst []byte) []byte

// A compiler makes the writers of one type. A writer knows the address of its variable. A
// field lies in the plan's copy of the value. Writers copy the target of a pointer, and
// each element of a slice or map, to a variable first. So writing a field needs no
// reflection.
type compiler struct {
	encoder *Encoder
	within  []reflect.Type // the types that contain the current one
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	box           = reflect.TypeFor[Box]()
)

// at returns the address of v, a variable with the same underlying type as T.
func at[T any](v reflect.Value) *T {
	return v.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

// fail records the first error of a value.
func (c *compiler) fail(err error) {
	if c.encoder.fault == nil {
		c.encoder.fault = err
	}
}

// writer returns the writer of v, a variable.
func (c *compiler) writer(v reflect.Value) writer {
	t := v.Type()
	direct := v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return c.raw(v)
	case direct && t.Implements(box):
		return c.box(v)
	case direct && t.Implements(marshaler):
		return c.method(v)
	case t == reflect.TypeFor[json.Number]():
		return c.number(v)
	case !direct && t.Implements(marshaler):
		return c.marshalled(v)
	case t.Implements(textMarshaler):
		return c.named(v)
	case t.Kind() == reflect.Interface, slices.Contains(c.within, t):
		return c.nested(v)
	}
	c.within = append(c.within, t)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	switch t.Kind() {
	case reflect.Struct:
		return c.object(v)
	case reflect.Slice:
		return c.slice(v)
	case reflect.Array:
		return c.elements(v)
	case reflect.Map:
		return c.dictionary(v)
	case reflect.Pointer:
		return c.pointer(v)
	}
	return c.scalar(v)
}

// marshalled leaves v to encoding/json.
func (c *compiler) marshalled(v reflect.Value) writer {
	return func(dst []byte) []byte {
		dst, err := c.encoder.appendMarshalled(dst, v.Interface())
		if err != nil {
			c.fail(err)
		}
		return dst
	}
}

// inner returns an encoder for a value within the current one.
func (c *compiler) inner() *Encoder {
	return &Encoder{legible: c.encoder.legible, depth: c.encoder.depth + 1}
}

// text appends a text as a JSON string.
func (c *compiler) text(dst []byte, text string) []byte {
	if c.encoder.legible {
		return AppendLegible(dst, text)
	}
	return AppendText(dst, text)
}

// named writes the text that v's MarshalText returns.
func (c *compiler) named(v reflect.Value) writer {
	otherwise := c.marshalled(v)
	return func(dst []byte) []byte {
		if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
			return append(dst, "null"...)
		}
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return otherwise(dst)
		}
		return c.text(dst, string(text))
	}
}

// nested writes v, an interface or a value of a type around it, with an encoder of its own.
func (c *compiler) nested(v reflect.Value) writer {
	var encoder *Encoder // made when it is needed: the type may contain itself
	return func(dst []byte) []byte {
		if encoder == nil {
			encoder = c.inner()
		}
		dst, err := encoder.Append(dst, v.Interface())
		if err != nil {
			c.fail(err)
		}
		return dst
	}
}

// method writes what v's MarshalJSON returns.
func (c *compiler) method(v reflect.Value) writer {
	m := v.Addr().Interface().(json.Marshaler)
	return func(dst []byte) []byte {
		dst, err := c.encoder.appendMethod(dst, m)
		if err != nil {
			c.fail(&json.MarshalerError{Type: v.Type(), Err: err})
		}
		return dst
	}
}

// appendMethod appends the result of m's MarshalJSON.
func (e *Encoder) appendMethod(dst []byte, m json.Marshaler) ([]byte, error) {
	text, err := m.MarshalJSON()
	if err != nil {
		return dst, err
	}
	return e.appendCompact(dst, text)
}

// box writes the value of the box v. It has its own encoder, since the value may have the
// type of one around the box.
func (c *compiler) box(v reflect.Value) writer {
	encoder := &Encoder{depth: c.encoder.depth + 1} // with escapes for HTML, as its method has them
	boxed, otherwise := v.Addr().Interface().(Box), c.method(v)
	return func(dst []byte) []byte {
		held := boxed.Value()
		if held == nil {
			return otherwise(dst)
		}
		written, err := encoder.Append(dst, held)
		if err != nil {
			return otherwise(dst)
		}
		return written
	}
}

// raw writes text that is already JSON. The same text often repeats: all problems of a
// level contain its parameters.
func (c *compiler) raw(v reflect.Value) writer {
	const most = 4 << 10 // longest text to remember, in bytes
	text := at[json.RawMessage](v)
	var before, written []byte
	return func(dst []byte) []byte {
		if len(*text) > 0 && bytes.Equal(*text, before) {
			return append(dst, written...)
		}
		start := len(dst)
		valid := *text
		if valid == nil {
			valid = []byte("null")
		}
		dst, err := c.encoder.appendCompact(dst, valid)
		if err != nil {
			c.fail(&json.MarshalerError{Type: v.Type(), Err: err})
		} else if len(valid) <= most {
			before, written = append(before[:0], *text...), append(written[:0], dst[start:]...)
		}
		return dst
	}
}

// number writes a json.Number.
func (c *compiler) number(v reflect.Value) writer {
	text, otherwise := at[string](v), c.marshalled(v)
	return func(dst []byte) []byte {
		if n := len(*text); n == 0 || strings.Trim(*text, "0123456789") != "" || n > 1 && (*text)[0] == '0' {
			return otherwise(dst)
		}
		return append(dst, *text...)
	}
}

// pointer writes the target of v.
func (c *compiler) pointer(v reflect.Value) writer {
	held := reflect.New(v.Type().Elem()).Elem()
	write := c.writer(held)
	return func(dst []byte) []byte {
		if v.IsNil() {
			return append(dst, "null"...)
		}
		held.Set(v.Elem())
		return write(dst)
	}
}

func (c *compiler) slice(v reflect.Value) writer {
	var write writer
	switch elem := v.Type().Elem(); {
	case elem.Kind() == reflect.Uint8 && !elem.Implements(marshaler) && !elem.Implements(textMarshaler):
		write = base64Writer(v)
	case elem == reflect.TypeFor[int]():
		write = listWriter(at[[]int](v), appendInt)
	case elem == reflect.TypeFor[[]int]():
		write = listWriter(at[[][]int](v), appendInts)
	case elem == reflect.TypeFor[string]():
		write = listWriter(at[[]string](v), c.text)
	case elem == reflect.TypeFor[[]string]():
		write = listWriter(at[[][]string](v), c.texts)
	default:
		write = c.elements(v)
	}
	return func(dst []byte) []byte {
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return write(dst)
	}
}

// base64Writer writes a slice of bytes.
func base64Writer(v reflect.Value) writer {
	return func(dst []byte) []byte {
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes()), '"')
	}
}

// listWriter writes a list; add appends an element.
func listWriter[T any](list *[]T, add func([]byte, T) []byte) writer {
	return func(dst []byte) []byte { return AppendList(dst, *list, add) }
}

// AppendList appends list as an array, [] if it is nil; add appends an element.
func AppendList[T any](dst []byte, list []T, add func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, one := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = add(dst, one)
	}
	return append(dst, ']')
}

// elements writes the elements of an array or slice. It copies each to the same variable.
func (c *compiler) elements(v reflect.Value) writer {
	held := reflect.New(v.Type().Elem()).Elem()
	write := c.writer(held)
	return func(dst []byte) []byte {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			held.Set(v.Index(i))
			dst = write(dst)
		}
		return append(dst, ']')
	}
}

// A member is a written entry of a map.
type member struct {
	name     string
	from, to int // place of the value in a buffer
}

// dictionary writes a map in the order of its keys.
func (c *compiler) dictionary(v reflect.Value) writer {
	key, held := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	name, write := nameOf(key), c.writer(held)
	if name == nil {
		return c.marshalled(v)
	}
	var iter reflect.MapIter
	var members []member
	var values []byte
	return func(dst []byte) []byte {
		if v.IsNil() {
			return append(dst, "null"...)
		}
		members, values = members[:0], values[:0]
		for iter.Reset(v); iter.Next(); {
			key.SetIterKey(&iter)
			held.SetIterValue(&iter)
			from := len(values)
			values = write(values)
			members = append(members, member{name(), from, len(values)})
		}
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(c.text(dst, m.name), ':'), values[m.from:m.to]...)
		}
		return append(dst, '}')
	}
}

// nameOf returns a function that names the current key of a map, a variable; nil: encoding/json names it.
func nameOf(key reflect.Value) func() string {
	switch {
	case key.Kind() == reflect.String:
		return key.String
	case key.Type().Implements(textMarshaler):
		return nil
	case key.CanInt():
		return func() string { return strconv.FormatInt(key.Int(), 10) }
	case key.CanUint():
		return func() string { return strconv.FormatUint(key.Uint(), 10) }
	}
	return nil
}
