package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	segmentSize  = 64 << 20 // bytes from which on the next group begins a new segment
	staleFactor  = 16       // … of them that part, where nothing in the segment is in use
	segmentEnd   = ".groups"
	freshEnd     = ".new" // of a file that will take the place of another
	sparseFactor = 4      // a segment is written anew where less than this part of its groups is in use
)

// A segments holds the bodies of groups, in files of which the last one grows.
type segments struct {
	fs        files
	most      int64 // bytes from which on the next group begins a new segment
	commits   committer[*placing]
	squeezing sync.Mutex // held while a segment is written anew

	mu     sync.Mutex
	list   []*segment // oldest first; the last one is written to
	places map[uint64]place
	keys   map[Key]struct{}
	low    uint64 // no lower number is in use
	last   uint64 // highest number that was given
	rotten int    // damaged places that were found in opening
}

// A segment is one of the files.
type segment struct {
	*journal
	number int
	groups int // that were ever in it
	live   int // of them, those in use
}

// A place is where a body stands.
type place struct {
	in   *segment
	at   int64
	size int64
	key  Key
}

// A placing is records that are put together.
type placing struct {
	records []Record
	sum     uint32 // of all bodies, made by whoever puts them, not by the one who writes for all
	seqs    []uint64
}

func newPlacing(records []Record) *placing {
	p := &placing{records: records, seqs: make([]uint64, len(records))}
	for _, r := range records {
		p.sum = crc32.Update(p.sum, castagnoli(), r.Body)
	}
	return p
}

// openSegments opens the segments of a folder, or makes the first.
func openSegments(fs files, most int64) (*segments, error) {
	s := &segments{fs: fs, most: most, places: make(map[uint64]place), keys: make(map[Key]struct{})}
	s.commits.write = s.write
	names, err := fs.names()
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, name := range names {
		if strings.HasSuffix(name, freshEnd) { // the process ended before it took its place
			if err := fs.remove(name); err != nil {
				return nil, err
			}
		}
		head, ok := strings.CutSuffix(name, segmentEnd)
		if n, err := strconv.Atoi(head); ok && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if err := s.open(n, i == len(numbers)-1); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if len(s.list) == 0 {
		err = s.grow()
	}
	s.low = s.last + 1
	for seq := range s.places {
		s.low = min(s.low, seq)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func segmentName(n int) string { return fmt.Sprintf("%08d%s", n, segmentEnd) }

// open opens segment n and takes its groups into the index. The last one of a folder
// may have been made, and not written to, when the machine stopped.
func (s *segments) open(n int, last bool) error {
	j, v, err := openJournal(s.fs, segmentName(n), kindGroups, last)
	if last && errors.Is(err, errHeadless) {
		return s.fs.remove(segmentName(n))
	}
	if err != nil {
		return err
	}
	seg := &segment{journal: j, number: n}
	s.list = append(s.list, seg)
	s.last = max(s.last, j.head.next-1)
	s.rotten += v.rotten
	for _, f := range v.frames {
		list, err := decodeTable(f)
		if err != nil {
			s.rotten++
			continue
		}
		for _, e := range list {
			s.enter(e.Seq, place{seg, e.at, int64(e.Size), e.Key})
		}
	}
	return nil
}

// enter takes a body into the index. s.mu is held.
func (s *segments) enter(seq uint64, p place) {
	s.places[seq] = p
	s.keys[p.key] = struct{}{}
	s.last = max(s.last, seq)
	p.in.groups++
	p.in.live++
}

// grow begins a new segment.
func (s *segments) grow() error {
	n := 1
	if last := s.newest(); last != nil {
		n = last.number + 1
	}
	j, err := makeJournal(s.fs, segmentName(n), fileHead{kind: kindGroups, next: s.last + 1})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, &segment{journal: j, number: n})
	return nil
}

// newest is the segment that is written to, or nil.
func (s *segments) newest() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return nil
	}
	return s.list[len(s.list)-1]
}

