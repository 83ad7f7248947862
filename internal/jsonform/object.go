package jsonform

import (
	"reflect"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A field says how to write a field of a struct.
type field struct {
	name  string // with the comma before it and the colon after it
	write writer
	empty func() bool // whether to omit it; nil: never
}

// object writes a struct. It leaves unusual ones to encoding/json: embedded pointers,
// repeated names, omitzero of interfaces, most uses of the option string.
func (c *compiler) object(v reflect.Value) writer {
	fields, plain := c.fields(v, nil)
	if !plain {
		return c.marshalled(v)
	}
	return func(dst []byte) []byte { return appendFields(dst, fields) }
}

// fields returns the fields of v after those before it. plain is false if encoding/json has to
// write the struct.
func (c *compiler) fields(v reflect.Value, fields []field) (all []field, plain bool) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		tag := sf.Tag.Get("json")
		if sf.Anonymous && (tag != "" || sf.Type.Kind() != reflect.Struct) {
			return nil, false
		}
		if sf.Anonymous {
			if fields, plain = c.fields(v.Field(i), fields); !plain {
				return nil, false
			}
			continue
		}
		if !sf.IsExported() || tag == "-" {
			continue
		}
		name, list, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = sf.Name
		}
		f, plain := c.field(v.Field(i), strings.Split(list, ","))
		f.name = string(c.text([]byte{','}, name)) + ":"
		if !plain || slices.ContainsFunc(fields, func(other field) bool { return other.name == f.name }) {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, true
}

// appendFields appends an object.
func appendFields(dst []byte, fields []field) []byte {
	start := len(dst)
	for i := range fields {
		f := &fields[i]
		if f.empty != nil && f.empty() {
			continue
		}
		dst = f.write(append(dst, f.name...))
	}
	if len(dst) == start {
		return append(dst, "{}"...)
	}
	dst[start] = '{' // replaces the first comma
	return append(dst, '}')
}

// field returns the field of v, a variable, by the options of its tag. plain is false if
// encoding/json has to write it.
func (c *compiler) field(v reflect.Value, options []string) (f field, plain bool) {
	f.write = c.writer(v)
	if slices.Contains(options, "string") {
		if t := v.Type(); !v.CanInt() && !v.CanUint() || t.Implements(marshaler) || t.Implements(textMarshaler) {
			return f, false
		}
		bare := f.write
		f.write = func(dst []byte) []byte { return append(bare(append(dst, '"')), '"') }
	}
	empty, zero := slices.Contains(options, "omitempty"), slices.Contains(options, "omitzero")
	if zero && v.Kind() == reflect.Interface {
		return f, false
	}
	isZero := zeroOf(v)
	if empty || zero {
		f.empty = func() bool { return empty && isEmpty(v) || zero && isZero() }
	}
	return f, true
}

// zeroOf returns a function that reports whether omitzero omits v, a variable but no interface.
func zeroOf(v reflect.Value) func() bool {
	type asked interface{ IsZero() bool }
	if own, is := reflect.TypeAssert[asked](v.Addr()); is {
		return own.IsZero
	}
	if v.Kind() == reflect.Pointer && v.Type().Implements(reflect.TypeFor[asked]()) {
		return func() bool { return v.IsNil() || v.Interface().(asked).IsZero() }
	}
	return v.IsZero
}

// isEmpty reports whether omitempty omits v.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Bool, reflect.Interface, reflect.Pointer:
		return v.IsZero()
	}
	return (v.CanInt() || v.CanUint() || v.CanFloat()) && v.IsZero()
}

// validName reports whether encoding/json accepts a name in a tag.
func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode15.IsLetter(r) && !unicode15.IsDigit(r)
	})
}
