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
)

// books are what a queue knows of its groups without asking the store.
type books struct {
	log *slog.Logger

	// mu guards what follows. The store is never called under it, except by those who
	// hold ops locked.
	mu      sync.Mutex
	closed  bool
	unsure  bool      // an operation may or may not have reached the store: reread it
	failed  time.Time // when rereading last failed
	failure error     // and why
	fenced  error     // not nil: the store belongs to another process
	last    uint64    // highest sequence number known to be given
	noted   uint64    // highest of those that the log mentions
	waiting index
	leased  map[uint64]*lease
	aside   map[uint64]Aside      // set aside: cannot be read
	tries   map[uint64]int        // how often a group could not be read that the store may be able to read later
	here    map[Key]content       // of the groups with an ID that are not done
	coming  map[Key]chan struct{} // keys that are being put; closed once that has ended
	done    remembered            // keys of those that are
	floors  map[uint64]int        // for the puts under way: the value of last when they began, and how many began then
	garbage map[uint64]struct{}   // done, and perhaps still in the store
	newest  []byte                // the group that was put last
	next    time.Time             // no lease runs out before; zero: none does
	changed chan struct{}         // nil: nothing waits for a change
	stats   Stats                 // the counters alone
	onAside func(Aside)           // nil: nobody wants to know
}

func newBooks(o Options) books {
	return books{
		log:     o.Log,
		leased:  make(map[uint64]*lease),
		aside:   make(map[uint64]Aside),
		tries:   make(map[uint64]int),
		here:    make(map[Key]content),
		coming:  make(map[Key]chan struct{}),
		done:    newRemembered(o.Remember),
		floors:  make(map[uint64]int),
		garbage: make(map[uint64]struct{}),
	}
}

// doubt has the store reread if err leaves open what it contains, or says that it
// needs mending. After [ErrFenced], every later operation returns err. It returns err.
func (b *books) doubt(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case errors.Is(err, ErrFenced):
		b.fenced = err
	case errors.Is(err, ErrUncertain), errors.Is(err, ErrUnreachable):
		b.unsure = true
	}
	return err
}

// notify wakes what waits for a change. b.mu is held.
func (b *books) notify() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// find returns the entry of seq. b.mu is held.
func (b *books) find(seq uint64) (Entry, bool) {
	if l, ok := b.leased[seq]; ok {
		return l.Entry, true
	}
	if e, ok := b.aside[seq]; ok {
		return e.Entry, true
	}
	return b.waiting.find(seq)
}

// first returns the entries of the first of seqs: as many as have up to most bytes
// together, and one at least.
func (b *books) first(seqs []uint64, most int) ([]Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []Entry
	for _, seq := range seqs {
		e, ok := b.find(seq)
		if !ok {
			return nil, fmt.Errorf("group of sequence number %d: %w", seq, ErrUnknown)
		}
		if most -= int(e.Bytes); most < 0 && len(list) > 0 {
			break
		}
		list = append(list, e)
	}
	return list, nil
}

// enter takes e into the index; c is its content. b.mu is held.
func (b *books) enter(e Entry, c content) {
	b.waiting.add(e)
	b.last = max(b.last, e.Seq)
	if !e.anon {
		b.here[e.key()] = c
	}
}

// known reports whether a group of the key is in the queue, or is done and not yet
// forgotten. b.mu is held.
func (b *books) known(k Key) bool {
	_, here := b.here[k]
	return here || b.done.has(k)
}

// low is a number below which nothing is in use or will be. b.mu is held.
func (b *books) low() uint64 {
	if b.unsure {
		return 0
	}
	low := b.last + 1
	if list := b.waiting.all(); len(list) > 0 {
		low = list[0].Seq
	}
	for seq := range b.leased {
		low = min(low, seq)
	}
	for seq := range b.aside {
		low = min(low, seq)
	}
	for floor := range b.floors {
		low = min(low, floor+1)
	}
	return low
}

