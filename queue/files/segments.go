package files

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

const (
	segmentSize = 64 << 20 // bytes at which a segment is full
	staleFactor = 16       // without live groups, a segment is full at this fraction

	summedAtOnce = 1 << 20 // bytes: the scheduler cannot interrupt a sum
	segmentEnd   = ".groups"
)

// segments store the bodies of groups in files. The last file grows.
type segments struct {
	catalog    *catalog
	most       int64 // bytes at which a segment is full
	commits    committer[*placing]
	compacting sync.Mutex // held to rewrite segments

	mu     sync.Mutex
	list   []*segment // oldest first; the last one grows
	low    uint64     // all lower numbers are free
	last   uint64     // highest sequence number given
	number int        // highest segment number so far
}

// A segment is one of the files.
type segment struct {
	*frameFile
	number int
	rows   []row  // ascending; of all live groups and some free ones
	live   int    // live groups
	bytes  int64  // of live groups in a file, by extent.cost
	total  int64  // of all groups ever put into it
	busy   bool   // being rewritten or removed
	spans  []span // numbers that may be in unreadable parts; the file stays while it has any
	stuck  delay  // before another attempt to rewrite it, because some of it could not be read

	failures atomic.Int32 // reads of bodies that failed since the last success
}

// A placing is the records of one put.
type placing struct {
	records []queue.Record
	sum     uint32 // of all bodies; the callers compute it, not the one that writes for all
	seqs    []uint64
}

func newPlacing(records []queue.Record) *placing {
	p := &placing{records: records, seqs: make([]uint64, len(records))}
	for _, r := range records {
		for piece := range slices.Chunk(r.Body, summedAtOnce) {
			p.sum = wal.Sum(p.sum, piece)
		}
	}
	return p
}

