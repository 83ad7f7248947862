package datadir

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// A Mark is a file of numbers that say how far another file, or a folder, was written. It stands
// outside of what it describes, is not synced, and survives the process: what was written and is
// missing is noticed. Its failures only lose knowledge.
type Mark struct {
	f    *os.File
	born uint64
}

// MarkOf returns the path of the mark of a queue, a folder or a file in the data folder root.
func MarkOf(root, name string) string {
	return filepath.Join(root, marks, strings.ReplaceAll(filepath.ToSlash(name), "/", "."))
}

// MarkBeside is [MarkOf] a folder or file at a path that stands in a data folder; empty: it is in
// none.
func MarkBeside(path string) string {
	root := filepath.Dir(filepath.Clean(path))
	if _, err := os.Stat(filepath.Join(root, "format.json")); err != nil {
		return ""
	}
	return MarkOf(root, filepath.Base(path))
}

// OpenMark opens or makes the mark at a path; nil: there is no path or no room.
func OpenMark(path string) *Mark {
	if path == "" || MakeFolder(filepath.Dir(path)) != nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil
	}
	return &Mark{f, Born(path)}
}

// Note writes numbers, always as many.
func (m *Mark) Note(numbers ...uint64) {
	if m != nil {
		_, _ = m.f.WriteAt(encodeMark(m.born, numbers), 0)
	}
}

// encodeMark returns when the file was made, the numbers, and the sum of these.
func encodeMark(born uint64, numbers []uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, born)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// ReadMark returns the n numbers of the mark at a path. They are 0 if it has none, or is a copy,
// which may be newer than the copy of what it describes.
func ReadMark(path string, n int) []uint64 {
	numbers := make([]uint64, n)
	b, err := os.ReadFile(path)
	if err != nil || len(b) != 8*n+12 {
		return numbers
	}
	born := binary.LittleEndian.Uint64(b)
	read := make([]uint64, n)
	for i := range read {
		read[i] = binary.LittleEndian.Uint64(b[8+8*i:])
	}
	if now := Born(path); string(encodeMark(born, read)) != string(b) || born != 0 && now != 0 && born != now {
		return numbers
	}
	return read
}

// Close closes the file.
func (m *Mark) Close() error {
	if m == nil {
		return nil
	}
	return m.f.Close()
}
