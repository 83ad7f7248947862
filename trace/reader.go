package trace

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

// A Reader finds and reads the records of a trace, even while a Writer of this or another
// process adds to it. It holds the index in memory, about 50 bytes per record, and no open
// file. Many goroutines may use it at once.
type Reader struct {
	sources []Folder

	mu       sync.RWMutex
	marks    []mark      // of the sources, read before their segments
	segments []*segment  // oldest first, of one source after the other
	joined   []joinedRow // of several sources
	parts    int         // indices that joined has

	gradings map[string]*Grading // newest ones by group; nil: records stay as they are
	beside   struct {            // what Graded knows
		sync.Mutex
		gradings map[string]*Grading
		size     int64 // of the files
	}

	blocks sync.Mutex // guards the rest
	last   *unpacked  // the last block read; nil: none
	lastAt Ref        // its first record
	broken int        // reads that failed on damage
	bad    []Ref      // blocks that cannot be read
}

// Open returns a reader of the trace in dir, and reads the index.
func Open(dir string) (*Reader, error) {
	return Join(Folder(dir))
}

// Join returns a reader of one trace, or of several as if they were one: in the order of time,
// and each group of a run once, even if the process of another folder took over the run and
// played it again. Folders that are missing may come later; the error is [os.ErrNotExist] if all are.
func Join(sources ...Folder) (*Reader, error) {
	r := &Reader{sources: sources}
	if err := r.Refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads additions to the index since Open or the last Refresh, and forgets removed
// segments.
func (r *Reader) Refresh() error {
	var marks []mark
	for _, source := range r.sources {
		said, _ := source.mark()
		marks = append(marks, said)
	}
	numbers, err := r.numbers()
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marks = marks
	known := map[Ref]*segment{}
	for _, s := range r.segments {
		known[s.at()] = s
	}
	var fresh []*segment
	for i, source := range r.sources {
		for _, n := range numbers[i] {
			at := Ref{Segment: n, Source: i}
			s, err := r.refresh(known[at], at)
			if errors.Is(err, os.ErrNotExist) { // just removed
				continue
			}
			if err != nil {
				return fmt.Errorf("trace: %s: %w", source.name(n), err)
			}
			fresh = append(fresh, s)
		}
	}
	if parts := partsOf(fresh); len(r.sources) > 1 && (parts != r.parts || !slices.Equal(fresh, r.segments)) {
		r.joined, r.parts = join(fresh), parts
	}
	r.segments = fresh
	return nil
}

// numbers lists the segments of each source. One that is missing has none, unless all are.
func (r *Reader) numbers() (all [][]int, err error) {
	there := 0
	for _, source := range r.sources {
		numbers, missing := source.Segments()
		if missing != nil && !errors.Is(missing, os.ErrNotExist) {
			return nil, missing
		}
		if missing == nil {
			there++
		} else if err == nil {
			err = missing
		}
		all = append(all, numbers)
	}
	if there > 0 {
		err = nil
	}
	return all, err
}

// partsOf is the number of all indices of segments.
func partsOf(segments []*segment) (n int) {
	for _, s := range segments {
		n += len(s.parts)
	}
	return n
}

// refresh reads additions to the segment at a place. s is its state so far; nil: new.
func (r *Reader) refresh(s *segment, at Ref) (*segment, error) {
	f, err := r.sources[at.Source].open(at.Segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if s == nil || f.size() < s.end || s.closed && f.size() != s.size { // another file
		s = &segment{source: at.Source, number: at.Segment}
	}
	err = s.read(f, f.size())
	if errors.Is(err, errForeign) {
		s.closed, s.foreign, s.damaged, err = true, true, 1, nil
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
	if len(r.sources) > 1 {
		return r.findJoined(&q)
	}
	var found []Entry
	for i := range q.order(len(r.segments)) {
		s := r.segments[i]
		for k := range q.order(len(s.parts)) {
			found = q.find(found, s.parts[k], s.at())
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
	if s := r.segmentAt(at); s != nil {
		return s.head, nil
	}
	return Head{}, fmt.Errorf("trace: segment %d: %w", at.Segment, os.ErrNotExist)
}

// segmentAt returns the segment at a place, or nil.
func (r *Reader) segmentAt(at Ref) *segment {
	for _, s := range r.segments {
		if s.number == at.Segment && s.source == at.Source {
			return s
		}
	}
	return nil
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
	block := at
	block.Record = 0
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
	if r.gradings != nil {
		if g := r.gradings[record.Group()]; g != nil {
			g.Apply(record)
		}
	}
	return record, nil
}

// failed adds the place to an error, and counts damage.
func (r *Reader) failed(at Ref, err error) error {
	if errors.Is(err, ErrDamaged) {
		r.broken++
		block := at
		if block.Record = 0; !slices.Contains(r.bad, block) {
			r.bad = append(r.bad, block)
		}
	}
	name := fmt.Sprintf("source %d", at.Source)
	if at.Source >= 0 && at.Source < len(r.sources) {
		name = r.sources[at.Source].name(at.Segment)
	}
	return fmt.Errorf("trace: %s: record %d of the block at %d: %w", name, at.Record, at.Block, err)
}

// unpack reads a block.
func (r *Reader) unpack(at Ref) (*unpacked, error) {
	if at.Source < 0 || at.Source >= len(r.sources) {
		return nil, os.ErrNotExist
	}
	f, err := r.sources[at.Source].open(at.Segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	block, whole, err := frameAt(f, at.Block, f.size())
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
