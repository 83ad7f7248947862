package files

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// A span is the sequence numbers between two frames with a part between them that the disk
// cannot read. Some may be done or in another file.
type span struct {
	from, to uint64 // to: 0 for the end of the file
	why      error
}

// spansOf are the numbers in the unreadable parts of a file that begins with number next.
func spansOf(v wal.Scan, next uint64) (list []span) {
	var gaps []wal.Gap
	for _, g := range v.Gaps {
		if g.Why != nil {
			gaps = append(gaps, g)
		}
	}
	hide := func(to uint64) {
		if len(list) == 0 || list[len(list)-1].from < next {
			list = append(list, span{next, to, gaps[0].Why})
		}
		gaps = gaps[1:]
	}
	for _, f := range v.Frames {
		rows, _ := decodeTable(f)
		for len(rows) > 0 && len(gaps) > 0 && gaps[0].From < f.At {
			hide(rows[0].Seq - 1)
		}
		if len(gaps) == 0 {
			break
		}
		if gaps[0].From == f.At { // its table can be read, so each body can be tried
			gaps = gaps[1:]
		}
		if len(rows) > 0 {
			next = rows[len(rows)-1].Seq + 1
		}
	}
	for len(gaps) > 0 {
		hide(0)
	}
	return list
}

// settle ends the spans that reach to the end of a file, where the next file begins.
func (s *segments) settle() {
	for i, seg := range s.list {
		var list []span
		for _, p := range seg.spans {
			if p.to == 0 && i+1 < len(s.list) {
				p.to = s.list[i+1].Head.Number - 1
			} else if p.to == 0 {
				p.to = s.last
			}
			if p.from <= p.to {
				list = append(list, p)
				s.low = min(s.low, p.from)
			}
		}
		seg.spans = list
	}
}

// hidden returns the error of reading a body without a row: [queue.ErrUnknown], unless it may
// be in an unreadable part.
func (s *segments) hidden(seq uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.list {
		for _, p := range seg.spans {
			if p.from <= seq && seq <= p.to {
				return fmt.Errorf("%s: %w: %w", seg.name, queue.ErrUnreadable, p.why)
			}
		}
	}
	return queue.ErrUnknown
}

// failed returns the error of a body that the disk cannot read. With each further failure
// without a success in between, it gives up four times as many neighbours in the file.
func (s *segments) failed(seg *segment, seq uint64, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := &queue.UnreadableError{From: seq, Through: seq, Err: fmt.Errorf("%s: %w", seg.name, why)}
	if n := len(seg.rows); n > 0 {
		more := 1<<min(2*seg.failures.Add(1)-2, 30) - 1
		at := min(seg.place(seq), n-1)
		fault.From, fault.Through = seg.rows[max(0, at-more)].seq, seg.rows[min(n-1, at+more)].seq
	}
	return fault
}

// holder is the name of the file that has or had a number, as far as anybody knows, and
// whether it is gone.
func (s *segments) holder(seq uint64) (name string, gone bool) {
	best := uint64(0)
	for file, l := range s.catalog.found.files {
		if kindOf(file) == kindGroups && l.next <= seq && l.next > best {
			name, gone, best = file, !s.catalog.has(file), l.next
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.list {
		if seg.Head.Number <= seq && seg.Head.Number > best {
			name, gone, best = seg.name, false, seg.Head.Number
		}
	}
	return name, gone
}