// write puts records, those of each placing together.
func (s *segments) write(all []*placing) error {
	seg, err := s.writable()
	if err != nil {
		return err
	}
	var frames []frame
	var entered []placed
	at, next := seg.size, s.last+1
	fresh := make(map[Key]struct{})
	for _, p := range all {
		f, list := s.frame(p, next, fresh)
		if len(list) == 0 {
			continue
		}
		from := at + prefixLen + int64(len(f.head))
		for i := range list {
			list[i].at += from
		}
		frames, entered = append(frames, f), append(entered, list...)
		at += f.size()
		next += uint64(len(list))
	}
	if len(frames) == 0 {
		return nil
	}
	if err := seg.journal.write(frames); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entered {
		s.enter(e.Seq, place{seg, e.at, int64(e.Size), e.Key})
	}
	return nil
}

// frame makes a frame of those records of p whose keys are not there; their numbers
// begin with next. fresh are the keys that are about to be written.
func (s *segments) frame(p *placing, next uint64, fresh map[Key]struct{}) (frame, []placed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := frame{sum: p.sum}
	var list []placed
	at := int64(0)
	for i, r := range p.records {
		_, there := s.keys[r.Key]
		_, twice := fresh[r.Key]
		if there || twice {
			continue
		}
		fresh[r.Key] = struct{}{}
		p.seqs[i] = next + uint64(len(list))
		list = append(list, placed{Listed{p.seqs[i], r.Key, r.Meta, len(r.Body)}, at})
		f.payload = append(f.payload, r.Body)
		at += int64(len(r.Body))
	}
	if f.head = encodeTable(list); len(list) < len(p.records) {
		f.sum = sumOf(f.payload)
	}
	return f, list
}

// writable returns the segment that is written to.
func (s *segments) writable() (*segment, error) {
	seg := s.newest()
	s.mu.Lock()
	stale := seg.live == 0 && seg.size > s.most/staleFactor
	s.mu.Unlock()
	if seg.broken() || !stale && seg.size < s.most {
		return seg, nil
	}
	if err := s.grow(); err != nil {
		return nil, err
	}
	s.tidy()
	return s.newest(), nil
}

// body reads the body of seq.
func (s *segments) body(seq uint64) ([]byte, error) {
	var before place
	for {
		s.mu.Lock()
		p, ok := s.places[seq]
		var f file
		if ok {
			f = p.in.f
		}
		s.mu.Unlock()
		if !ok {
			return nil, ErrUnknown
		}
		b := make([]byte, p.size)
		_, err := f.ReadAt(b, p.at)
		if err == nil {
			return b, nil
		}
		if p == before || !errors.Is(err, os.ErrClosed) { // it was not moved meanwhile
			return nil, fmt.Errorf("%s: %w: %w", p.in.name, ErrUnreachable, err)
		}
		before = p
	}
}

// free takes bodies out of the index, and removes the segments that are not needed
// any more.
func (s *segments) free(below uint64, seqs []uint64) {
	s.mu.Lock()
	for ; s.low < below && s.low <= s.last; s.low++ {
		s.forget(s.low)
	}
	for _, seq := range seqs {
		s.forget(seq)
	}
	s.mu.Unlock()
	s.tidy()
}

// forget takes a body out of the index, if it is there. s.mu is held.
func (s *segments) forget(seq uint64) {
	p, ok := s.places[seq]
	if !ok {
		return
	}
	delete(s.places, seq)
	delete(s.keys, p.key)
	p.in.live--
}

// tidy removes segments in which nothing is in use, but for the last. What cannot be
// removed now is removed later.
func (s *segments) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.list[len(s.list)-1]
	s.list = slices.DeleteFunc(s.list, func(seg *segment) bool {
		return seg != last && seg.live == 0 && s.fs.remove(seg.name) == nil && seg.f.Close() == nil
	})
	if len(s.places) == 0 {
		s.places, s.keys = make(map[uint64]place), make(map[Key]struct{}) // their memory, too
	}
}

// sparse returns a segment of which little is in use, or nil.
func (s *segments) sparse() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.list[:len(s.list)-1] {
		if seg.live > 0 && seg.live*sparseFactor < seg.groups {
			return seg
		}
	}
	return nil
}

// squeeze writes segments anew of which little is in use, without the rest.
func (s *segments) squeeze() error {
	if !s.squeezing.TryLock() {
		return nil
	}
	defer s.squeezing.Unlock()
	for {
		seg := s.sparse()
		if seg == nil {
			return nil
		}
		if err := s.rewrite(seg); err != nil {
			return fmt.Errorf("%s: written anew: %w", seg.name, err)
		}
	}
}

