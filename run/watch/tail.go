package watch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Bounds on reading a file that grows.
const (
	mostRead = 16 << 20 // bytes per refresh
	mostLine = 1 << 20  // bytes of a line; longer ones are skipped
)

// A tail follows a file of lines as it grows.
type tail struct {
	Path string

	offset int64 // read up to here
	size   int64 // of the file at the last read
	within bool  // within an overlong line
}

// tails returns the tails of files.
func tails(paths []string) (all []tail) {
	for _, path := range paths {
		all = append(all, tail{Path: path})
	}
	return all
}

// Read gives complete new lines, about [mostRead] bytes, to add, and reports whether there
// are more. A file that shrank is another one: it calls restart, and reads from the start.
func (t *tail) Read(restart func(), add func(line []byte)) (more bool, err error) {
	f, err := os.Open(t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < t.offset {
		t.offset, t.within = 0, false
		restart()
	}
	t.size = info.Size()
	from := t.offset
	lines := bufio.NewReaderSize(io.NewSectionReader(f, t.offset, t.size-t.offset), mostLine)
	for t.offset-from < mostRead {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF: // the rest is incomplete
			return false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
		t.offset += int64(len(line))
		if err == nil && !t.within {
			add(bytes.TrimSpace(line))
		}
		t.within = err != nil
	}
	return true, nil
}

// Left is the unread part of the file, in percent.
func (t *tail) Left() int {
	if t.size-t.offset < mostLine { // it may be part of a line
		return 0
	}
	return int(100 * (t.size - t.offset) / t.size)
}
