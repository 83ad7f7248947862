package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/wal"
)

const (
	blockSize  = 256 << 10   // bytes of a full block, before compression
	maxBlocks  = 2048        // of a segment: an open one is read block by block
	flushEvery = time.Second // longest wait of a record, while Run runs
)

// A Writer adds records to a trace, in blocks that it collects in memory. While Run runs, no
// record waits longer than a second. Written blocks survive a crash of the process, and closed
// segments a crash of the machine. A folder may have only one Writer at a time. Many goroutines
// may use it at once.
type Writer struct {
	dir      string
	head     Head
	settings Settings

	mu     sync.Mutex
	block  block
	packer *packer
	buf    []byte   // scratch for frames
	older  []file   // closed segments, oldest first
	first  int      // the oldest segment that was not removed for room
	file   diskFile // open segment; nil: the next block begins one
	at     file     // place and size of that segment
	index  rows     // index of that segment
	mark   *wal.Mark[mark]
	closed bool
}

// A diskFile has the methods of *os.File that a Writer needs.
type diskFile interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A file is a writer's state of a segment.
type file struct {
	number int
	size   int64
}

// NewWriter returns a writer of the trace in dir, made if need be. If a killed process left
// a segment open, it cuts the segment after the last complete block and closes it. The first
// block begins a new segment.
func NewWriter(dir string, head Head, s Settings) (*Writer, error) {
	w := &Writer{dir: dir, head: head, settings: s, packer: newPacker()}
	if _, err := head.pack(w.packer); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if err := datadir.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	numbers, err := segmentNumbers(dir)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	said, copied := Folder(dir).mark()
	if copied { // the reader has told what it says
		said = mark{}
	}
	for i, n := range numbers {
		groups := 0
		if i < len(numbers)-1 {
			groups = math.MaxInt // it was closed
		} else if said.Last == uint64(n) {
			groups = int(said.Groups)
		}
		size, err := seal(segmentPath(dir, n), w.packer, groups)
		if err != nil {
			return nil, fmt.Errorf("trace: %s: %w", segmentPath(dir, n), err)
		}
		w.at.number = n
		if size > 0 {
			w.older = append(w.older, file{n, size})
		}
	}
	if err := datadir.SyncFolder(dir); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	w.mark = wal.OpenMark[mark](wal.NewPool(1), datadir.MarkBeside(dir), 1)
	w.at.number = max(w.at.number, int(said.Last)) // a file that is missing leaves a gap
	w.first = cmp.Or(int(said.First), append(numbers, w.at.number+1)[0])
	return w, nil
}

// Write adds a record. If it is invalid, the error names the field, and nothing is added. If
// the disk fails, all unwritten records are lost, but a later Write may succeed.
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

// A LostError says that records in memory could not be written, and why.
type LostError struct {
	Groups int
	Why    error // the disk's
}

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("trace: %s lost: %v", stats.Count(e.Groups, "group"), e.Why)
}

// Unwrap returns why.
func (e *LostError) Unwrap() error { return e.Why }

// Flush writes the records in memory.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put()
}

// Run flushes every second, until ctx ends or the disk fails.
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

// Close writes the records in memory, closes the segment and syncs it. Closing again does
// nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.put(), w.finish(), w.mark.Close())
}

// put writes the block and its index, in a new segment if this one is full.
func (w *Writer) put() error {
	n := len(w.block.shares)
	if n == 0 {
		return nil
	}
	err := w.append()
	w.block.reset()
	if err != nil {
		return &LostError{n, err}
	}
	return nil
}

// append appends the block to the segment.
func (w *Writer) append() error {
	index := &w.block.index
	w.buf = appendFrame(w.buf[:0], kindBlock, w.block.pack(w.packer))
	full := w.at.size+int64(len(w.buf)+2*index.room()+w.index.room()) > w.settings.SegmentBytes
	if w.file != nil && w.index.count > 0 && (full || len(w.index.blocks) == maxBlocks) {
		if err := w.finish(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	index.blocks = [][2]int64{{w.at.size, int64(index.count)}}
	w.buf = appendFrame(w.buf, kindIndex, index.pack(w.packer))
	if err := w.write(w.buf); err != nil {
		return err
	}
	w.index.join(index)
	w.note()
	return nil
}

// write appends bytes to the segment, all or none. If it cannot cut off a failed write, it
// leaves the segment open, as a killed process does.
func (w *Writer) write(b []byte) error {
	if _, err := w.file.WriteAt(b, w.at.size); err != nil {
		return w.undo(err)
	}
	w.at.size += int64(len(b))
	return nil
}

// undo cuts off a write that failed with err, which it returns.
func (w *Writer) undo(err error) error {
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
	w.note()
	return nil
}

// limit removes the oldest segments until a new full segment fits the limit.
func (w *Writer) limit() error {
	total := w.settings.SegmentBytes
	for _, f := range w.older {
		total += f.size
	}
	for len(w.older) > 0 && total > w.settings.MaxBytes {
		oldest := w.older[0]
		w.first = oldest.number + 1
		w.note() // before the file goes, so that nobody misses it
		if err := os.Remove(segmentPath(w.dir, oldest.number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		total -= oldest.size
		w.older = w.older[1:]
	}
	return nil
}

// finish closes the open segment, if any.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	err := w.write(footer(&w.index, w.at.size, w.packer))
	if w.file == nil {
		return err
	}
	err = errors.Join(err, w.file.Sync(), w.file.Close(), datadir.SyncFolder(w.dir))
	w.file = nil
	w.older = append(w.older, w.at)
	return err
}

// footer returns the footer and trailer of a segment whose blocks end at offset at.
func footer(index *rows, at int64, p *packer) []byte {
	return appendTrailer(appendFrame(nil, kindFooter, index.pack(p)), at)
}

// seal closes a segment left open by a killed process, and returns its size. It removes one
// without blocks. One that is damaged, or should have more groups, stays as it is: with an end, nobody
// would notice.
func seal(path string, p *packer, groups int) (size int64, err error) {
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
	if s.damaged > 0 || s.count() < groups {
		return info.Size(), nil
	}
	if len(s.parts) == 0 {
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
