// Package gguf reads GGUF, the file format of the models of llama.cpp: versions 2 and 3,
// little-endian. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md defines it.
//
// A file is hostile input. Reading its header takes at most twice the header's size in memory, and
// a header has at most 32 MiB; errors name the key or the tensor.
package gguf

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Magic is how a file begins.
const Magic = "GGUF"

// The limits of a header.
const (
	maxHeader  = 32 << 20 // bytes: the largest vocabularies of 2026 take 16 MiB
	firstRead  = 1 << 20  // bytes
	maxEntries = 1 << 16  // keys, and tensors
	maxKey     = 1<<16 - 1
	maxDepth   = 4 // of arrays in arrays
	maxDims    = 4
)

// A File is an open file. It does not change, and is safe for concurrent use.
type File struct {
	Tensors []Tensor // in the order of the file

	file   *os.File // nil if Read returned it
	values map[string]value
	byName map[string]int // index in Tensors
	source io.ReaderAt
	data   int64 // where the tensors begin
}

// Is reports whether a file begins as GGUF files do.
func Is(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, len(Magic))
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == Magic
}

// Open opens a file and reads its header. The error names the file.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := readFile(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	f.file = file
	return f, nil
}

// readFile reads the header of an open file.
func readFile(file *os.File) (*File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return Read(file, info.Size())
}

// Close closes the file of [Open]. Values that were read remain.
func (f *File) Close() error { return f.file.Close() }

// Read reads the header of a file of the given size. The source must stay open for as long as
// the tensors are read.
func Read(source io.ReaderAt, size int64) (*File, error) {
	for length := int64(firstRead); ; length = maxHeader {
		var text strings.Builder
		text.Grow(int(min(length, size)))
		if _, err := io.Copy(&text, io.NewSectionReader(source, 0, min(length, size))); err != nil {
			return nil, err
		}
		f := &File{source: source, values: map[string]value{}, byName: map[string]int{}}
		err := f.parse(&cursor{text: text.String(), size: size})
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, errMore):
			return nil, fmt.Errorf("GGUF: %w", err)
		case length == maxHeader:
			return nil, fmt.Errorf("GGUF: the header has more than the %d MiB that any model needs", maxHeader>>20)
		}
	}
}

// parse parses the header.
func (f *File) parse(c *cursor) error {
	if magic, err := c.take(4); err != nil || magic != Magic {
		return errors.New("this is no GGUF file: it does not begin with " + Magic)
	}
	version, err := c.uint32()
	switch {
	case err != nil:
		return fmt.Errorf("version: %w", err)
	case version>>16 != 0:
		return errors.New("version: the file is big-endian: convert the model again, without --bigendian")
	case version != 2 && version != 3:
		return fmt.Errorf("version: is %d, want 2 or 3: convert the model again with a newer llama.cpp", version)
	}
	tensors, err := c.count("tensor_count", 8+4+4+8)
	if err != nil {
		return err
	}
	keys, err := c.count("metadata_kv_count", 8+4+1)
	if err != nil {
		return err
	}
	for i := range keys {
		if err := f.parseKey(c); err != nil {
			return fmt.Errorf("key %d of %d: %w", i+1, keys, err)
		}
	}
	alignment := 32
	if f.Has("general.alignment") {
		if alignment, err = f.Int("general.alignment"); err != nil {
			return err
		}
	}
	if alignment < 8 || alignment > 1<<20 || alignment%8 != 0 {
		return fmt.Errorf("general.alignment: is %d, want a multiple of 8 up to %d", alignment, 1<<20)
	}
	f.Tensors = make([]Tensor, tensors)
	for i := range f.Tensors {
		if err := f.parseTensor(c, i); err != nil {
			return fmt.Errorf("tensor %d of %d: %w", i+1, tensors, err)
		}
	}
	f.data = (int64(c.at) + int64(alignment) - 1) / int64(alignment) * int64(alignment)
	return f.place(c.size-f.data, int64(alignment))
}

// parseKey parses a key and its value.
func (f *File) parseKey(c *cursor) error {
	key, err := c.name(maxKey)
	if err != nil {
		return err
	}
	if f.Has(key) {
		return fmt.Errorf("%s: stands twice", show(key))
	}
	v, err := c.value()
	if err != nil {
		return fmt.Errorf("%s: %w", show(key), err)
	}
	f.values[key] = v
	return nil
}

// show writes a name for people, in quotes if it is an odd one.
func show(name string) string {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, odd) {
		return fmt.Sprintf("%.100q", name)
	}
	return name
}

// errMore says that more of the file has to be read.
var errMore = errors.New("more is needed")

// Digest returns a hash, in hexadecimal digits, of the keys that begin with prefix and not with without, and of
// their values.
func (f *File) Digest(prefix, without string) string {
	sum := sha256.New()
	for _, key := range f.Keys(prefix) {
		if v := f.values[key]; !strings.HasPrefix(key, without) {
			fmt.Fprintf(sum, "%d %s %d %d %d %d\n", len(key), key, v.kind, v.of, v.count, len(v.raw))
			_, _ = io.WriteString(sum, v.raw) // a hash takes all
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// A cursor takes a header apart.
type cursor struct {
	text string // the beginning of the file
	at   int
	size int64 // of the whole file
}

// take takes the next n bytes.
func (c *cursor) take(n uint64) (string, error) {
	if left := c.size - int64(c.at); n > uint64(max(left, 0)) {
		return "", fmt.Errorf("takes %d bytes, but the file has %d more: it is cut short or damaged, get it again", n, max(left, 0))
	}
	if n > uint64(len(c.text)-c.at) {
		return "", errMore
	}
	taken := c.text[c.at : c.at+int(n)]
	c.at += int(n)
	return taken, nil
}

// uint32 takes a number of 4 bytes.
func (c *cursor) uint32() (uint32, error) {
	b, err := c.take(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32([]byte(b)), nil
}

// uint64 takes a number of 8 bytes.
func (c *cursor) uint64() (uint64, error) {
	b, err := c.take(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64([]byte(b)), nil
}

// count takes the number of keys or tensors, of which each takes at least size bytes.
func (c *cursor) count(name string, size int64) (int, error) {
	n, err := c.uint64()
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", name, err)
	case n > maxEntries:
		return 0, fmt.Errorf("%s: is %d, want at most %d", name, n, maxEntries)
	case int64(n)*size > c.size:
		return 0, fmt.Errorf("%s: is %d, which a file of %d bytes has no room for", name, n, c.size)
	}
	return int(n), nil
}

// string takes a text.
func (c *cursor) string() (string, error) {
	n, err := c.uint64()
	if err != nil {
		return "", err
	}
	return c.take(n)
}

// name takes the name of a key or of a tensor.
func (c *cursor) name(longest int) (string, error) {
	text, err := c.string()
	switch {
	case err != nil:
		return "", fmt.Errorf("its name: %w", err)
	case text == "" || len(text) > longest:
		return "", fmt.Errorf("its name has %d bytes, want 1 to %d", len(text), longest)
	}
	return text, nil
}
