// Package jsonform writes plain values as JSON, and takes JSON apart, at a fraction of
// the cost of encoding/json. What it writes is what encoding/json writes, byte for byte;
// what it reads, encoding/json reads the same.
//
// An [Encoder] works out once how a type is written. [Members], [Text] and [Int] read
// the usual forms of JSON and report false for everything else, be it invalid or merely
// unusual: the caller then leaves the text to encoding/json, whose values and errors
// count.
package jsonform

import (
	"encoding/json"
	"reflect"
)

// An Encoder appends values in their JSON form, byte for byte as [json.Marshal] writes
// them. After the first value of a type it allocates nothing, but for what it leaves to
// encoding/json (interfaces, embedded fields, types that contain themselves) and to the
// MarshalJSON methods of others.
//
// It is for one goroutine; the zero value is ready. It holds on to a copy of the last
// value of each type.
type Encoder struct {
	plans map[reflect.Type]*plan
	last  *plan // that of the value before
	fault error // the first one in the value that is being written
}

// A Box is a [json.Marshaler] that is written as the value it holds: its MarshalJSON
// gives the JSON form of Value, unless that is nil.
type Box interface {
	json.Marshaler
	Value() any
}

// Append appends the JSON form of v. After an error, which is that of [json.Marshal], it
// returns dst as it was. To hand in a pointer saves the allocation that an interface
// costs otherwise.
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

// A plan says how the values of a type are written.
type plan struct {
	typ   reflect.Type
	copy  reflect.Value // a variable of the type, to which the value is copied
	write writer        // writes what is in copy; nil: encoding/json writes the type
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

// needsAddress reports whether t contains a type with a MarshalJSON or MarshalText of its
// pointer alone. Encoding/json calls that only if the value has an address, which depends
// on the way to it.
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

// appendMarshalled appends what encoding/json makes of v.
func appendMarshalled(dst []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}