// rubbish returns what may be deleted: all numbers below one, and some others.
func (b *books) rubbish() (below uint64, rest []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	below = b.low()
	for seq := range b.garbage {
		if seq >= below {
			rest = append(rest, seq)
		}
	}
	if len(b.garbage)-len(rest) >= minSweep {
		return below, rest
	}
	return 0, slices.Collect(maps.Keys(b.garbage))
}

// grant moves what w picks from waiting to leased.
func (b *books) grant(w Want) ([]*lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.expire(now)
	picked := b.pick(w)
	seqs := make([]uint64, len(picked))
	for i, e := range picked {
		seqs[i] = e.Seq
		if _, ok := b.waiting.find(e.Seq); !ok {
			return nil, fmt.Errorf("picked the group of sequence number %d, which does not wait: %w", e.Seq, ErrUnknown)
		}
	}
	leases := make([]*lease, 0, len(seqs))
	for _, e := range b.waiting.take(seqs) {
		l := &lease{Entry: e, consumer: w.Consumer}
		if w.For > 0 {
			l.until = now.Add(w.For)
			b.remind(l.until)
		}
		b.leased[e.Seq] = l
		leases = append(leases, l)
	}
	place := make(map[uint64]int, len(seqs))
	for i, seq := range seqs {
		place[seq] = i
	}
	slices.SortFunc(leases, func(a, b *lease) int { return place[a.Seq] - place[b.Seq] })
	return leases, nil
}

