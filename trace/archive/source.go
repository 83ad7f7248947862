package archive

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/trace"
)

// Traces returns the traces in the archive, by their names: one for each folder that was
// archived. None appears later. The error is [fs.ErrNotExist] if there is none.
func (b *Bucket) Traces(ctx context.Context) ([]trace.Source, error) {
	sizes, err := b.list(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.url(""), err)
	}
	folders := map[string]bool{}
	for name := range sizes {
		if folder, file := path.Split(name); trace.SegmentNumber(file) > 0 {
			folders[folder] = true
		}
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("%s: %w", b.url(""), fs.ErrNotExist)
	}
	var all []trace.Source
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		all = append(all, &source{bucket: b, folder: folder})
	}
	return all, nil
}

// A source is a folder of the archive, as a [trace.Source].
type source struct {
	bucket *Bucket
	folder string // with a slash at its end

	mu     sync.Mutex
	listed time.Time
	sizes  map[int]int64 // of the segments
	window window
}

// listEvery is how long the list of files may be old.
const listEvery = 30 * time.Second

// Segments implements [trace.Source].
func (s *source) Segments() ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.listed) > listEvery {
		sizes, err := s.bucket.list(context.Background(), s.folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.bucket.url(s.folder), err)
		}
		s.listed, s.sizes = time.Now(), map[int]int64{}
		for name, size := range sizes {
			if n := trace.SegmentNumber(name); n > 0 {
				s.sizes[n] = size
			}
		}
	}
	return slices.Sorted(maps.Keys(s.sizes)), nil
}

// Name implements [trace.Source].
func (s *source) Name(number int) string { return s.bucket.url(s.folder + trace.SegmentName(number)) }

// Open implements [trace.Source].
func (s *source) Open(number int) (trace.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, there := s.sizes[number]
	if !there {
		return nil, fs.ErrNotExist
	}
	return file{s, number, size}, nil
}

// A window is the part of a segment that was read last.
type window struct {
	number int
	offset int64
	data   []byte
}

// Sizes of windows: many blocks, and most footers.
const (
	windowSize = 1 << 20
	tailSize   = 64 << 10
)

// A file is a segment in the archive.
type file struct {
	source *source
	number int
	size   int64
}

// Size implements [trace.File].
func (f file) Size() int64 { return f.size }

// Close implements [trace.File].
func (f file) Close() error { return nil }

// ReadAt implements [trace.File]. It reads ahead.
func (f file) ReadAt(p []byte, offset int64) (int, error) {
	s := f.source
	s.mu.Lock()
	defer s.mu.Unlock()
	end := min(offset+int64(len(p)), f.size)
	if offset >= end {
		return 0, io.EOF
	}
	w := &s.window
	if w.number != f.number || offset < w.offset || end > w.offset+int64(len(w.data)) {
		from := max(0, min(offset, f.size-tailSize))
		data, err := s.bucket.read(s.folder+trace.SegmentName(f.number), from, min(max(end-from, windowSize), f.size-from))
		if err != nil {
			return 0, err
		}
		*w = window{f.number, from, data}
	}
	n := copy(p, w.data[offset-w.offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
