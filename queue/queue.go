// Package queue keeps groups until a consumer has acknowledged them.
//
//	        Put                    Lease                  Ack
//	group ───────▶ waiting ───────────────────▶ leased ───────▶ done; its ID is remembered
//	                  ▲    Release, or the lease   │
//	                  └──────── runs out ──────────┘
//
// A [Queue] keeps an index of the waiting groups in memory. The groups themselves, the
// log of what is done, and small records of the queue's users are in a [Store]: the
// files of a folder (package queue/files), a NATS server or cluster (queue/nats), or
// memory ([NewMemory]). Once Put has returned nil, a group is durably in the store;
// once Ack has returned nil, it is never handed out again. Leases live in the process:
// after a restart, every group that was not acknowledged waits again.
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

	"github.com/quintain-rl/quintain/queue/groupform"
)

// A Queue hands out groups in the order in which they were put, or as the consumer
// picks them. Many goroutines may use it at once.
type Queue struct {
	store Store
	codec *groupform.Codec
	forms sync.Pool // of *[]byte, for the binary form of groups

	// ops is read-locked by every operation on the store. It is locked by what must
	// wait for the operations under way: closing, resetting, rereading the store. It is
	// taken before mu.
	ops sync.RWMutex

	ready readiness

	books // what is known without asking the store
}

// Options are the settings of a queue; the zero value has the defaults.
type Options struct {
	// Remember is how long the ID of a group that is done stays known, at least. A group
	// of an ID that is forgotten is taken as new. 0: for ever.
	Remember time.Duration

	Log *slog.Logger // default: none
}

// Open returns the queue that store holds. The store belongs to the queue from now on:
// Close closes it, and so does Open itself if it returns an error.
func Open(ctx context.Context, store Store, o Options) (*Queue, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		store: store,
		codec: groupform.NewCodec(0),
		books: newBooks(o),
	}
	if err := q.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the queue: %w", err), store.Close())
	}
	return q, nil
}

// begin enters an operation on the store; the caller leaves it with q.ops.RUnlock.
func (q *Queue) begin(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		q.ops.RLock()
		q.mu.Lock()
		closed, unsure, fenced, old := q.closed, q.unsure, q.fenced, q.done.old() > 0
		q.mu.Unlock()
		if !closed && !unsure && fenced == nil && !old {
			return nil
		}
		q.ops.RUnlock()
		switch {
		case closed:
			return ErrClosed
		case fenced != nil:
			return fenced
		case !unsure:
			q.forgetOld(ctx)
			continue
		}
		if err := q.reread(ctx); err != nil {
			return err
		}
	}
}

// Changed returns a channel that is closed when another group begins to wait: it was
// put or released, or its lease was found to have run out. No goroutine watches the
// leases, so a caller that waits also needs a timer for [Queue.NextExpiry]. Take the
// channel first, then look at the queue, then wait.
func (b *books) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
		if b.closed {
			defer b.notify()
		}
	}
	return b.changed
}

// View calls look with the waiting groups, oldest first, under the queue's lock: look
// must be quick, must not change or keep the slice, and must not call the queue.
func (b *books) View(look func(waiting []Entry)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	look(b.waiting.all())
}

// Stats returns what the queue holds, and what it has done since it was opened.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	s := q.stats
	s.Known = q.done.count()
	s.Waiting = q.waiting.count
	if list := q.waiting.all(); len(list) > 0 {
		s.OldestPut = list[0].Put()
	}
	for _, l := range q.leased {
		s.Leased.add(l.Entry, 1)
	}
	for _, e := range q.aside {
		s.Aside.add(e.Entry, 1)
	}
	return s
}

// Envs returns how much waits from each environment, by its id.
func (b *books) Envs() map[int32]Count {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	return maps.Clone(b.waiting.envs)
}

