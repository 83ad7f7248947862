package queue

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// An index is the in-memory state of a queue.
type index struct {
	log *slog.Logger

	// mu guards the rest. Nobody calls the store under it, except with ops locked.
	mu           sync.Mutex
	closed       bool
	unsure       bool      // an operation was uncertain: reread the store
	failed       time.Time // when the last reread failed
	failure      error     // and why
	fenced       error     // not nil: the store belongs to another process
	last         uint64    // highest known sequence number
	noted        uint64    // highest sequence number in the log
	waiting      waitlist
	leased       map[uint64]*lease
	unreadable   map[uint64]Unreadable // set aside
	tries        map[uint64]int        // failed reads of groups that the store may be able to read later
	here         map[Key]content       // of the groups in the queue that have an ID
	coming       map[Key]chan struct{} // keys being put; closed when their put ends
	done         remembered            // keys of done groups
	floors       map[uint64]int        // running puts, counted by the value of last when they began
	garbage      map[uint64]struct{}   // done groups that may still be in the store
	newest       []byte                // the last group put, encoded
	next         time.Time             // no lease runs out earlier; zero: none does
	changed      pause.Signal
	stats        Stats            // the counters alone
	onUnreadable func(Unreadable) // nil: nobody listens
}

func newIndex(o Options) index {
	return index{
		log:        o.Log,
		leased:     make(map[uint64]*lease),
		unreadable: make(map[uint64]Unreadable),
		tries:      make(map[uint64]int),
		here:       make(map[Key]content),
		coming:     make(map[Key]chan struct{}),
		done:       newRemembered(o.Remember),
		floors:     make(map[uint64]int),
		garbage:    make(map[uint64]struct{}),
	}
}

// doubt has the store reread if err leaves its content open, or says that it needs repair.
// After [ErrFenced], all later operations return err. It returns err.
func (x *index) doubt(err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case errors.Is(err, ErrFenced):
		x.fenced = err
	case errors.Is(err, ErrUncertain), errors.Is(err, ErrUnreachable):
		x.unsure = true
	}
	return err
}

// find returns the entry of seq. x.mu is held.
func (x *index) find(seq uint64) (Entry, bool) {
	if l, ok := x.leased[seq]; ok {
		return l.Entry, true
	}
	if e, ok := x.unreadable[seq]; ok {
		return e.Entry, true
	}
	return x.waiting.find(seq)
}

// enter adds a group. x.mu is held.
func (x *index) enter(e Entry, c content) {
	x.waiting.add(e)
	x.last = max(x.last, e.Seq)
	if !e.anon {
		x.here[e.key()] = c
	}
}

// known reports whether a group of the key is in the queue, or done and remembered. x.mu is
// held.
func (x *index) known(k Key) bool {
	_, here := x.here[k]
	return here || x.done.has(k)
}

// low is a number below which all groups are done. x.mu is held.
func (x *index) low() uint64 {
	if x.unsure {
		return 0
	}
	low := x.last + 1
	if list := x.waiting.all(); len(list) > 0 {
		low = list[0].Seq
	}
	for seq := range x.leased {
		low = min(low, seq)
	}
	for seq := range x.unreadable {
		low = min(low, seq)
	}
	for floor := range x.floors {
		low = min(low, floor+1)
	}
	return low
}

// deletable returns the groups to delete: all below a number, and some others.
func (x *index) deletable() (below uint64, rest []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	below = x.low()
	for seq := range x.garbage {
		if seq >= below {
			rest = append(rest, seq)
		}
	}
	if len(x.garbage)-len(rest) >= minSweep {
		return below, rest
	}
	return 0, slices.Collect(maps.Keys(x.garbage))
}

