package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Key is a key with its value: a string, bool, uint32, int32, uint64, float32, []string, []int32 or []float32.
type Key struct {
	Name  string
	Value any
}

// An Array is a tensor to write. Raw is its blocks.
type Array struct {
	Name  string
	Type  Type
	Shape []int // rows first
	Raw   []byte
}

// Append appends a file of version 3 with alignment 32 to b, which is empty or ends at a multiple of it.
func Append(b []byte, keys []Key, arrays []Array) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(append(b, Magic...), 3)
	b = le.AppendUint64(le.AppendUint64(b, uint64(len(arrays))), uint64(len(keys)))
	for _, k := range keys {
		b = appendValue(appendText(b, k.Name), k.Value)
	}
	offset := 0
	for _, a := range arrays {
		b = le.AppendUint32(appendText(b, a.Name), uint32(len(a.Shape)))
		for _, size := range slices.Backward(a.Shape) {
			b = le.AppendUint64(b, uint64(size))
		}
		b = le.AppendUint64(le.AppendUint32(b, uint32(a.Type)), uint64(offset))
		offset = aligned(offset + len(a.Raw))
	}
	for _, a := range arrays {
		b = append(append(b, make([]byte, aligned(len(b))-len(b))...), a.Raw...)
	}
	return b
}

// aligned returns the next multiple of the alignment.
func aligned(n int) int { return (n + 31) &^ 31 }

func appendText(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
}

// appendValue appends the kind of a value, and the value.
func appendValue(b []byte, v any) []byte {
	le := binary.LittleEndian
	as := func(k kind) []byte { return le.AppendUint32(b, uint32(k)) }
	list := func(of kind, n int) []byte {
		return le.AppendUint64(le.AppendUint32(as(kindArray), uint32(of)), uint64(n))
	}
	switch v := v.(type) {
	case string:
		return appendText(as(kindText), v)
	case bool:
		if v {
			return append(as(kindBool), 1)
		}
		return append(as(kindBool), 0)
	case uint32:
		return le.AppendUint32(as(kindUint32), v)
	case int32:
		return le.AppendUint32(as(kindInt32), uint32(v))
	case uint64:
		return le.AppendUint64(as(kindUint64), v)
	case float32:
		return le.AppendUint32(as(kindFloat32), math.Float32bits(v))
	case []string:
		b = list(kindText, len(v))
		for _, text := range v {
			b = appendText(b, text)
		}
		return b
	case []int32:
		b = list(kindInt32, len(v))
		for _, n := range v {
			b = le.AppendUint32(b, uint32(n))
		}
		return b
	case []float32:
		b = list(kindFloat32, len(v))
		for _, x := range v {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	panic(fmt.Sprintf("gguf: a value cannot be a %T", v))
}
