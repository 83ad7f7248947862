package areal

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/quintain-rl/quintain/internal/safetensors"
)

// A File is tensors, and a JSON text with everything else.
type File struct {
	Tensors []Tensor
	Text    []byte
}

// append appends the values of t, little-endian, row after row.
func (t *Tensor) append(out []byte) []byte {
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

// textName is the entry of the text in a .npz file.
const textName = "meta.json"

// NPZ writes f as a .npz file of NumPy (format 1.0): an array for each tensor, and the text
// as the entry meta.json, which numpy.load returns as bytes.
func (f File) NPZ(w io.Writer) error {
	z := zip.NewWriter(w)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if err := addEntry(z, t.Name+".npy", t.append(t.npyHeader())); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if err := addEntry(z, textName, f.Text); err != nil {
		return fmt.Errorf("%s: %w", textName, err)
	}
	return z.Close()
}

// addEntry adds an entry to a zip file.
func addEntry(z *zip.Writer, name string, content []byte) error {
	out, err := z.Create(name)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}

// npyHeader returns the header of a .npy file. Its length is a multiple of 64.
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

// Safetensors writes f as a file of the library safetensors. Its metadata has the text,
// under meta.
func (f File) Safetensors(w io.Writer) error {
	types := map[Type]safetensors.Type{Bool: safetensors.Bool, Int32: safetensors.Int32, Int64: safetensors.Int64, Float32: safetensors.Float32}
	arrays := make([]safetensors.Array, len(f.Tensors))
	for i := range f.Tensors {
		t := &f.Tensors[i]
		arrays[i] = safetensors.Array{Name: t.Name, Type: types[t.Type], Shape: t.Shape, Append: t.append}
	}
	_, err := w.Write(safetensors.Append(nil, map[string]string{"meta": string(f.Text)}, arrays))
	return err
}
