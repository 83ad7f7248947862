package files

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// Files without live groups are removed; files with few are compacted.
const (
	sparseFactor = 4 // sparse: less than one live byte in this many
	smallFactor  = 8 // neighbours below this fraction of a segment's size are merged
)

// free drops bodies from the index, and reclaims space.
func (s *segments) free(below uint64, seqs []uint64) error {
	s.mu.Lock()
	for ; s.low < below && s.low <= s.last; s.low++ {
		s.forget(s.low)
	}
	for _, seq := range seqs {
		s.forget(seq)
	}
	for _, seg := range s.list {
		seg.spans = slices.DeleteFunc(seg.spans, func(p span) bool { return p.to < below })
	}
	s.mu.Unlock()
	s.tidy()
	return s.compact()
}

// forget drops a body from the index, if present. s.mu is held.
func (s *segments) forget(seq uint64) {
	if seg := s.find(seq); seg != nil {
		seg.release(seq)
	}
}

// tidy removes the segments without live groups, except the last and busy ones, now or
// later.
func (s *segments) tidy() {
	doomed := s.unused()
	if len(doomed) == 0 {
		return
	}
	// The groups of a segment may have moved to another file, so its name must be durable.
	err := s.catalog.folder.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range doomed {
		seg.busy = false
		if err == nil && s.catalog.drop(seg.name) == nil {
			s.list = slices.DeleteFunc(s.list, func(other *segment) bool { return other == seg })
			err = seg.File.Close()
		}
	}
}

// unused returns the segments to remove, and marks them busy.
func (s *segments) unused() (list []*segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.list[:len(s.list)-1] {
		if !seg.busy && seg.live == 0 && len(seg.spans) == 0 {
			seg.busy = true
			list = append(list, seg)
		}
	}
	return list
}

// sparse reports whether little of the segment is live. After a rewrite it never is. The
// mutex of segments is held.
func (seg *segment) sparse() bool { return seg.bytes*sparseFactor < seg.total }

// compactable returns segments to be rewritten as one, and marks them busy: a sparse one, or
// two small neighbours. It returns nil if there are none.
func (s *segments) compactable() []*segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	closed := s.list[:len(s.list)-1]
	for i, seg := range closed {
		if seg.fixed() || seg.live == 0 {
			continue
		}
		if seg.sparse() {
			return occupy(closed[i : i+1])
		}
		if i == 0 || closed[i-1].fixed() {
			continue
		}
		if most := s.most / smallFactor; seg.Size() < most && closed[i-1].Size() < most {
			return occupy(closed[i-1 : i+1])
		}
	}
	return nil
}

// fixed reports whether the segment stays as it is for now. The mutex of segments is held.
func (seg *segment) fixed() bool { return seg.busy || len(seg.spans) > 0 || seg.stuck.lasts() }

// A delay is the time until another attempt at what the disk could not read.
type delay struct {
	until time.Time // zero: none
	tries int
}

// delays is how long a delay lasts.
var delays = pause.Backoff{First: time.Minute, Most: 64 * time.Minute}

func (d *delay) lasts() bool { return time.Now().Before(d.until) }

// begin begins a delay, and reports whether it is the first.
func (d *delay) begin() (first bool) {
	d.tries++
	d.until = time.Now().Add(delays.After(d.tries))
	return d.tries == 1
}

func occupy(list []*segment) []*segment {
	for _, seg := range list {
		seg.busy = true
	}
	return slices.Clone(list)
}

// compact rewrites segments with only their live groups. An unreadable segment stays as it
// is.
func (s *segments) compact() error {
	if !s.compacting.TryLock() {
		return nil
	}
	defer s.compacting.Unlock()
	for {
		run := s.compactable()
		if run == nil || !s.fits(run) {
			s.release(run)
			return nil
		}
		err := s.rewrite(run)
		s.release(run)
		s.tidy() // their last groups may be gone by now
		if err != nil {
			return fmt.Errorf("rewriting %s: %w", run[0].name, err)
		}
	}
}

