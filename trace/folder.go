package trace

import (
	"io/fs"
	"os"
)

// A Folder is the path of the folder of one writer's trace.
type Folder string

// Segments returns the numbers of the segments, ascending. The error is [fs.ErrNotExist] if there
// is no such folder.
func (f Folder) Segments() ([]int, error) { return segmentNumbers(string(f)) }

// name is the path of a segment.
func (f Folder) name(number int) string { return segmentPath(string(f), number) }

// open opens a segment. The error is [fs.ErrNotExist] if it was removed.
func (f Folder) open(number int) (opened, error) {
	file, err := os.Open(f.name(number))
	if err != nil {
		return opened{}, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close() // nothing was written
		return opened{}, err
	}
	return opened{file, info}, nil
}

// An opened is an open segment.
type opened struct {
	*os.File
	info fs.FileInfo
}

// size is the size of the file when it was opened.
func (o opened) size() int64 { return o.info.Size() }
