package gguf

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A kind is the type of a value, by the format's number.
type kind uint32

const (
	kindUint8 kind = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindText
	kindArray
	kindUint64
	kindInt64
	kindFloat64
)

// width returns the number of bytes of a value; 0: it varies, or the kind does not exist.
func (k kind) width() int {
	switch k {
	case kindUint8, kindInt8, kindBool:
		return 1
	case kindUint16, kindInt16:
		return 2
	case kindUint32, kindInt32, kindFloat32:
		return 4
	case kindUint64, kindInt64, kindFloat64:
		return 8
	}
	return 0
}

// String names the kind for people.
func (k kind) String() string {
	switch k {
	case kindFloat32, kindFloat64:
		return "a number"
	case kindBool:
		return "true or false"
	case kindText:
		return "a text"
	case kindArray:
		return "a list"
	}
	return "a whole number"
}

// A value is a value as it stands in the file.
type value struct {
	kind  kind
	of    kind   // of a list's items
	count int    // of a list's items
	raw   string // without kind and count; a text without its length
}

// value takes a kind and a value.
func (c *cursor) value() (v value, err error) {
	number, err := c.uint32()
	if err != nil {
		return v, err
	}
	switch v.kind = kind(number); v.kind {
	case kindText:
		v.raw, err = c.string()
	case kindArray:
		from := c.at + 4 + 8
		if v.of, v.count, err = c.list(maxDepth); err == nil {
			v.raw = c.text[from:c.at]
		}
	default:
		if v.kind.width() == 0 {
			return v, fmt.Errorf("has the type %d, which GGUF does not have", number)
		}
		v.raw, err = c.take(uint64(v.kind.width()))
	}
	return v, err
}

// list takes a list, and returns the kind and number of its items.
func (c *cursor) list(depth int) (of kind, count int, err error) {
	if depth == 0 {
		return 0, 0, fmt.Errorf("has lists in lists, more than %d deep", maxDepth)
	}
	number, err := c.uint32()
	if err != nil {
		return 0, 0, err
	}
	n, err := c.uint64()
	if err != nil {
		return 0, 0, err
	}
	of = kind(number)
	least := uint64(of.width())
	switch {
	case of == kindText:
		least = 8
	case of == kindArray:
		least = 4 + 8
	case least == 0:
		return 0, 0, fmt.Errorf("has items of the type %d, which GGUF does not have", number)
	}
	if n > uint64(c.size)/least {
		return 0, 0, fmt.Errorf("has %d items, which a file of %d bytes has no room for", n, c.size)
	}
	if of != kindText && of != kindArray {
		_, err = c.take(n * least)
		return of, int(n), err
	}
	for i := range n {
		if of == kindText {
			_, err = c.string()
		} else {
			_, _, err = c.list(depth - 1)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return of, int(n), nil
}

// Has reports whether the file has a key.
func (f *File) Has(key string) bool {
	_, has := f.values[key]
	return has
}

// Keys returns all keys with a prefix, sorted.
func (f *File) Keys(prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.values)), func(key string) bool { return !strings.HasPrefix(key, prefix) })
}

// get returns the value of a key. Want says what is wanted there.
func (f *File) get(key, want string, right func(v value) bool) (value, error) {
	v, has := f.values[key]
	if !has {
		return v, fmt.Errorf("%s: is missing in the GGUF file, want %s", key, want)
	}
	if !right(v) {
		return v, fmt.Errorf("%s: is %s in the GGUF file, want %s", key, v.kind, want)
	}
	return v, nil
}

// Text returns a text. The error, as of all such methods, says that the key is missing or has a
// value of another type, by the key.
func (f *File) Text(key string) (string, error) {
	v, err := f.get(key, "a text", func(v value) bool { return v.kind == kindText })
	return v.raw, err
}

// Texts returns a list of texts. They share the memory of the header.
func (f *File) Texts(key string) ([]string, error) {
	v, err := f.get(key, "a list of texts", func(v value) bool { return v.kind == kindArray && v.of == kindText })
	if err != nil {
		return nil, err
	}
	texts := make([]string, v.count)
	for i := range texts {
		n := 8 + int(binary.LittleEndian.Uint64([]byte(v.raw[:8])))
		texts[i], v.raw = v.raw[8:n], v.raw[n:]
	}
	return texts, nil
}

// Bool returns a value that is true or false.
func (f *File) Bool(key string) (bool, error) {
	v, err := f.get(key, "true or false", func(v value) bool { return v.kind == kindBool })
	return err == nil && v.raw[0] != 0, err
}

// Int returns a whole number of any width.
func (f *File) Int(key string) (int, error) {
	v, err := f.get(key, "a whole number", func(v value) bool { return whole(v.kind) })
	if err != nil {
		return 0, err
	}
	n, fits := integer(v.kind, v.raw)
	if !fits {
		return 0, fmt.Errorf("%s: is a whole number beyond 2^63 in the GGUF file", key)
	}
	return n, nil
}

// Ints returns a list of whole numbers of any width.
func (f *File) Ints(key string) ([]int, error) {
	v, err := f.get(key, "a list of whole numbers", func(v value) bool { return v.kind == kindArray && whole(v.of) })
	if err != nil {
		return nil, err
	}
	numbers, width := make([]int, v.count), v.of.width()
	for i := range numbers {
		var fits bool
		if numbers[i], fits = integer(v.of, v.raw[i*width:]); !fits {
			return nil, fmt.Errorf("%s: item %d is a whole number beyond 2^63 in the GGUF file", key, i)
		}
	}
	return numbers, nil
}

// Float returns a number of any type.
func (f *File) Float(key string) (float64, error) {
	v, err := f.get(key, "a number", func(v value) bool { return v.kind == kindFloat32 || v.kind == kindFloat64 || whole(v.kind) })
	if err != nil {
		return 0, err
	}
	switch raw := []byte(v.raw); v.kind {
	case kindFloat32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), nil
	case kindFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(raw)), nil
	}
	n, err := f.Int(key)
	return float64(n), err
}

// whole reports whether values of the kind are whole numbers.
func whole(k kind) bool {
	return k.width() > 0 && k != kindFloat32 && k != kindFloat64 && k != kindBool
}

// integer returns a whole number, and whether it fits.
func integer(k kind, raw string) (n int, fits bool) {
	switch b := []byte(raw[:k.width()]); k {
	case kindUint8:
		n = int(b[0])
	case kindInt8:
		n = int(int8(b[0]))
	case kindUint16:
		n = int(binary.LittleEndian.Uint16(b))
	case kindInt16:
		n = int(int16(binary.LittleEndian.Uint16(b)))
	case kindUint32:
		n = int(binary.LittleEndian.Uint32(b))
	case kindInt32:
		n = int(int32(binary.LittleEndian.Uint32(b)))
	default: // of 8 bytes
		n = int(binary.LittleEndian.Uint64(b))
		return n, k == kindInt64 || n >= 0
	}
	return n, true
}
