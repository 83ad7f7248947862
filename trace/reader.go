package trace

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Reader finds and reads the records of a trace, even while a Writer of this or another
// process adds to it. It holds the index in memory, about 50 bytes per record, and no open
// file. Many goroutines may use it at once.
type Reader struct {
	dir string

	mu       sync.RWMutex
	segments []*segment // oldest first

	blocks sync.Mutex // guards the rest
	last   *unpacked  // the last block read; nil: none
	lastAt Ref        // its first record
	broken int        // reads that failed on damage
}

// Open returns a reader of the trace in dir, and reads the index.
func Open(dir string) (*Reader, error) {
	r := &Reader{dir: dir}
	if err := r.Refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads additions to the index since Open or the last Refresh, and forgets removed
// segments.
func (r *Reader) Refresh() error {
	numbers, err := segmentNumbers(r.dir)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[int]*segment{}
	for _, s := range r.segments {
		known[s.number] = s
	}
	var fresh []*segment
	for _, n := range numbers {
		s, err := r.refresh(known[n], n)
		if errors.Is(err, os.ErrNotExist) { // just removed
			continue
		}
		if err != nil {
			return fmt.Errorf("trace: %s: %w", segmentPath(r.dir, n), err)
		}
		fresh = append(fresh, s)
	}
	r.segments = fresh
	return nil
}

// refresh reads additions to segment n. s is its state so far; nil: new.
func (r *Reader) refresh(s *segment, n int) (*segment, error) {
	f, err := os.Open(segmentPath(r.dir, n))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if s == nil || info.Size() < s.end || s.closed && info.Size() != s.size { // another file
		s = &segment{number: n}
	}
	err = s.read(f, info.Size())
	if errors.Is(err, errForeign) {
		s.closed, s.damaged, err = true, 1, nil
	}
	return s, err
}

// Find returns the entries of the matches of q.
func (r *Reader) Find(q Query) []Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if q.By != ByTime {
		found, _ := r.sorted(&q)
		return found
	}
	var found []Entry
	for i := range q.order(len(r.segments)) {
		s := r.segments[i]
		for k := range q.order(len(s.parts)) {
			found = q.find(found, s.parts[k], s.number)
		}
	}
	return found
}

// Page is Find, with the number of all matches regardless of Limit and After.
func (r *Reader) Page(q Query) (found []Entry, matches int) {
	if q.By != ByTime {
		r.mu.RLock()
		defer r.mu.RUnlock()
		return r.sorted(&q)
	}
	found = r.Find(q)
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, s := range r.segments {
		for _, x := range s.parts {
			matches += q.filter(x).count()
		}
	}
	return found, matches
}

// Len is the number of records.
func (r *Reader) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	n := 0
	for _, s := range r.segments {
		n += s.records()
	}
	return n
}

// Head returns the head of a record's segment.
func (r *Reader) Head(at Ref) (Head, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, s := range r.segments {
		if s.number == at.Segment {
			return s.head, nil
		}
	}
	return Head{}, fmt.Errorf("trace: segment %d: %w", at.Segment, os.ErrNotExist)
}

// Damaged is the number of damaged frames and records found so far.
func (r *Reader) Damaged() int {
	r.blocks.Lock()
	n := r.broken
	r.blocks.Unlock()
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, s := range r.segments {
		n += s.damaged
	}
	return n
}

// Read reads a record, which the caller then owns. Errors include [ErrDamaged] and, if the
// segment was removed, [os.ErrNotExist]. It caches the last block, so reading in order is
// fast.
func (r *Reader) Read(at Ref) (*Record, error) {
	r.blocks.Lock()
	defer r.blocks.Unlock()
	block := Ref{at.Segment, at.Block, 0}
	if r.last == nil || r.lastAt != block {
		u, err := r.unpack(block)
		if err != nil {
			return nil, r.failed(at, err)
		}
		r.last, r.lastAt = u, block
	}
	record, err := r.last.record(at.Record)
	if err != nil {
		return nil, r.failed(at, fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	return record, nil
}

// failed adds the place to an error, and counts damage.
func (r *Reader) failed(at Ref, err error) error {
	if errors.Is(err, ErrDamaged) {
		r.broken++
	}
	return fmt.Errorf("trace: %s: record %d of the block at %d: %w", segmentPath(r.dir, at.Segment), at.Record, at.Block, err)
}

// unpack reads a block.
func (r *Reader) unpack(at Ref) (*unpacked, error) {
	f, err := os.Open(segmentPath(r.dir, at.Segment))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	block, whole, err := frameAt(f, at.Block, info.Size())
	if err != nil {
		return nil, err
	}
	if !whole || block.kind != kindBlock {
		return nil, fmt.Errorf("%w: there is no block", ErrDamaged)
	}
	payload, err := block.payload(f)
	if err != nil {
		return nil, err
	}
	return unpack(payload)
}
