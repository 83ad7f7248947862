package jsonform

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Reader reads texts into new values of a type, with the results of [Unmarshal], in a third of its
// time. It works out once how the type is read. Unusual texts it leaves to Unmarshal: with names that
// are repeated or unknown, or numbers of more than 18 digits or, on 32 bits, above an int. Many goroutines may use it.
type Reader[T any] struct{ fill filler }

// NewReader returns a reader of T.
func NewReader[T any]() *Reader[T] {
	return &Reader[T]{new(fillers).of(reflect.TypeFor[T]())}
}

// Read reads a text, and keeps nothing of it.
func (r *Reader[T]) Read(text []byte) (T, error) {
	var v, other T
	s := scanner{text: text}
	if r.fill(&s, reflect.ValueOf(&v).Elem()) && s.next() == 0 && s.at == len(text) {
		return v, nil
	}
	err := Unmarshal(text, &other)
	return other, err
}

// A filler reads the next value of a scanner into v, a variable with the value zero. It reports
// false for a value that is invalid or only unusual.
type filler func(s *scanner, v reflect.Value) bool

// fillers makes the fillers of one type.
type fillers struct{ within []reflect.Type } // the types that contain the current one

// of returns the filler of a type.
func (f *fillers) of(t reflect.Type) filler {
	switch to := reflect.PointerTo(t); {
	case to.Implements(unmarshaler):
		return fillByMethod
	case to.Implements(textUnmarshaler), t == reflect.TypeFor[json.Number](), slices.Contains(f.within, t):
		return fillOtherwise
	}
	f.within = append(f.within, t)
	defer func() { f.within = f.within[:len(f.within)-1] }()
	switch t.Kind() {
	case reflect.Struct:
		return f.object(t)
	case reflect.Slice:
		return f.list(t)
	case reflect.Pointer:
		return f.pointer(t)
	}
	return scalarFiller(t)
}

// scalarFiller returns the filler of a type without inner values.
func scalarFiller(t reflect.Type) filler {
	switch zero := reflect.Zero(t); {
	case t.Kind() == reflect.String:
		return unlessNull(fillText)
	case t.Kind() == reflect.Bool:
		return unlessNull(fillTruth)
	case zero.CanInt():
		return unlessNull(fillInt)
	case zero.CanUint():
		return unlessNull(fillUint)
	case zero.CanFloat():
		return unlessNull(fillFloat)
	}
	return fillOtherwise
}

// null skips a null, which leaves a variable as it is.
func (s *scanner) null() bool { return s.next() == 'n' && s.word("null") }

// raw skips a value and returns its text; nil: it is invalid.
func (s *scanner) raw() []byte {
	s.next()
	from := s.at
	if !s.value(0) {
		return nil
	}
	return s.text[from:s.at]
}

// unlessNull returns the filler that reads valid values by read.
func unlessNull(read func(value []byte, v reflect.Value) bool) filler {
	return func(s *scanner, v reflect.Value) bool {
		if s.null() {
			return true
		}
		value := s.raw()
		return value != nil && read(value, v)
	}
}

func fillText(value []byte, v reflect.Value) bool {
	text, plain := Text(value)
	v.SetString(text)
	return plain
}

func fillTruth(value []byte, v reflect.Value) bool {
	v.SetBool(string(value) == "true")
	return value[0] == 't' || value[0] == 'f'
}

func fillInt(value []byte, v reflect.Value) bool {
	n, plain := Int(value)
	if !plain || v.OverflowInt(int64(n)) {
		return false
	}
	v.SetInt(int64(n))
	return true
}

func fillUint(value []byte, v reflect.Value) bool {
	n, plain := Int(value)
	if !plain || value[0] == '-' || v.OverflowUint(uint64(n)) {
		return false
	}
	v.SetUint(uint64(n))
	return true
}

func fillFloat(value []byte, v reflect.Value) bool {
	f, err := strconv.ParseFloat(string(value), v.Type().Bits())
	v.SetFloat(f)
	return err == nil
}

