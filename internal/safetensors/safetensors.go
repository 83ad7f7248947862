// Package safetensors writes and reads files in the format of the library of that name: named
// arrays, and texts. https://github.com/huggingface/safetensors defines it.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
)

// A Type is the type of an array's values, by the library's name.
type Type string

// The types. Values are little-endian, a Bool is 0 or 1.
const (
	Float64  Type = "F64"
	Float32  Type = "F32"
	Float16  Type = "F16"  // IEEE 754 binary16
	BFloat16 Type = "BF16" // the upper half of a Float32
	Int64    Type = "I64"
	Int32    Type = "I32"
	Bool     Type = "BOOL"
)

// width returns the number of bytes of a value; 0 for a type of others.
func (t Type) width() int {
	switch t {
	case Float64, Int64:
		return 8
	case Float32, Int32:
		return 4
	case Float16, BFloat16:
		return 2
	case Bool:
		return 1
	}
	return 0
}

// An Array is one array of a file.
type Array struct {
	Name   string
	Type   Type
	Shape  []int                 // its size in each dimension
	Append func(b []byte) []byte // appends the values, row after row: as many as Shape says
}

// Append appends a file. Arrays of wide values come first, so that all values are aligned to
// their size if the file is; those of one size keep their order. Texts are the metadata.
func Append(b []byte, texts map[string]string, arrays []Array) []byte {
	type entry struct {
		Type    Type   `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	arrays = slices.SortedStableFunc(slices.Values(arrays), func(a, b Array) int { return b.Type.width() - a.Type.width() })
	head, at := map[string]any{"__metadata__": texts}, 0
	for _, a := range arrays {
		from := at
		size := a.Type.width()
		for _, n := range a.Shape {
			size *= n
		}
		at += size
		head[a.Name] = entry{a.Type, a.Shape, [2]int{from, at}}
	}
	text, err := json.Marshal(head)
	if err != nil {
		panic("safetensors: " + err.Error()) // texts and whole numbers
	}
	text = append(text, strings.Repeat(" ", (8-len(text)%8)%8)...) // aligns the values
	b = append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
	for _, a := range arrays {
		b = a.Append(b)
	}
	return b
}
