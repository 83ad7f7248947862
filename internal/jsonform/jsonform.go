// Package jsonform writes plain values as JSON, and reads parts of JSON texts, at a
// fraction of the cost of encoding/json. It writes the bytes and the errors of encoding/json
// in Go 1.26, whichever toolchain builds it: Go 1.27 writes a byte that is not UTF-8 as a
// character instead of \ufffd, and has other errors. It reads the same values.
//
// The rest of the module uses [Marshal], [Unmarshal] and [NewDecoder] in place of the functions
// of encoding/json with the same names.
//
// An [Encoder] works out once how a type is written. [Members], [Elements],
// [Text] and [Int] read the usual forms of JSON. They report false for everything else,
// whether it is invalid or only unusual: the caller then uses encoding/json.
package jsonform

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// An Encoder appends values as JSON, in the same bytes as [json.Marshal]. After the first
// value of a type it allocates nothing itself. It leaves unusual types to encoding/json: embedded pointers,
// maps whose keys are no texts, MarshalText methods and methods of pointers. It calls
// MarshalJSON methods.
//
// It is for one goroutine. The zero value is ready. It keeps a copy of the last value of
// each type.
type Encoder struct {
	plans map[reflect.Type]*plan
	last  *plan // of the previous value
	fault error // first error in the current value
}

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
	if e.last.write == nil {
		return appendMarshalled(dst, v)
	}
	e.fault = nil
	e.last.copy.Set(value)
	if written := e.last.write(dst); e.fault == nil {
		return written, nil
	}
	return dst, e.fault
}

// Marshal returns the JSON form of v, as an [Encoder] writes it.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil || bytes.Contains(text, []byte("\ufffd")) { // Go 1.27 may have put it in place of a byte
		return new(Encoder).Append(nil, v)
	}
	return text, nil
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
func appendMarshalled(dst []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}
