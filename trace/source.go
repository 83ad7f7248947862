package trace

import (
	"io"
	"io/fs"
	"os"
)

// A Source is where the segments of one writer's trace lie. Many goroutines may use it at once.
type Source interface {
	// Segments returns the numbers of the segments, ascending. The error is [fs.ErrNotExist]
	// if there is no such place.
	Segments() ([]int, error)

	// Open opens a segment. The error is [fs.ErrNotExist] if it was removed.
	Open(number int) (File, error)

	Name(number int) string // of a segment, for people
}

// A File is an open segment.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64 // when it was opened
}

// A Folder is the path of a folder, as a [Source].
type Folder string

// Segments implements [Source].
func (f Folder) Segments() ([]int, error) { return segmentNumbers(string(f)) }

// Name implements [Source].
func (f Folder) Name(number int) string { return segmentPath(string(f), number) }

// Open implements [Source].
func (f Folder) Open(number int) (File, error) {
	file, err := os.Open(f.Name(number))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return opened{file, info}, nil
}

// An opened is an open segment of a folder.
type opened struct {
	*os.File
	info fs.FileInfo
}

// Size implements [File].
func (o opened) Size() int64 { return o.info.Size() }