// grant leases the groups that w picks.
func (x *index) grant(w Want) ([]*lease, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := time.Now()
	x.expire(now)
	picked := x.pick(w)
	seqs := make([]uint64, len(picked))
	for i, e := range picked {
		seqs[i] = e.Seq
		if _, ok := x.waiting.find(e.Seq); !ok {
			return nil, fmt.Errorf("picked group %d, which does not wait: %w", e.Seq, ErrUnknown)
		}
	}
	leases := make([]*lease, 0, len(seqs))
	for _, e := range x.waiting.take(seqs) {
		l := &lease{Entry: e, consumer: w.Consumer}
		if w.For > 0 {
			l.until = now.Add(w.For)
			x.remind(l.until)
		}
		x.leased[e.Seq] = l
		leases = append(leases, l)
	}
	place := make(map[uint64]int, len(seqs))
	for i, seq := range seqs {
		place[seq] = i
	}
	slices.SortFunc(leases, func(a, b *lease) int { return place[a.Seq] - place[b.Seq] })
	return leases, nil
}

// pick returns the choice of w. x.mu is held.
func (x *index) pick(w Want) []Entry {
	waiting := x.waiting.all()
	if w.Pick != nil {
		return w.Pick(waiting)
	}
	var picked []Entry
	for _, e := range waiting {
		if len(picked) == max(1, w.Max) {
			break
		}
		if !e.Held() {
			picked = append(picked, e)
		}
	}
	return picked
}

// revoke undoes leases that were granted, but not delivered.
func (x *index) revoke(leases []*lease) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var back []Entry
	for _, l := range leases {
		if x.leased[l.Seq] == l && !l.busy {
			delete(x.leased, l.Seq)
			back = append(back, l.Entry)
		}
	}
	x.waiting.add(back...)
	x.changed.Wake()
}

// hold marks the consumer's leases of seqs busy, all or none.
func (x *index) hold(consumer string, seqs []uint64) ([]*lease, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	var leases []*lease
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		l, ok := x.leased[seq]
		if !ok || l.busy || l.consumer != consumer {
			return nil, &NotLeasedError{Seq: seq, Consumer: consumer}
		}
		leases = append(leases, l)
	}
	for _, l := range leases {
		l.busy = true
	}
	return leases, nil
}

func (x *index) unhold(leases []*lease) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range leases {
		l.busy = false
		if !l.until.IsZero() {
			x.remind(l.until)
		}
	}
}

// seize makes busy leases of the groups of seqs, be they waiting, leased or set aside.
func (x *index) seize(seqs []uint64) []*lease {
	x.mu.Lock()
	defer x.mu.Unlock()
	var leases []*lease
	for _, e := range x.waiting.take(seqs) {
		x.leased[e.Seq] = &lease{Entry: e}
	}
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		if e, ok := x.unreadable[seq]; ok && x.leased[seq] == nil {
			x.leased[seq] = &lease{Entry: e.Entry}
		}
		if l, ok := x.leased[seq]; ok && !l.busy {
			l.busy = true
			leases = append(leases, l)
		}
	}
	return leases
}

// giveBack lets the groups of released leases wait again. x.mu is held.
func (x *index) giveBack(leases []*lease) {
	if len(leases) == 0 {
		return
	}
	x.waiting.add(entriesOf(leases)...)
	x.stats.Released += uint64(len(leases))
	x.changed.Wake()
}

// remind has expire look at the leases at a time. x.mu is held.
func (x *index) remind(at time.Time) {
	if x.next.IsZero() || at.Before(x.next) {
		x.next = at
	}
}

// expire ends the leases that have run out. x.mu is held.
func (x *index) expire(now time.Time) {
	if x.next.IsZero() || now.Before(x.next) {
		return
	}
	x.next = time.Time{}
	var back []Entry
	for seq, l := range x.leased {
		if l.until.IsZero() || l.busy {
			continue
		}
		if now.Before(l.until) {
			x.remind(l.until)
			continue
		}
		delete(x.leased, seq)
		back = append(back, l.Entry)
	}
	x.stats.Expired += uint64(len(back))
	if back = append(back, x.again(now)...); len(back) > 0 {
		x.waiting.add(back...)
		x.changed.Wake()
	}
}

