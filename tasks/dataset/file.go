package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A File is an open file of rows: Parquet or CSV if its name ends with .parquet or .csv, else JSON
// lines or a JSON list of objects.
type File struct {
	Name string // with its path
	Data *io.SectionReader

	file *os.File // nil: the data are elsewhere
}

// What bounds a file.
const (
	maxList = 1 << 30 // bytes of a JSON list
	deepest = 200     // values within each other
)

// OpenRows opens the file at a path ([jsonl.Open]).
func OpenRows(path string) (*File, error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{path, io.NewSectionReader(file, 0, size), file}, nil
}

// Close closes the file that [OpenRows] opened.
func (f *File) Close() error { return f.file.Close() }

// Each calls each with the number, from 1, and the fields of every row, until each returns an error,
// which Each returns. A row that cannot be read, or of more than most bytes, has an error in their
// place. Numbers are those of lines, or of the rows of a CSV or Parquet file or the elements of a
// list. Values are as [Parquet] has them; those of CSV are texts. Each may be called again.
func (f *File) Each(most int, each func(n int, fields map[string]any, err error) error) error {
	r := io.NewSectionReader(f.Data, 0, f.Data.Size())
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".parquet":
		return Parquet(r, func(n int, fields map[string]any) error { return each(n, fields, nil) })
	case ".csv":
		return csvRows(r, most, each)
	}
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(len(jsonl.ByteOrderMark)); string(mark) == jsonl.ByteOrderMark {
		_, _ = in.Discard(len(mark))
	}
	object := func(n int, text []byte, err error) error {
		var fields map[string]any
		if err == nil {
			fields, err = Object(text)
		}
		return each(n, fields, err)
	}
	if err := packedAs(in); err != nil {
		return err
	}
	if beginsList(in) {
		return List(in, maxList, object)
	}
	return Lines(in, most, object)
}

// packedAs returns an error for a file of another format.
func packedAs(in *bufio.Reader) error {
	for _, format := range []struct{ start, says string }{
		{"PAR1", "the file is Parquet: give it a name that ends with .parquet"},
		{"\x1f\x8b", "the file is compressed by gzip: decompress it first"},
		{"\x28\xb5\x2f\xfd", "the file is compressed by zstd: decompress it first"},
		{"PK\x03\x04", "the file is compressed by zip: decompress it first"},
		{"version https://git-lfs", "the file is a pointer of Git LFS: fetch its content, with git lfs pull"},
	} {
		if start, err := in.Peek(len(format.start)); err == nil && string(start) == format.start {
			return errors.New(format.says)
		}
	}
	return nil
}

// beginsList reports whether the first character that is not white space is a bracket.
func beginsList(in *bufio.Reader) bool {
	for size := 1; size <= 1024; size++ {
		start, err := in.Peek(size)
		if err != nil {
			return false
		}
		if c := start[size-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c == '['
		}
	}
	return false
}

// csvRows calls each as [File.Each] does.
func csvRows(r io.Reader, most int, each func(n int, fields map[string]any, err error) error) error {
	return CSV(r, most, func(n int, cells map[string]string, err error) error {
		fields := make(map[string]any, len(cells))
		for name, cell := range cells {
			if !utf8.ValidString(cell) {
				err = fmt.Errorf("%s: is not UTF-8: write the file anew as UTF-8", name)
			}
			fields[name] = cell
		}
		return each(n, fields, err)
	})
}

// Object reads a text as one JSON object, its numbers as json.Number. The error is in words for
// people, and names a remedy.
func Object(text []byte) (map[string]any, error) { return decode[map[string]any](text) }

// Value reads a text as one JSON value, as [Object] does.
func Value(text []byte) (any, error) { return decode[any](text) }

func decode[T any](text []byte) (v T, err error) {
	if fault := strictjson.Check(bytes.TrimSpace(text), deepest); fault != nil {
		return v, unreadable(fault)
	}
	err = strictjson.UnmarshalNumbers(text, &v)
	return v, strictjson.Explain(err)
}

// unreadable says what to do about a text that is not strict JSON.
func unreadable(fault *strictjson.Fault) error {
	switch {
	case strings.HasSuffix(fault.Why, "is not UTF-8"):
		return fmt.Errorf("%w: write the file anew as UTF-8", fault)
	case strings.HasSuffix(fault.Why, "half a surrogate pair"):
		return fmt.Errorf("%w, which is no character: leave the row out", fault)
	}
	return fault
}