// rewrite writes what is in use of seg to a file that takes its place.
func (s *segments) rewrite(seg *segment) error {
	frames, moved, err := s.inUse(seg)
	if err != nil {
		return err
	}
	j, err := makeJournal(s.fs, seg.name+freshEnd, seg.head)
	if err != nil {
		return err
	}
	if err = j.write(frames); err == nil {
		err = s.fs.rename(j.name, seg.name)
	}
	if err != nil {
		return errors.Join(err, j.f.Close(), s.fs.remove(j.name))
	}
	j.name = seg.name
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := &segment{journal: j, number: seg.number}
	for _, e := range moved {
		if p, ok := s.places[e.Seq]; ok && p.in == seg {
			s.enter(e.Seq, place{fresh, e.at, p.size, p.key})
		}
	}
	s.list[slices.Index(s.list, seg)] = fresh
	return errors.Join(s.fs.sync(), seg.f.Close()) // both files say the same of what is in use
}

// inUse returns frames with what is in use of seg, and where they stand in a file of
// them alone.
func (s *segments) inUse(seg *segment) (frames []frame, moved []placed, err error) {
	v, err := seg.source(seg.size).survey(false)
	if err != nil {
		return nil, nil, err
	}
	at := int64(fileHeadLen)
	for e := range v.bodies() {
		body, err := s.body(e.Seq)
		if errors.Is(err, ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		one := newFrame(encodeTable([]placed{e}), body)
		e.at = at + prefixLen + int64(len(one.head))
		frames, moved = append(frames, one), append(moved, e)
		at += one.size()
	}
	return frames, moved, nil
}

// show lists the bodies that are in use, in their order.
func (s *segments) show(show func(Listed)) error {
	for _, seg := range s.list {
		v, err := seg.source(seg.size).survey(false)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", seg.name, ErrUnreachable, err)
		}
		for e := range v.bodies() {
			if p, ok := s.places[e.Seq]; ok && p.in == seg {
				show(e.Listed)
			}
		}
	}
	return nil
}

// bodies are the bodies of a survey. A frame that cannot be read was counted in opening.
func (v survey) bodies() iter.Seq[placed] {
	return func(yield func(placed) bool) {
		for _, f := range v.frames {
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
	s.free(s.last+1, nil)
	return nil
}

func (s *segments) close() error {
	errs := make([]error, 0, len(s.list))
	for _, seg := range s.list {
		errs = append(errs, seg.f.Close())
	}
	return errors.Join(errs...)
}

// A placed is a body with its offset.
type placed struct {
	Listed
	at int64
}

// rowLen is the size of the fixed part of a row of a table; see docs/formats/stream.md.
const rowLen = 36

// encodeTable is the head of a frame of bodies: a row for each.
func encodeTable(list []placed) []byte {
	var b []byte
	for _, e := range list {
		b = binary.LittleEndian.AppendUint64(b, e.Seq)
		b = append(b, e.Key[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Meta)))
		b = append(b, e.Meta...)
	}
	return b
}

// decodeTable reads the head of a frame of bodies. The bodies follow one another in
// its payload.
func decodeTable(f framed) (list []placed, err error) {
	b, at := f.head, f.payload
	for len(b) > 0 {
		if len(b) < rowLen {
			return list, errTable
		}
		e := placed{at: at}
		e.Seq = binary.LittleEndian.Uint64(b)
		e.Key = Key(b[8:24])
		size, meta := binary.LittleEndian.Uint64(b[24:]), binary.LittleEndian.Uint32(b[32:])
		b = b[rowLen:]
		if size > uint64(f.end()-at) || uint64(meta) > uint64(len(b)) {
			return list, errTable
		}
		e.Size, e.Meta, b = int(size), b[:meta:meta], b[meta:]
		at += int64(size)
		list = append(list, e)
	}
	if at != f.end() {
		return list, errTable
	}
	return list, nil
}

// errTable says that a frame is not one of bodies.
var errTable = errors.New("the table of bodies does not fit the frame")