// ReadRaw returns the first groups of seqs in their binary form, verified but not decoded:
// as many as have up to most bytes together, and one at least. They may wait, be leased or
// be set aside. The error is [ErrUnknown] if the queue has one of them not.
func (q *Queue) ReadRaw(ctx context.Context, seqs []uint64, most int) ([]Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	defer q.ops.RUnlock()
	entries, err := q.first(seqs, most)
	if err != nil {
		return nil, err
	}
	return q.readAll(ctx, entries, true)
}

// Read returns the group of seq without leasing it, whether it waits, is leased or is
// set aside. The error is [ErrUnknown] if the queue has no such group.
func (q *Queue) Read(ctx context.Context, seq uint64) (Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return Delivery{}, err
	}
	defer q.ops.RUnlock()
	entries, err := q.first([]uint64{seq}, 0)
	if err != nil {
		return Delivery{}, err
	}
	return q.read(ctx, entries[0], false)
}

// State returns the record that SetState last kept under key, or nil.
func (q *Queue) State(ctx context.Context, key string) ([]byte, error) {
	if err := CheckName(key); err != nil {
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

// States returns the records that SetStates has kept whose keys begin with prefix, in the
// order of their keys. A prefix is a key itself: see [CheckName].
func (q *Queue) States(ctx context.Context, prefix string) ([]State, error) {
	if err := CheckName(prefix); err != nil {
		return nil, fmt.Errorf("state prefix %w", err)
	}
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	defer q.ops.RUnlock()
	list, err := q.store.States(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("states %s: %w", prefix, q.doubt(err))
	}
	return list, nil
}

// SetState is [Queue.SetStates] for one record.
func (q *Queue) SetState(ctx context.Context, key string, value []byte) error {
	return q.SetStates(ctx, []State{{key, value}})
}

// SetStates keeps small records beside the groups, each of up to half a megabyte. They are
// durable when SetStates returns nil. If it fails, or the process ends in the middle, the
// first of them may be kept, and the others not. For keys, see [CheckName].
func (q *Queue) SetStates(ctx context.Context, list []State) error {
	for _, s := range list {
		if err := CheckName(s.Key); err != nil {
			return fmt.Errorf("state key %w", err)
		}
		if len(s.Value) > maxState {
			return fmt.Errorf("state %s: has %d bytes, and the limit is %d", s.Key, len(s.Value), maxState)
		}
	}
	if err := q.begin(ctx); err != nil {
		return err
	}
	defer q.ops.RUnlock()
	if len(list) == 0 {
		return nil
	}
	if err := q.store.SetStates(ctx, list); err != nil {
		return fmt.Errorf("state %s: %w", list[0].Key, q.doubt(err))
	}
	return nil
}

// Reset forgets all groups, waiting and leased, and all IDs, for another run to begin:
// a group may be put again. Records of SetState stay.
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
	if err := q.store.Rewrite(ctx, [][]byte{r.encode(), r.encode()}); err != nil { // twice: see checkpoint
		return fmt.Errorf("reset: %w", err)
	}
	q.last, q.noted = last, last
	q.waiting = index{turn: q.waiting.turn + 1}
	clear(q.leased)
	clear(q.aside)
	clear(q.tries)
	clear(q.here)
	clear(q.garbage)
	q.done.eras = nil
	if err := q.store.Clear(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	q.unsure = false
	return nil
}

// Close waits for the operations under way, then closes the queue and its store. Later
// operations, and a second Close, return [ErrClosed].
func (q *Queue) Close() error {
	q.ready.close()
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.closed = true
	q.notify()
	if q.last > q.noted && q.fenced == nil { // so that losing the last groups would be noticed
		if err := q.store.Append(context.Background(), logRecord{Last: q.last}.encode()); err != nil {
			q.log.Warn("closing the queue: the last sequence number was not noted", "err", err)
		}
	}
	return q.store.Close()
}

// CheckName reports why key cannot name a record of SetState, or the streams of a
// queue: it must have 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'.
func CheckName(key string) error {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key == "" || len(key) > 64 || slices.ContainsFunc([]rune(key), func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("%q: want 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'", key)
	}
	return nil
}
