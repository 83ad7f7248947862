package areal

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A File is tensors, and a text in JSON of what is not a tensor.
type File struct {
	Tensors []Tensor
	Text    []byte
}

// bytes are the values of t, little-endian, row after row.
func (t *Tensor) bytes() []byte {
	var out []byte
	for _, v := range t.Ints {
		switch t.Type {
		case Bool:
			out = append(out, byte(v))
		case Int32:
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		default:
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		}
	}
	for _, v := range t.Floats {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// textName is the entry of a .npz file that has the text.
const textName = "meta.json"

// NPZ writes f as a .npz file of NumPy (format 1.0): an array for each tensor, and the text as
// the entry meta.json, which numpy.load returns as bytes.
func (f File) NPZ(w io.Writer) error {
	z := zip.NewWriter(w)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		out, err := z.Create(t.Name + ".npy")
		if err == nil {
			_, err = out.Write(append(t.npyHeader(), t.bytes()...))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	out, err := z.Create(textName)
	if err == nil {
		_, err = out.Write(f.Text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", textName, err)
	}
	return z.Close()
}

// npyHeader is what comes before the values in a .npy file. Its length is a multiple of 64.
func (t *Tensor) npyHeader() []byte {
	types := map[Type]string{Bool: "|b1", Int32: "<i4", Int64: "<i8", Float32: "<f4"}
	var shape []byte
	for _, n := range t.Shape {
		shape = fmt.Appendf(shape, "%d,", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[t.Type], shape)
	const before = len("\x93NUMPY") + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text))), text...)
}

// Safetensors writes f as a file of the library safetensors. The text is in its metadata,
// under meta.
func (f File) Safetensors(w io.Writer) error {
	types := map[Type]string{Bool: "BOOL", Int32: "I32", Int64: "I64", Float32: "F32"}
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	size := map[Type]int{Bool: 1, Int32: 4, Int64: 8, Float32: 4}
	aligned := slices.SortedStableFunc(slices.Values(f.Tensors), func(a, b Tensor) int { return size[b.Type] - size[a.Type] })
	head := map[string]any{"__metadata__": map[string]string{"meta": string(f.Text)}}
	var values []byte
	for _, t := range aligned {
		from := len(values)
		values = append(values, t.bytes()...)
		head[t.Name] = entry{types[t.Type], t.Shape, [2]int{from, len(values)}}
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	text = append(text, strings.Repeat(" ", (8-len(text)%8)%8)...) // so that the values are aligned
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, values} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
