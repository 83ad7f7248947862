package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/wal"
)

const (
	tidyEvery   = time.Second
	tidyAgain   = time.Minute // after many faults in a row
	smallFactor = 8           // a segment is small below this fraction of the size of a full one
)

// Run removes segments whose sessions are all forgotten, rewrites those that mostly hold such, and
// writes what Forget left, until ctx ends. If the disk fails it logs that, and tries again later.
// One at a time may run.
func (j *Journal) Run(ctx context.Context) error {
	pauses := pause.Backoff{First: tidyEvery, Most: tidyAgain}
	for faults := 0; pause.For(ctx, pauses.After(faults+1)); {
		if err := j.tidy(); err != nil {
			j.log.Warn("the session journal cannot be tidied up, and grows", "err", err)
			faults++
			continue
		}
		faults = 0
	}
	return nil
}

// tidy does once what Run does.
func (j *Journal) tidy() error {
	if err := j.flushAndRoll(); err != nil {
		return err
	}
	for {
		run := j.wasteful()
		if run == nil {
			return nil
		}
		if err := j.rewrite(run); err != nil {
			return fmt.Errorf("rewriting %s: %w", run[0].name(), err)
		}
	}
}

// flushAndRoll writes what is to be forgotten, and closes the open segment if most of it is
// waste.
func (j *Journal) flushAndRoll() error {
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	if err := j.flush(); err != nil {
		return err
	}
	j.mu.Lock()
	s := j.last()
	waste := s.Size() > j.most/smallFactor && s.sparse(false)
	j.mu.Unlock()
	if !waste {
		return nil
	}
	return j.roll()
}

// sparse reports whether less than half of the segment is needed. What forgets a session is
// needed as long as earlier segments have records of it; none has if this one is the first. The
// journal's mutex is held.
func (s *segment) sparse(first bool) bool {
	need := s.live
	if !first {
		for _, g := range s.graves {
			need += int64(g.size)
		}
	}
	return need == 0 || 2*need < s.Size()-wal.HeadLen
}

// wasteful returns neighbouring closed segments to be rewritten as one, of which one is sparse, or
// several are small; nil: none.
func (j *Journal) wasteful() []*segment {
	j.mu.Lock()
	defer j.mu.Unlock()
	closed := j.segments[:len(j.segments)-1]
	for from := 0; from < len(closed); {
		run, sparse := j.run(closed[from:], from == 0)
		if sparse || len(run) > 1 {
			return slices.Clone(run)
		}
		from += max(1, len(run))
	}
	return nil
}

// run returns the sparse and small segments at the beginning of list that fit one segment, and
// whether one is sparse. j.mu is held.
func (j *Journal) run(list []*segment, first bool) (run []*segment, sparse bool) {
	need := int64(0)
	for i, s := range list {
		thin := s.sparse(first)
		need += s.live
		if !thin && s.Size() >= j.most/smallFactor || i > 0 && need > j.most {
			return list[:i], sparse
		}
		sparse = sparse || thin
	}
	return list, sparse
}

// A kept frame is one that is needed.
type kept struct {
	place
	in      *segment
	session string // empty if it forgets one
}

// kept returns the frames of segments that are needed, in the order of writing. What forgets
// a session is not, if the segments are the first: they have all that it forgets.
func (j *Journal) kept(run []*segment) (list []kept) {
	j.mu.Lock()
	defer j.mu.Unlock()
	rank, in := make(map[uint32]int, len(run)), make(map[uint32]*segment, len(run))
	for i, s := range run {
		rank[s.number], in[s.number] = i, s
		if run[0] == j.segments[0] {
			continue
		}
		for _, g := range s.graves {
			list = append(list, kept{place: g, in: s})
		}
	}
	for session, places := range j.sessions {
		for _, p := range places {
			if s := in[p.segment]; s != nil {
				list = append(list, kept{p, s, session})
			}
		}
	}
	slices.SortFunc(list, func(a, b kept) int {
		return cmp.Or(cmp.Compare(rank[a.segment], rank[b.segment]), cmp.Compare(a.at, b.at))
	})
	return list
}

// rewrite replaces neighbouring closed segments by one with what is needed of them, or by none.
// Forgotten sessions lose records only here, after what forgets them has become durable.
func (j *Journal) rewrite(run []*segment) error {
	list := j.kept(run)
	var with []*segment
	var moved []place
	if len(list) > 0 {
		fresh, places, err := j.copy(list)
		if err != nil {
			return err
		}
		with, moved = []*segment{fresh}, places
	}
	if err := j.swap(run, with, func() { j.move(list, moved) }); err != nil {
		for _, s := range with { // the file is swept away once a manifest is written
			err = errors.Join(err, s.File.Close())
		}
		return err
	}
	j.reading.Lock()
	var errs []error
	for _, s := range run {
		errs = append(errs, s.File.Close())
	}
	j.reading.Unlock()
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	return errors.Join(append(errs, j.sweep())...)
}

// copy makes a durable segment of frames, and returns their places there.
func (j *Journal) copy(list []kept) (fresh *segment, moved []place, err error) {
	var fault error
	at := int64(wal.HeadLen)
	fresh, err = j.begin(func(yield func(wal.Frame) bool) {
		for _, k := range list {
			h, data, err := k.in.read(k.place)
			if err != nil {
				fault = fmt.Errorf("%s: %w", j.path(k.in.name()), err)
				return
			}
			h.flags &^= flagMore // all of its append are durable
			moved = append(moved, place{at: uint32(at), size: k.size})
			if at += int64(k.size); !yield(wal.NewFrame(h.encode(), data)) {
				return
			}
		}
	})
	if err == nil && fault != nil {
		err = errors.Join(fresh.File.Close(), j.folder.Remove(fresh.name()))
	}
	if err = errors.Join(fault, err); err != nil {
		return nil, nil, err
	}
	for i := range moved {
		moved[i].segment = fresh.number
	}
	return fresh, moved, nil
}

// swap replaces run durably, and calls also at the same moment for the index.
func (j *Journal) swap(run, with []*segment, also func()) error {
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	at := slices.Index(j.segments, run[0])
	after := slices.Replace(slices.Clone(j.segments), at, at+len(run), with...)
	if err := j.publish(after); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.segments = after
	also()
	return nil
}

// move enters the new places of frames, of which some may be forgotten meanwhile. j.mu is held.
func (j *Journal) move(list []kept, moved []place) {
	for i, k := range list {
		s := j.find(moved[i].segment)
		if k.session == "" {
			s.graves = append(s.graves, moved[i])
			continue
		}
		places := j.sessions[k.session]
		if at := slices.Index(places, k.place); at >= 0 {
			places[at] = moved[i]
			s.live += int64(k.size)
		}
	}
}
