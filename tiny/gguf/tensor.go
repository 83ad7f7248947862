package gguf

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// A Tensor is an entry of the table of tensors.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int // rows first, as NumPy writes it: the file has the columns first

	offset, bytes int64 // in the data; bytes is 0 for a type whose blocks are not known here
}

// Elements returns the number of values.
func (t Tensor) Elements() int {
	n := 1
	for _, size := range t.Shape {
		n *= size
	}
	return n
}

// parseTensor parses an entry of the table.
func (f *File) parseTensor(c *cursor, i int) error {
	name, err := c.name(256)
	if err != nil {
		return err
	}
	if _, twice := f.byName[name]; twice {
		return fmt.Errorf("%s: stands twice", show(name))
	}
	f.byName[name], f.Tensors[i].Name = i, name
	if err := f.Tensors[i].parse(c); err != nil {
		return fmt.Errorf("%s: %w", show(name), err)
	}
	return nil
}

// parse parses what follows the name.
func (t *Tensor) parse(c *cursor) error {
	dims, err := c.uint32()
	if err != nil {
		return err
	}
	if dims < 1 || dims > maxDims {
		return fmt.Errorf("has %d dimensions, want 1 to %d", dims, maxDims)
	}
	elements := int64(1)
	for range dims {
		size, err := c.uint64()
		if err != nil {
			return err
		}
		if size == 0 || size > uint64(math.MaxInt64/64/elements) {
			return fmt.Errorf("has a dimension of %d, after which its values are none or more than a file holds", size)
		}
		elements *= int64(size)
		t.Shape = append(t.Shape, int(size))
	}
	columns := int64(t.Shape[0])
	slices.Reverse(t.Shape)
	number, err := c.uint32()
	if err != nil {
		return err
	}
	offset, err := c.uint64()
	if err != nil {
		return err
	}
	if offset > math.MaxInt64 {
		return fmt.Errorf("begins at %d, past the end of the file", offset)
	}
	t.Type, t.offset = Type(number), int64(offset)
	per, size := t.Type.Block()
	if per == 0 {
		return nil
	}
	if columns%int64(per) != 0 {
		return fmt.Errorf("has rows of %d values, want a multiple of %d, the block of %s", columns, per, t.Type)
	}
	t.bytes = elements / int64(per) * int64(size)
	return nil
}

// place checks where the tensors lie in the data, of the given size.
func (f *File) place(size, alignment int64) error {
	order := make([]int, len(f.Tensors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f.Tensors[a].offset, f.Tensors[b].offset) })
	end, last := int64(0), ""
	for _, i := range order {
		t := &f.Tensors[i]
		switch {
		case t.offset%alignment != 0:
			return fmt.Errorf("tensor %s: begins at %d, want a multiple of general.alignment, %d", show(t.Name), t.offset, alignment)
		case t.offset < end:
			return fmt.Errorf("tensor %s: lies on the tensor %s", show(t.Name), show(last))
		case t.offset > size || t.bytes > size-t.offset:
			return fmt.Errorf("tensor %s: ends past the end of the file: it is cut short, get it again", show(t.Name))
		}
		end, last = t.offset+max(t.bytes, 1), t.Name
	}
	return nil
}

// Tensor returns the tensor of a name.
func (f *File) Tensor(name string) (t Tensor, has bool) {
	i, has := f.byName[name]
	if !has {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Floats reads a tensor of f, row after row. The error says by the tensor's name that its type is
// not [Type.Readable], or that the file cannot be read.
func (f *File) Floats(t Tensor) ([]float32, error) {
	if !t.Type.Readable() {
		return nil, fmt.Errorf("tensor %s: has the type %s, want %s: take a file of another quantisation, such as Q8_0", show(t.Name), t.Type, Readable())
	}
	values := make([]float32, t.Elements())
	if err := t.Type.Read(values, f.Raw(t)); err != nil {
		return nil, fmt.Errorf("tensor %s: %w", show(t.Name), err)
	}
	return values, nil
}

// Raw returns a reader of the blocks of a tensor of f.
func (f *File) Raw(t Tensor) *io.SectionReader {
	return io.NewSectionReader(f.source, f.data+t.offset, t.bytes)
}