// openSegments opens the segments of a folder, or makes the first.
func openSegments(in *catalog, most int64) (*segments, error) {
	s := &segments{catalog: in, most: most, last: max(in.found.last, in.ends.last(in.found.store))}
	s.commits.write = s.write
	numbers := in.segmentNumbers()
	s.number = in.newestListed()
	listed := s.number
	var err error
	for i, n := range numbers {
		s.number = max(s.number, n)
		if err = s.open(n, i == len(numbers)-1); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	// The name of a missing newest segment is not reused: somebody may put it back.
	if last := s.newest(); last == nil || last.number < listed {
		if listed > 0 { // the store never removes the newest itself
			in.damaged.Add(1)
			in.log.Error("the newest file of groups is missing", "file", segmentName(listed), "remedy", remedy)
		}
		err = s.grow()
	}
	s.low = s.last + 1
	for _, seg := range s.list {
		if len(seg.rows) > 0 {
			s.low = min(s.low, seg.rows[0].seq)
		}
	}
	s.settle()
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	in.gave(s.last)
	return s, nil
}

// segmentNumbers are the numbers of the segments to open, ascending. An older, unlisted one
// was put back by somebody after its groups counted as lost; it stays as it is.
func (c *catalog) segmentNumbers() (numbers []int) {
	newest := c.newestListed()
	for _, name := range c.names {
		n, ok := segmentNumber(name)
		if _, listed := c.found.files[name]; ok && (listed || n >= newest) {
			numbers = append(numbers, n)
		} else if strings.HasSuffix(name, segmentEnd) {
			c.log.Warn("a file is not one of the store's, and is ignored", "file", name)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// newestListed is the number of the newest segment in the manifest, or 0.
func (c *catalog) newestListed() (newest int) {
	for name := range c.found.files {
		if n, ok := segmentNumber(name); ok {
			newest = max(newest, n)
		}
	}
	return newest
}

func segmentName(n int) string { return fmt.Sprintf("%08d%s", n, segmentEnd) }

// segmentNumber is the number of a segment, by its name. No other name stands for it.
func segmentNumber(name string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimSuffix(name, segmentEnd))
	return n, err == nil && n >= 1 && name == segmentName(n)
}

// open opens segment n and indexes its groups. The machine may have stopped before the first
// write to the last segment.
func (s *segments) open(n int, last bool) error {
	name := segmentName(n)
	ff, v, err := openFrameFile(s.catalog, name, last)
	if last && errors.Is(err, errHeadless) {
		return s.catalog.drop(name)
	}
	if err != nil {
		return err
	}
	seg := &segment{frameFile: ff, number: n}
	s.list = append(s.list, seg)
	seg.spans = spansOf(v, ff.Head.Number)
	s.last = max(s.last, ff.Head.Number-1)
	for _, f := range v.Frames {
		list, err := decodeTable(f)
		if err != nil {
			if err := s.catalog.damage(name, wal.Gap{From: f.At, To: f.End()}, harmOf(kindGroups)); err != nil {
				return err
			}
			continue
		}
		for _, e := range list {
			if s.find(e.Seq) == nil { // the process may have ended during a merge, with the group in two files
				s.enter(seg, e)
			}
		}
	}
	return nil
}

// enter indexes a body. s.mu is held.
func (s *segments) enter(seg *segment, e placed) {
	seg.enter(e)
	s.last = max(s.last, e.Seq)
}

// find returns the segment with a live body, or nil. s.mu is held.
func (s *segments) find(seq uint64) *segment {
	for _, seg := range s.list {
		if seg.find(seq) != nil {
			return seg
		}
	}
	return nil
}

// grow begins a new segment.
func (s *segments) grow() error {
	n := s.number + 1
	ff, err := newFrameFile(s.catalog, segmentName(n), s.last+1)
	if err != nil {
		return err
	}
	s.catalog.hold(ff)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.number = append(s.list, &segment{frameFile: ff, number: n}), n
	return nil
}

// newest is the segment that grows, or nil.
func (s *segments) newest() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return nil
	}
	return s.list[len(s.list)-1]
}

// write writes the records of each placing in one frame.
func (s *segments) write(all []*placing) error {
	seg, err := s.writable()
	if err != nil {
		return err
	}
	frames := make([]wal.Frame, 0, len(all))
	var entered []placed
	at, next := seg.Size(), s.last+1
	for _, p := range all {
		f, list := p.frame(next)
		from := at + wal.PrefixLen + int64(len(f.Head))
		for i := range list {
			list[i].at += from
		}
		frames, entered = append(frames, f), append(entered, list...)
		at += f.Size()
		next += uint64(len(list))
	}
	if err := seg.frameFile.write(frames); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entered {
		s.enter(seg, e)
	}
	s.catalog.gave(s.last)
	s.catalog.ends.gave(s.catalog.found.store, s.last)
	return nil
}

// frame makes a frame of the records, numbered from next. Offsets count from its payload.
func (p *placing) frame(next uint64) (wal.Frame, []placed) {
	f := wal.Frame{Sum: p.sum}
	list := make([]placed, len(p.records))
	at := int64(0)
	for i, r := range p.records {
		p.seqs[i] = next + uint64(i)
		list[i] = placed{queue.Listed{Seq: p.seqs[i], Key: r.Key, Meta: r.Meta, Size: len(r.Body)}, at}
		f.Payload = append(f.Payload, r.Body)
		at += int64(len(r.Body))
	}
	f.Head = encodeTable(list)
	return f, list
}

// writable returns the segment to write to, a new one if need be.
func (s *segments) writable() (*segment, error) {
	seg := s.newest()
	s.mu.Lock()
	stale := seg.live == 0 && seg.Size() > s.most/staleFactor
	s.mu.Unlock()
	if seg.broken() || !stale && seg.Size() < s.most {
		return seg, nil
	}
	if err := s.grow(); err != nil {
		return nil, err
	}
	s.tidy()
	s.catalog.trySeal()
	return s.newest(), nil
}

// body reads the body of seq.
func (s *segments) body(seq uint64) ([]byte, error) {
	var before *segment
	for {
		seg, at, f := s.locate(seq)
		if seg == nil {
			return nil, s.hidden(seq)
		}
		b := make([]byte, at.size())
		_, err := f.ReadAt(b, at.at())
		if err == nil {
			seg.failures.Store(0)
			return b, nil
		}
		if seg == before { // it has not moved meanwhile
			return nil, s.failed(seg, seq, err)
		}
		before = seg
	}
}

// locate returns the segment of a live body, or nil, its place there, and the segment's
// file.
func (s *segments) locate(seq uint64) (*segment, extent, wal.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg := s.find(seq)
	if seg == nil {
		return nil, 0, nil
	}
	s.catalog.touch()
	return seg, seg.find(seq).extent, seg.File
}

// show lists the live bodies, in order, and after those of a file the numbers in its unreadable
// parts. If more of it has become unreadable since the opening, it shows the rest and returns
// [queue.ErrUnreadable].
func (s *segments) show(show func(queue.Listed)) error {
	var errs []error
	for _, seg := range s.list {
		v, err := seg.source().Scan(math.MaxInt64)
		if err = cmp.Or(err, seg.worse(v)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", seg.name, queue.ErrUnreadable, err))
		}
		for e := range bodiesOf(v) {
			if seg.find(e.Seq) != nil {
				show(e.Listed)
			}
		}
		for _, p := range seg.spans {
			show(queue.Listed{From: p.from, Seq: p.to, Err: fmt.Errorf("%s: %w: %w", seg.name, queue.ErrUnreadable, p.why)})
		}
	}
	return errors.Join(errs...)
}

// bodiesOf are the bodies of a scan. Unreadable frames were counted when the store was opened.
func bodiesOf(v wal.Scan) iter.Seq[placed] {
	return func(yield func(placed) bool) {
		for _, f := range v.Frames {
			list, _ := decodeTable(f)
			for _, e := range list {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// clear frees all bodies.
func (s *segments) clear() error {
	if err := s.grow(); err != nil {
		return err
	}
	return s.free(s.last+1, nil)
}

func (s *segments) close() error {
	errs := make([]error, 0, len(s.list))
	for _, seg := range s.list {
		errs = append(errs, seg.File.Close())
	}
	return errors.Join(errs...)
}
