package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	blockSize  = 256 << 10   // bytes of a block, before it is deflated, from which on it is written
	maxBlocks  = 2048        // of a segment: until it is closed, it is opened block by block
	flushEvery = time.Second // for how long records wait at most, while Run runs
)

// A Writer adds records to a trace. They gather in memory until they make a block, which
// is written at once; Run sees to it that none waits for longer than a second. What is
// written survives the end of the process, and a closed segment that of the machine.
// Many goroutines may use a Writer; a folder has one Writer at a time.
type Writer struct {
	dir      string
	head     Head
	settings Settings

	mu     sync.Mutex
	block  block
	packer *packer
	buf    []byte   // memory for frames
	older  []file   // closed segments, oldest first
	file   diskFile // nil: the next block begins a segment
	at     file     // the segment of file
	index  rows     // of that segment
	closed bool
}

// A diskFile is what a Writer needs of an *os.File.
type diskFile interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A file is a segment as the writer knows it.
type file struct {
	number int
	size   int64
}

// NewWriter returns a writer of the trace in dir, which it makes if need be. Segments
// that a killed process left open are cut after their last whole block and closed. The
// writer begins a new segment when the first block is written.
func NewWriter(dir string, head Head, s Settings) (*Writer, error) {
	w := &Writer{dir: dir, head: head, settings: s, packer: newPacker()}
	if _, err := head.pack(w.packer); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	numbers, err := segmentNumbers(dir)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	for _, n := range numbers {
		size, err := seal(segmentPath(dir, n), w.packer)
		if err != nil {
			return nil, fmt.Errorf("trace: %s: %w", segmentPath(dir, n), err)
		}
		w.at.number = n
		if size > 0 {
			w.older = append(w.older, file{n, size})
		}
	}
	return w, nil
}

// Write adds a record. If it cannot be written, the error names the field, and nothing of
// it was added. If the disk fails, the records that had gathered are lost, and a later
// Write may succeed.
func (w *Writer) Write(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("trace: %w", os.ErrClosed)
	}
	if err := w.block.add(r); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if w.block.size() < blockSize {
		return nil
	}
	return w.put()
}

// Flush writes what has gathered.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put()
}

// Run flushes every second, until ctx is done or the disk fails.
func (w *Writer) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return w.Flush()
		case <-tick.C:
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// Close writes what has gathered, closes the segment and syncs it to the disk. Closing
// again does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.put(), w.finish())
}

// put writes the block and its index, in a new segment where this one would be too large.
func (w *Writer) put() error {
	n := len(w.block.shares)
	if n == 0 {
		return nil
	}
	err := w.append()
	w.block.reset()
	if err != nil {
		return fmt.Errorf("trace: %d groups are not kept: %w", n, err)
	}
	return nil
}

// append appends the block to the segment.
func (w *Writer) append() error {
	index := &w.block.index
	w.buf = appendFrame(w.buf[:0], kindBlock, w.block.pack(w.packer))
	full := w.at.size+int64(len(w.buf)+2*index.room()+w.index.room()) > w.settings.SegmentBytes
	if w.file != nil && len(w.index.list) > 0 && (full || len(w.index.blocks) == maxBlocks) {
		if err := w.finish(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	index.blocks = [][2]int64{{w.at.size, int64(len(index.list))}}
	w.buf = appendFrame(w.buf, kindIndex, index.pack(w.packer))
	if err := w.write(w.buf); err != nil {
		return err
	}
	w.index.join(index)
	return nil
}

// write appends bytes to the segment: all, or none. A segment that cannot be cut back is
// left as one that a killed process left.
func (w *Writer) write(b []byte) error {
	_, err := w.file.WriteAt(b, w.at.size)
	if err == nil {
		w.at.size += int64(len(b))
		return nil
	}
	if cut := w.file.Truncate(w.at.size); cut != nil {
		err = errors.Join(err, cut, w.file.Close())
		w.file = nil
		w.older = append(w.older, w.at)
	}
	return err
}

// begin makes room for a new segment, and begins it.
func (w *Writer) begin() error {
	if err := w.limit(); err != nil {
		return err
	}
	w.head.Began = time.Now().UTC()
	head, err := w.head.pack(w.packer)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(segmentPath(w.dir, w.at.number+1), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w.at, w.index = file{number: w.at.number + 1}, rows{}
	begin := appendFrame([]byte(magic), kindHead, head)
	if _, err := f.WriteAt(begin, 0); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	w.file, w.at.size = f, int64(len(begin))
	return nil
}

// limit removes the oldest segments, so that the trace stays within its limit when the
// next one is full.
func (w *Writer) limit() error {
	total := w.settings.SegmentBytes
	for _, f := range w.older {
		total += f.size
	}
	for len(w.older) > 0 && total > w.settings.MaxBytes {
		if err := os.Remove(segmentPath(w.dir, w.older[0].number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		total -= w.older[0].size
		w.older = w.older[1:]
	}
	return nil
}

// finish closes the segment, if one is open.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	err := w.write(footer(&w.index, w.at.size, w.packer))
	if w.file == nil {
		return err
	}
	err = errors.Join(err, w.file.Sync(), w.file.Close())
	w.file = nil
	w.older = append(w.older, w.at)
	return err
}

// footer is what ends a segment whose blocks end at an offset.
func footer(index *rows, at int64, p *packer) []byte {
	return appendTrailer(appendFrame(nil, kindFooter, index.pack(p)), at)
}

// seal closes a segment that a killed process left open, and returns its size. One
// without a block is removed.
func seal(path string, p *packer) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	var s segment
	err = s.read(f, info.Size())
	if errors.Is(err, errForeign) || err == nil && s.closed {
		return info.Size(), nil
	}
	if err != nil {
		return 0, err
	}
	if len(s.parts) == 0 && s.damaged == 0 {
		return 0, os.Remove(path)
	}
	var all rows
	for _, x := range s.parts {
		all.take(x)
	}
	if err := f.Truncate(s.end); err != nil {
		return 0, err
	}
	end := footer(&all, s.end, p)
	if _, err := f.WriteAt(end, s.end); err != nil {
		return 0, err
	}
	return s.end + int64(len(end)), f.Sync()
}
