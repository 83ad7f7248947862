// Package queue keeps groups until a consumer has acknowledged them.
//
//	        Put                    Lease                  Ack
//	group ───────▶ waiting ───────────────────▶ leased ───────▶ done, its ID known for ever
//	                  ▲    Release, or the lease   │
//	                  └──────── runs out ──────────┘
//
// A [Queue] holds an index of what waits in memory; the groups themselves, the log
// of what is done and small records of its users are in a [Store]: on disk
// ([OpenDir]), on a NATS server or cluster ([OpenURL]), or in memory ([NewMemory]).
// What Put returned nil for is in the store, durably; what Ack returned nil for is
// never handed out again. Leases are the process's own: after a restart, whatever
// was not acknowledged waits again.
//
// The forms are described in docs/formats/group.md and docs/formats/stream.md.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/groupform"
)

// A Queue hands out groups in the order in which they were put, or as its consumer
// picks them. It may be used by many goroutines at once.
type Queue struct {
	store Store
	codec *groupform.Codec
	forms sync.Pool // of *[]byte: memory for the binary form of a group
	log   *slog.Logger

	// ops is read-locked by every operation on the store, and locked where the
	// operations under way must end first: closing, reset, reading the store anew.
	ops sync.RWMutex

	mu      sync.Mutex
	closed  bool
	unsure  bool   // an operation may or may not have reached the store: read it anew
	last    uint64 // highest sequence number that is known to be given
	noted   uint64 // of those, the highest that the log tells of
	waiting index
	leased  map[uint64]*lease
	aside   map[uint64]Entry    // set aside: cannot be read
	known   map[Key]bool        // keys of groups with an ID; true: it is done
	done    int                 // how many of known are true
	floors  map[uint64]int      // highest number that was given when a put began that is under way, and how many such
	garbage map[uint64]struct{} // done, and perhaps still in the store
	newest  []byte              // the group that was put last
	next    time.Time           // no lease runs out before; zero: none does
	changed chan struct{}       // nil: nobody waits
	stats   Stats               // the counters alone
}

// Open returns the queue that store holds. The store is the queue's from now on,
// also to close, unless an error is returned.
func Open(ctx context.Context, store Store, o Options) (*Queue, error) {
	q := &Queue{
		store:   store,
		codec:   groupform.NewCodec(0),
		log:     o.logger(),
		leased:  make(map[uint64]*lease),
		aside:   make(map[uint64]Entry),
		known:   make(map[Key]bool),
		floors:  make(map[uint64]int),
		garbage: make(map[uint64]struct{}),
	}
	if err := q.load(ctx); err != nil {
		return nil, fmt.Errorf("opening the queue: %w", err)
	}
	return q, nil
}

// begin enters an operation on the store; the caller leaves it by q.ops.RUnlock.
func (q *Queue) begin(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		q.ops.RLock()
		q.mu.Lock()
		closed, unsure := q.closed, q.unsure
		q.mu.Unlock()
		if !closed && !unsure {
			return nil
		}
		q.ops.RUnlock()
		if closed {
			return ErrClosed
		}
		if err := q.reread(ctx); err != nil {
			return err
		}
	}
}

// doubt has the store read anew where err leaves open what is in it, or says that
// it needs mending.
func (q *Queue) doubt(err error) error {
	if errors.Is(err, ErrUncertain) || errors.Is(err, ErrUnreachable) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.unsure = true
	}
	return err
}

// notify wakes those who wait for a change. q.mu is held.
func (q *Queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// Changed returns a channel that is closed when a group comes to wait that did not:
// put, released, or its lease found to have run out. No goroutine watches the
// leases; one who waits also sets a timer for [Queue.NextExpiry]. Take the channel
// first, then look at the queue, then wait.
func (q *Queue) Changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changed == nil {
		q.changed = make(chan struct{})
		if q.closed {
			defer q.notify()
		}
	}
	return q.changed
}

// View calls look with what waits, oldest first, under the queue's lock: look must
// be quick, must not change or keep the slice, and must not call the queue.
func (q *Queue) View(look func(waiting []Entry)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	look(q.waiting.all())
}

