// Package jsonform reads and writes JSON with the values, bytes and errors of encoding/json in Go 1.26,
// whichever toolchain builds it. Go 1.27 writes a byte that is not UTF-8 as a character instead of the escape
// \ufffd, escapes line ends of JavaScript in raw values, and has other error texts.
//
// The rest of the module calls this package in place of encoding/json: [Marshal] and [Unmarshal],
// [NewDecoder], and instead of an encoder [WriteLine], [WriteLegible], [WriteIndented] and [MarshalLegible].
// Valid, Compact, Indent and HTMLEscape of encoding/json are the same in both.
//
//   - Writing: encoding/json writes a value first. If it fails, or if its text has signs of a difference, an
//     [Encoder] writes the value again.
//   - Reading: encoding/json reads. If it refuses the text, this package looks for the fault itself: first for the
//     character at which the text stops being JSON, then for the value that does not fit its type.
//
// The package is also faster than encoding/json where records pass by the thousand. An [Encoder] works out once how a
// type is written. [Members], [Elements], [Text], [Int] and [Picker] read the usual forms of JSON. They report false
// for everything else, invalid or only unusual: the caller then calls Unmarshal.
package jsonform

import (
	"encoding/json"
	"reflect"
)

// An Encoder appends values as JSON, in the same bytes as [json.Marshal]. After the first
// value of a type it allocates nothing itself. It leaves unusual types to encoding/json: embedded pointers,
// map keys with MarshalText methods, and methods of pointers. It calls MarshalJSON and MarshalText methods.
//
// It is for one goroutine. The zero value is ready. It keeps a copy of the last value of
// each type.
type Encoder struct {
	plans   map[reflect.Type]*plan
	last    *plan // of the previous value
	fault   error // first error in the current value
	legible bool  // no escapes for HTML
	depth   int   // encoders around this one
}

// deepest limits the nesting of encoders. Encoding/json writes deeper values, and finds cycles.
const deepest = 1000

// A Box is a [json.Marshaler] around another value. Its MarshalJSON returns the JSON form
// of Value, unless that is nil.
type Box interface {
	json.Marshaler
	Value() any
}

// Append appends the JSON form of v. Its errors are those of [json.Marshal]; after one it
// returns dst unchanged. Passing a pointer saves the allocation of an interface.
func (e *Encoder) Append(dst []byte, v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if !value.IsValid() {
		return append(dst, "null"...), nil
	}
	if typ := value.Type(); e.last == nil || e.last.typ != typ {
		e.last = e.plan(typ)
	}
	if e.last.write == nil || e.depth > deepest {
		return e.appendMarshalled(dst, v)
	}
	e.fault = nil
	e.last.copy.Set(value)
	if written := e.last.write(dst); e.fault == nil {
		return written, nil
	}
	return dst, e.fault
}

// A plan says how the values of a type are written.
type plan struct {
	typ   reflect.Type
	copy  reflect.Value // a variable of the type, for a copy of the value
	write writer        // writes copy; nil: encoding/json writes the type
}

// plan returns the plan for a type.
func (e *Encoder) plan(typ reflect.Type) *plan {
	p, known := e.plans[typ]
	if known {
		return p
	}
	p = &plan{typ: typ}
	if typ.Kind() != reflect.Pointer && !needsAddress(typ, map[reflect.Type]bool{}) {
		p.copy = reflect.New(typ).Elem()
		p.write = (&compiler{encoder: e}).writer(p.copy)
	}
	if e.plans == nil {
		e.plans = map[reflect.Type]*plan{}
	}
	e.plans[typ] = p
	return p
}

// needsAddress reports whether t contains a type with a MarshalJSON or MarshalText on the
// pointer only. Encoding/json calls that only if the value is addressable.
func needsAddress(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return false
	case reflect.Pointer:
		return needsAddress(t.Elem(), seen)
	}
	for _, method := range []reflect.Type{marshaler, textMarshaler} {
		if reflect.PointerTo(t).Implements(method) && !t.Implements(method) {
			return true
		}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return needsAddress(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if needsAddress(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// appendMarshalled appends v as written by encoding/json.
func (e *Encoder) appendMarshalled(dst []byte, v any) ([]byte, error) {
	text, err := marshal(v, e.legible)
	if err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}
