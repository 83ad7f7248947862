package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// maxHeader bounds a header, and an index of several files, in bytes: models of 10,000 tensors take half of it.
const maxHeader = 2 << 20

// A Tensor is an array in a file.
type Tensor struct {
	Name  string
	Type  Type // may be one that this package does not name
	Shape []int

	source io.ReaderAt
	at     int64
	bytes  int64
}

// Raw returns a reader of the values, row after row.
func (t Tensor) Raw() *io.SectionReader { return io.NewSectionReader(t.source, t.at, t.bytes) }

// Read reads the header of a file of the given size, which is hostile input, and returns its
// tensors in the order of their values. The source must stay open for as long as these are
// read. The error names the tensor.
func Read(source io.ReaderAt, size int64) ([]Tensor, error) {
	var length [8]byte
	if n, _ := source.ReadAt(length[:], 0); n < len(length) {
		return nil, fmt.Errorf("the file has %d bytes, want the 8 of the length of its header, and more: get it again", size)
	}
	n := binary.LittleEndian.Uint64(length[:])
	switch {
	case n > uint64(max(size-8, 0)):
		return nil, fmt.Errorf("the header has %d bytes, but the file %d: it is no safetensors file, or is cut short", n, size)
	case n > maxHeader:
		return nil, fmt.Errorf("the header has %d bytes, want at most %d", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(source, 8, int64(n)), text); err != nil {
		return nil, err
	}
	var tensors []Tensor
	var fault error
	whole := strictjson.Members(text, func(name, entry []byte) bool {
		if string(name) == "__metadata__" {
			return true
		}
		t := Tensor{Name: string(name), source: source, at: 8 + int64(n)}
		if fault = t.read(entry, size-t.at); fault != nil {
			fault = fmt.Errorf("tensor %.100q: %w", name, fault)
		}
		tensors = append(tensors, t)
		return fault == nil
	})
	switch {
	case fault != nil:
		return nil, fault
	case !whole:
		return nil, errors.New("the header is no JSON object with plain names: it is no safetensors file, or is damaged")
	}
	return tensors, place(tensors, size, 8+int64(n))
}

// read reads the entry of a tensor in a file with size bytes of values.
func (t *Tensor) read(text []byte, size int64) error {
	var form struct {
		Type    Type    `json:"dtype"`
		Shape   []int   `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := strictjson.Unmarshal(text, &form); err != nil || form.Type == "" || form.Shape == nil || len(form.Offsets) != 2 {
		return errors.New("want dtype, shape and data_offsets, the two ends of its bytes")
	}
	from, to := form.Offsets[0], form.Offsets[1]
	if from < 0 || to < from || to > size {
		return fmt.Errorf("data_offsets: are %d and %d, in a file with %d bytes of values: it is damaged or cut short, get it again", from, to, size)
	}
	values := int64(1)
	for _, n := range form.Shape {
		if n < 0 || n > 0 && values > math.MaxInt64/8/int64(n) {
			return fmt.Errorf("shape: is %v, want sizes that a file can hold", form.Shape)
		}
		values *= int64(n)
	}
	if width := int64(form.Type.width()); width > 0 && to-from != values*width {
		return fmt.Errorf("data_offsets: hold %d bytes, want %d for %v values of %s", to-from, values*width, form.Shape, form.Type)
	}
	t.Type, t.Shape, t.at, t.bytes = form.Type, form.Shape, t.at+from, to-from
	return nil
}

// place sorts tensors, and checks that each is there once and their values are one after the other, from begin to the
// end of the file.
func place(tensors []Tensor, size, begin int64) error {
	slices.SortStableFunc(tensors, func(a, b Tensor) int { return int(min(max(a.at-b.at, -1), 1)) })
	names := map[string]bool{}
	for _, t := range tensors {
		switch {
		case names[t.Name]:
			return fmt.Errorf("tensor %.100q: stands twice", t.Name)
		case t.at != begin:
			return fmt.Errorf("tensor %.100q: begins at byte %d of the file, want %d, where the one before it ends", t.Name, t.at, begin)
		}
		names[t.Name] = true
		begin += t.bytes
	}
	if begin != size {
		return fmt.Errorf("the file has %d bytes after its last tensor", size-begin)
	}
	return nil
}

// Files are the open files of a model.
type Files struct {
	Tensors map[string]Tensor
	files   []*os.File
}

// Open opens model.safetensors in a folder, or the files that its
// model.safetensors.index.json names. The error names the file.
func Open(folder string) (*Files, error) {
	names := map[string]bool{"model.safetensors": true}
	index := map[string]string{}
	path := filepath.Join(folder, "model.safetensors.index.json")
	if _, err := os.Stat(path); err == nil {
		if index, err = readIndex(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		names = map[string]bool{}
		for _, name := range index {
			names[name] = true
		}
	}
	f := &Files{Tensors: map[string]Tensor{}}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := f.add(filepath.Join(folder, name)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	for _, tensor := range slices.Sorted(maps.Keys(index)) {
		if _, has := f.Tensors[tensor]; !has {
			return nil, errors.Join(fmt.Errorf("%s: the tensor %.100q is not in %s: get that file again", path, tensor, index[tensor]), f.Close())
		}
	}
	return f, nil
}

// readIndex reads which file has which tensor.
func readIndex(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxHeader+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("want at most %d bytes", maxHeader)
	}
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := strictjson.Unmarshal(text, &index); err != nil {
		return nil, errors.New("weight_map: want a JSON object with the file of each tensor")
	}
	files := map[string]bool{}
	for tensor, name := range index.Files {
		if filepath.Base(name) != name || !strings.HasSuffix(name, ".safetensors") {
			return nil, fmt.Errorf("weight_map: %.100q is in %.100q, want the name of a .safetensors file in the same folder", tensor, name)
		}
		files[name] = true
	}
	if len(files) == 0 || len(files) > 1000 {
		return nil, fmt.Errorf("weight_map: names %d files, want 1 to 1000", len(files))
	}
	return index.Files, nil
}

// add opens a file.
func (f *Files) add(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	f.files = append(f.files, file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	tensors, err := Read(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range tensors {
		if _, twice := f.Tensors[t.Name]; twice {
			return fmt.Errorf("%s: the tensor %.100q is in another file of the model, too", path, t.Name)
		}
		f.Tensors[t.Name] = t
	}
	return nil
}

// Close closes the files.
func (f *Files) Close() error {
	var err error
	for _, file := range f.files {
		err = errors.Join(err, file.Close())
	}
	return err
}