// pick returns the choice of w. b.mu is held.
func (b *books) pick(w Want) []Entry {
	waiting := b.waiting.all()
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

// revoke undoes leases that were granted but not delivered.
func (b *books) revoke(leases []*lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range leases {
		if b.leased[l.Seq] == l && !l.busy {
			delete(b.leased, l.Seq)
			b.waiting.add(l.Entry)
		}
	}
	b.notify()
}

// hold marks the consumer's leases busy: all of seqs, or none.
func (b *books) hold(consumer string, seqs []uint64) ([]*lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	var leases []*lease
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		l, ok := b.leased[seq]
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

func (b *books) unhold(leases []*lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range leases {
		l.busy = false
		if !l.until.IsZero() {
			b.remind(l.until)
		}
	}
}

// seize makes busy leases of seqs, wherever they are.
func (b *books) seize(seqs []uint64) []*lease {
	b.mu.Lock()
	defer b.mu.Unlock()
	var leases []*lease
	for _, e := range b.waiting.take(seqs) {
		b.leased[e.Seq] = &lease{Entry: e}
	}
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		if e, ok := b.aside[seq]; ok && b.leased[seq] == nil {
			b.leased[seq] = &lease{Entry: e.Entry}
		}
		if l, ok := b.leased[seq]; ok && !l.busy {
			l.busy = true
			leases = append(leases, l)
		}
	}
	return leases
}

// giveBack lets a released group wait. b.mu is held.
func (b *books) giveBack(l *lease) {
	delete(b.leased, l.Seq)
	b.waiting.add(l.Entry)
	b.stats.Released++
	b.notify()
}

// remind has expire look at the leases at the given time. b.mu is held.
func (b *books) remind(at time.Time) {
	if b.next.IsZero() || at.Before(b.next) {
		b.next = at
	}
}

// expire lets groups wait again whose lease has run out. b.mu is held.
func (b *books) expire(now time.Time) {
	if b.next.IsZero() || now.Before(b.next) {
		return
	}
	b.next = time.Time{}
	for seq, l := range b.leased {
		switch {
		case l.until.IsZero() || l.busy:
		case now.Before(l.until):
			b.remind(l.until)
		default:
			delete(b.leased, seq)
			b.waiting.add(l.Entry)
			b.stats.Expired++
			b.notify()
		}
	}
	b.retry(now)
}

// claim returns the indices of the groups whose keys are not known, each key once. Until
// the caller calls leave, nobody else puts these keys, and no number above p.floor counts
// as done. If another put of one of them is under way, claim does nothing, and returns
// what is closed once that has ended.
func (b *books) claim(p *putting) (list []int, other <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range p.keys {
		if c, ok := b.coming[k]; ok {
			return nil, c
		}
	}
	ended := make(chan struct{})
	p.same = p.same[:0]
	for i, k := range p.keys {
		known := b.known(k)
		_, twice := b.coming[k]
		switch {
		case p.fresh[i]:
		case !known && !twice:
			list = append(list, i)
			b.coming[k] = ended
		case twice, b.here[k] != unsaid:
			p.same = append(p.same, i)
		}
		if known && !p.fresh[i] {
			b.stats.Duplicates++
		}
	}
	b.floors[b.last]++
	p.floor, p.ended = b.last, ended
	return list, nil
}

// conflict returns the error that a group has the ID of another that is in the queue, or
// that comes before it in p, and other content. All that is compared is encoded.
func (b *books) conflict(p *putting) error {
	if len(p.same) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	first := make(map[Key]content, len(p.keys))
	for i, k := range p.keys {
		if _, twice := first[k]; !twice {
			first[k] = p.contents[i]
		}
	}
	for _, i := range p.same {
		k, c := p.keys[i], p.contents[i]
		if c.differs(b.here[k]) || c.differs(first[k]) {
			return &ConflictError{ID: p.entries[i].ID}
		}
	}
	return nil
}

// leave undoes what claim has noted of the groups of list.
func (b *books) leave(p *putting, list []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range list {
		delete(b.coming, p.keys[i])
	}
	close(p.ended)
	if b.floors[p.floor]--; b.floors[p.floor] == 0 {
		delete(b.floors, p.floor)
	}
}

// retain makes the last fresh group that is not held the newest. b.mu is held.
func (b *books) retain(p *putting, news []int) {
	for _, i := range slices.Backward(news) {
		switch {
		case !p.fresh[i], p.entries[i].Held():
			continue
		case p.buffers[i] == nil: // the body is the caller's
			b.newest = append(b.newest[:0], p.records[i].Body...)
		default: // the memory of the one before is used again in its place
			p.records[i].Body = nil
			b.newest, *p.buffers[i] = *p.buffers[i], b.newest
		}
		return
	}
}

// present is a checkpoint of what is in the queue.
func (b *books) present() logRecord {
	r := logRecord{Last: b.last, Checkpoint: true, Through: b.last, Lost: b.stats.Lost}
	for _, e := range b.waiting.all() {
		r.Live = append(r.Live, e.Seq)
	}
	r.Live = slices.AppendSeq(r.Live, maps.Keys(b.leased))
	r.Live = slices.AppendSeq(r.Live, maps.Keys(b.aside))
	slices.Sort(r.Live)
	r.Live = slices.Compact(r.Live) // Drop leases what is set aside
	for _, seq := range r.Live {
		if e, ok := b.find(seq); ok && e.hold == freed {
			r.Freed = append(r.Freed, seq)
		}
	}
	return r
}

// checkpoint is the whole log, rewritten without the oldest eras, of which there are n
// to forget. What is in use is said twice, at both ends: if one of the two is damaged, the
// other serves.
func (b *books) checkpoint(n int) [][]byte {
	r := b.present()
	r.At = b.done.now()
	present := r.encode()
	list := [][]byte{present}
	for _, e := range b.done.eras[n:] {
		keys := slices.SortedFunc(maps.Keys(e.keys), func(a, b Key) int { return cmp.Compare(string(a[:]), string(b[:])) })
		for chunk := range slices.Chunk(keys, keysPerTidy) {
			list = append(list, logRecord{Last: b.last, At: e.last, Keys: chunk}.encode())
		}
	}
	return append(list, present)
}