// claim returns the indices of the groups to put, each key once: keys that are unknown, or of
// a group set aside. Until the caller calls leave, no other put takes these keys, and no number
// above p.floor counts as done. If another running put has one of the keys, claim does nothing
// and returns a channel that is closed when that put ends.
func (x *index) claim(p *putOp) (list []int, other <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range p.keys {
		if c, ok := x.coming[k]; ok {
			return nil, c
		}
	}
	ended := make(chan struct{})
	p.same, p.aside = p.same[:0], x.aside(p.keys)
	for i, k := range p.keys {
		if p.fresh[i] {
			continue
		}
		_, replaces := p.aside[k]
		known := x.known(k)
		_, twice := x.coming[k]
		if !twice && (!known || replaces) {
			list = append(list, i)
			x.coming[k] = ended
		}
		if twice || known && x.here[k] != unknownContent {
			p.same = append(p.same, i)
		}
		if known && !replaces {
			x.stats.Duplicates++
		}
	}
	x.floors[x.last]++
	p.floor, p.ended = x.last, ended
	return list, nil
}

// conflict returns an error if a group has the ID, but not the content, of another in the
// queue or earlier in p. The groups to compare are encoded.
func (x *index) conflict(p *putOp) error {
	if len(p.same) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	first := make(map[Key]content, len(p.keys))
	for i, k := range p.keys {
		if _, twice := first[k]; !twice {
			first[k] = p.contents[i]
		}
	}
	for _, i := range p.same {
		k, c := p.keys[i], p.contents[i]
		if c.differs(x.here[k]) || c.differs(first[k]) {
			return &ConflictError{ID: p.entries[i].ID}
		}
	}
	return nil
}

// leave undoes the claim to the groups of list.
func (x *index) leave(p *putOp, list []int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, i := range list {
		delete(x.coming, p.keys[i])
	}
	close(p.ended)
	if x.floors[p.floor]--; x.floors[p.floor] == 0 {
		delete(x.floors, p.floor)
	}
}

// retain makes the last fresh group that is not held the newest. x.mu is held.
func (x *index) retain(p *putOp, news []int) {
	for _, i := range slices.Backward(news) {
		switch {
		case !p.fresh[i], p.entries[i].Held():
			continue
		case p.buffers[i] == nil: // the caller owns the body
			x.newest = append(x.newest[:0], p.records[i].Body...)
		default: // swaps in the memory of the newest one before
			p.records[i].Body = nil
			x.newest, *p.buffers[i] = *p.buffers[i], x.newest
		}
		return
	}
}

// present is a checkpoint of the queue's content.
func (x *index) present() logRecord {
	r := logRecord{Last: x.last, Checkpoint: true, Through: x.last, Lost: x.stats.Lost}
	for _, e := range x.waiting.all() {
		r.Live = append(r.Live, e.Seq)
	}
	r.Live = slices.AppendSeq(r.Live, maps.Keys(x.leased))
	r.Live = slices.AppendSeq(r.Live, maps.Keys(x.unreadable))
	slices.Sort(r.Live)
	r.Live = slices.Compact(r.Live) // Drop leases unreadable groups too
	for _, seq := range r.Live {
		if e, ok := x.find(seq); ok && e.hold == freed {
			r.Freed = append(r.Freed, seq)
		}
	}
	return r
}

// checkpoint is a new log without the n oldest eras. It has the queue's content at both
// ends: if one is damaged, the other serves.
func (x *index) checkpoint(n int) [][]byte {
	r := x.present()
	r.At = x.done.now()
	present := r.encode()
	list := [][]byte{present}
	for _, e := range x.done.eras[n:] {
		keys := slices.SortedFunc(maps.Keys(e.keys), func(a, b Key) int { return cmp.Compare(string(a[:]), string(b[:])) })
		for chunk := range slices.Chunk(keys, keysPerTidy) {
			list = append(list, logRecord{Last: x.last, At: e.last, Keys: chunk}.encode())
		}
	}
	return append(list, present)
}