// Stats returns what the queue holds and has done.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	s := q.stats
	s.Known = q.done
	s.Waiting = q.waiting.count
	if list := q.waiting.all(); len(list) > 0 {
		s.OldestPut = list[0].Put
	}
	for _, l := range q.leased {
		s.Leased.add(l.Entry, 1)
	}
	for _, e := range q.aside {
		s.Aside.add(e, 1)
	}
	return s
}

// Envs returns how much waits from each environment, by its id.
func (q *Queue) Envs() map[int32]Count {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	return maps.Clone(q.waiting.envs)
}

// Read returns the group of seq without leasing it; it may wait, be leased or be set
// aside. An unknown seq gives [ErrUnknown].
func (q *Queue) Read(ctx context.Context, seq uint64) (Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return Delivery{}, err
	}
	defer q.ops.RUnlock()
	q.mu.Lock()
	e, ok := q.find(seq)
	q.mu.Unlock()
	if !ok {
		return Delivery{}, fmt.Errorf("group of sequence number %d: %w", seq, ErrUnknown)
	}
	return q.read(ctx, e, false)
}

// find returns the entry of seq. q.mu is held.
func (q *Queue) find(seq uint64) (Entry, bool) {
	if l, ok := q.leased[seq]; ok {
		return l.Entry, true
	}
	if e, ok := q.aside[seq]; ok {
		return e, true
	}
	return q.waiting.find(seq)
}

// State returns the record that SetState kept last under key, or nil.
func (q *Queue) State(ctx context.Context, key string) ([]byte, error) {
	if err := checkName(key); err != nil {
		return nil, fmt.Errorf("state key %w", err)
	}
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	defer q.ops.RUnlock()
	value, err := q.store.State(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", key, q.doubt(err))
	}
	return value, nil
}

// SetState keeps a small record, up to half a megabyte, beside the groups. It is on disk
// when SetState returns nil. A nil value forgets it. A key has 1 to 64 letters of
// a-z, A-Z, 0-9, '-' and '_'.
func (q *Queue) SetState(ctx context.Context, key string, value []byte) error {
	if err := checkName(key); err != nil {
		return fmt.Errorf("state key %w", err)
	}
	if len(value) > maxState {
		return fmt.Errorf("state %s: has %d bytes, and the limit is %d", key, len(value), maxState)
	}
	if err := q.begin(ctx); err != nil {
		return err
	}
	defer q.ops.RUnlock()
	if err := q.store.SetState(ctx, key, value); err != nil {
		return fmt.Errorf("state %s: %w", key, q.doubt(err))
	}
	return nil
}

// Reset forgets all groups, waiting and leased, and all IDs: another run begins. A
// group that was put before may be put again. Records of SetState stay.
func (q *Queue) Reset(ctx context.Context) error {
	if err := q.begin(ctx); err != nil { // settles doubts
		return err
	}
	q.ops.RUnlock()
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.unsure = true // until all is done
	last, err := q.store.List(ctx, func(Listed) {})
	if err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	r := logRecord{Last: last, Forget: true, Checkpoint: true, Through: last, Lost: q.stats.Lost}
	if err := q.store.Rewrite(ctx, [][]byte{r.encode()}); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	q.last, q.noted = last, last
	q.waiting = index{turn: q.waiting.turn + 1}
	clear(q.leased)
	clear(q.aside)
	clear(q.known)
	clear(q.garbage)
	q.done = 0
	if err := q.store.Clear(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	q.unsure = false
	return nil
}

// Close ends the queue and its store, after the operations under way. Those that
// come later, and a second Close, give [ErrClosed].
func (q *Queue) Close() error {
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.closed = true
	q.notify()
	if q.last > q.noted { // so that a loss of the last groups would be noticed
		if err := q.store.Append(context.Background(), logRecord{Last: q.last}.encode()); err != nil {
			q.log.Warn("the last sequence number was not noted in closing", "err", err)
		}
	}
	return q.store.Close()
}

// checkName reports what cannot name a state record or a stream.
func checkName(key string) error {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key == "" || len(key) > 64 || slices.ContainsFunc([]rune(key), func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("%q: want 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'", key)
	}
	return nil
}