// fillByMethod has v's UnmarshalJSON read a value.
func fillByMethod(s *scanner, v reflect.Value) bool {
	value := s.raw()
	return value != nil && v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(value) == nil
}

// fillOtherwise has encoding/json read a value.
func fillOtherwise(s *scanner, v reflect.Value) bool {
	value := s.raw()
	return value != nil && json.Unmarshal(value, v.Addr().Interface()) == nil
}

// pointer returns the filler of a pointer.
func (f *fillers) pointer(t reflect.Type) filler {
	to := f.of(t.Elem())
	return func(s *scanner, v reflect.Value) bool {
		if s.null() {
			return true
		}
		v.Set(reflect.New(t.Elem()))
		return to(s, v.Elem())
	}
}

// list returns the filler of a slice.
func (f *fillers) list(t reflect.Type) filler {
	if t.Elem().Kind() == reflect.Uint8 { // perhaps in base64
		return fillOtherwise
	}
	one := f.of(t.Elem())
	return func(s *scanner, v reflect.Value) bool {
		if s.null() {
			return true
		}
		if s.next() != '[' {
			return false
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		return s.each(']', func(n int) bool {
			v.Grow(1)
			v.SetLen(n + 1)
			return one(s, v.Index(n))
		})
	}
}

// each skips what opens a list or an object, reads what is in it, and skips its end.
func (s *scanner) each(end byte, read func(n int) bool) bool {
	s.at++
	if s.next() == end {
		s.at++
		return true
	}
	for n := 0; ; n++ {
		if !read(n) {
			return false
		}
		switch s.next() {
		case ',':
			s.at++
		case end:
			s.at++
			return true
		default:
			return false
		}
	}
}

// A slot is a field of a struct, to read.
type slot struct {
	name  []byte
	index int // of the field
	fill  filler
}

// mostSlots is the number of fields that a struct may have.
const mostSlots = 64

// object returns the filler of a struct. It leaves unusual ones to encoding/json: embedded structs,
// most uses of the option string.
func (f *fillers) object(t reflect.Type) filler {
	var all []slot
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		if sf.Anonymous {
			return fillOtherwise
		}
		if !sf.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = sf.Name
		}
		one := slot{[]byte(name), i, f.of(sf.Type)}
		if slices.Contains(strings.Split(options, ","), "string") {
			one.fill = quotedFiller(sf.Type)
		}
		if one.fill == nil || slices.ContainsFunc(all, func(other slot) bool { return bytes.EqualFold(one.name, other.name) }) {
			return fillOtherwise
		}
		all = append(all, one)
	}
	if len(all) > mostSlots {
		return fillOtherwise
	}
	return func(s *scanner, v reflect.Value) bool { return s.null() || s.next() == '{' && s.members(all, v) }
}

// quotedFiller returns the filler of a number in quotes; nil: encoding/json has to read the struct.
func quotedFiller(t reflect.Type) filler {
	read := fillInt
	switch zero := reflect.Zero(t); {
	case reflect.PointerTo(t).Implements(unmarshaler), reflect.PointerTo(t).Implements(textUnmarshaler):
		return nil
	case zero.CanUint():
		read = fillUint
	case !zero.CanInt():
		return nil
	}
	return unlessNull(func(value []byte, v reflect.Value) bool {
		if len(value) < 3 || value[0] != '"' {
			return false
		}
		digits := value[1 : len(value)-1]
		n, plain := Int(digits)
		return plain && strconv.Itoa(n) == string(digits) && read(digits, v)
	})
}

// members reads the members of an object into the fields of v, mostly in their order.
func (s *scanner) members(all []slot, v reflect.Value) bool {
	next, seen := 0, uint64(0)
	return s.each('}', func(int) bool {
		if s.next() != '"' {
			return false
		}
		name, valid := s.quoted()
		if !valid || s.next() != ':' {
			return false
		}
		s.at++
		for range all {
			at := next % len(all)
			next++
			if one := &all[at]; bytes.Equal(one.name, name) {
				again := seen>>at&1 != 0
				seen |= 1 << at
				return !again && one.fill(s, v.Field(one.index))
			}
		}
		return false
	})
}