// release marks segments idle.
func (s *segments) release(run []*segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range run {
		seg.busy = false
	}
}

// fits reports whether the disk has room for the live groups of segments. Without it,
// reading them on every acknowledgement would be futile.
func (s *segments) fits(run []*segment) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	need := int64(0)
	for _, seg := range run {
		need += min(seg.bytes, seg.Size())
	}
	free, _, ok := s.catalog.folder.Space()
	return !ok || free > need
}

// rewrite moves the live groups of neighbouring segments to a file that replaces the first.
func (s *segments) rewrite(run []*segment) error {
	var frames []wal.Frame
	var moved []placed
	at := int64(wal.HeadLen)
	for _, seg := range run {
		f, m, err := s.inUse(seg, at)
		if errors.Is(err, queue.ErrUnreadable) {
			s.stick(seg, err)
			return nil
		}
		if err != nil {
			return err
		}
		frames, moved = append(frames, f...), append(moved, m...)
		for _, one := range f {
			at += one.Size()
		}
	}
	first := run[0]
	ff, err := renew(first.frameFile, frames)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := &segment{frameFile: ff, number: first.number}
	for _, e := range moved {
		if slices.Contains(run, s.find(e.Seq)) { // not freed meanwhile
			fresh.enter(e)
		}
	}
	for _, seg := range run {
		seg.rows, seg.live, seg.bytes = nil, 0, 0 // all were moved
	}
	s.list[slices.Index(s.list, first)] = fresh                     // still present: tidy spares busy segments
	return errors.Join(s.catalog.folder.Sync(), first.File.Close()) // until the sync, either file serves
}

// stick keeps a segment from being rewritten for now. It reports that once.
func (s *segments) stick(seg *segment, why error) {
	s.mu.Lock()
	first := seg.stuck.begin()
	s.mu.Unlock()
	if first {
		s.catalog.damaged.Add(1)
		s.catalog.log.Error("a file stays as it is, because some of it cannot be read", "file", seg.name, "err", why)
	}
}

// inUse returns frames with the live groups of seg, and their places if the frames begin at
// offset at. It leaves none out: if one cannot be read, the error is [queue.ErrUnreadable].
func (s *segments) inUse(seg *segment, at int64) (frames []wal.Frame, moved []placed, err error) {
	v, err := seg.source().Scan(math.MaxInt64)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", queue.ErrUnreadable, err)
	}
	for e := range bodiesOf(v) {
		if !s.isIn(seg, e.Seq) {
			continue
		}
		body, err := s.body(e.Seq)
		if errors.Is(err, queue.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		one := wal.NewFrame(encodeTable([]placed{e}), body)
		e.at = at + wal.PrefixLen + int64(len(one.Head))
		frames, moved = append(frames, one), append(moved, e)
		at += one.Size()
	}
	if n := s.missingFrom(seg, moved); n > 0 {
		return nil, nil, fmt.Errorf("%w: %s not found in it", queue.ErrUnreadable, stats.Count(n, "group"))
	}
	return frames, moved, nil
}

// isIn reports whether seg has the live body of seq.
func (s *segments) isIn(seg *segment, seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return seg.find(seq) != nil
}

// missingFrom counts the live bodies of seg that are not in list.
func (s *segments) missingFrom(seg *segment, list []placed) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := seg.live
	for _, e := range list {
		if seg.find(e.Seq) != nil {
			n--
		}
	}
	return n
}

// reclaim gives back space on a full disk, even from the last segment.
func (s *segments) reclaim() error {
	var err error
	s.commits.alone(func() {
		last := s.newest()
		s.mu.Lock()
		waste := !last.broken() && last.sparse() && last.Size() > wal.HeadLen
		s.mu.Unlock()
		if waste {
			err = s.grow()
		}
	})
	s.tidy()
	return errors.Join(err, s.compact())
}
