// Package queue keeps groups until a consumer has acknowledged them.
//
//	        Put                    Lease                  Ack
//	group ───────▶ waiting ───────────────────▶ leased ───────▶ done; its ID is remembered
//	                  ▲    Release, or the lease   │
//	                  └──────── runs out ──────────┘
//
// A [Queue] keeps an index of its groups in memory. The groups themselves, a log of the done
// ones, and small records of the queue's users are in a [Store]: files in a folder (package
// queue/files), a NATS server or cluster (queue/nats), or memory ([NewMemory]). Once Put
// returns nil, the store has the group durably; once Ack returns nil, it is never handed out
// again. Leases live in the process: after a restart, every unacknowledged group waits again.
//
// docs/formats/group.md and docs/formats/stream.md describe the formats.
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

// A Queue hands out groups in the order in which they came, or as the consumer picks them.
// Many goroutines may use it at once.
type Queue struct {
	store Store
	codec *groupform.Codec
	forms sync.Pool // of *[]byte, buffers for encoded groups

	// ops is read-locked by every operation on the store, and locked to close, reset or reread
	// it, which waits for running operations. It is taken before mu.
	ops sync.RWMutex

	ready readiness

	hooks
	index
}

// Options are the settings of a queue. The zero value is valid.
type Options struct {
	// Remember is how long the queue at least remembers the ID of a done group. Later, a group
	// of the same ID counts as new. 0: for ever.
	Remember time.Duration

	Log *slog.Logger // default: none
}

// Open returns the queue that store holds. The queue owns the store from now on and closes
// it in Close, or in Open if that fails.
func Open(ctx context.Context, store Store, o Options) (*Queue, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		store: store,
		codec: groupform.NewCodec(0),
		index: newIndex(o),
	}
	if err := q.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the queue: %w", err), store.Close())
	}
	return q, nil
}

// begin starts an operation on the store; the caller ends it with q.ops.RUnlock.
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

// Changed returns a channel that is closed when a group begins to wait: one was put or
// released, or an expired lease was noticed. No goroutine watches leases, so a caller that
// waits also needs a timer for [Queue.NextExpiry]. Take the channel first, then look at the
// queue, then wait.
func (x *index) Changed() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	changed := x.changed.Next()
	if x.closed {
		x.changed.Wake()
	}
	return changed
}

// View calls look with the waiting groups, oldest first, under the queue's lock: look must
// be quick, must not change or keep the slice, and must not call the queue.
func (x *index) View(look func(waiting []Entry)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	look(x.waiting.all())
}

// Stats returns the content of the queue, and counts since it was opened.
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
	for _, e := range q.unreadable {
		s.Aside.add(e.Entry, 1)
	}
	return s
}

// Envs counts the waiting groups of each environment, by its id.
func (x *index) Envs() map[int32]Count {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	return maps.Clone(x.waiting.envs)
}

// ReadRaw returns the first groups of seqs in binary form, verified but not decoded: up to
// most bytes together, but at least one group. They may be waiting, leased or set aside. The
// error is [ErrUnknown] if one of them is not in the queue.
func (q *Queue) ReadRaw(ctx context.Context, seqs []uint64, most int) ([]Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	defer q.ops.RUnlock()
	entries, err := first(q, seqs, most)
	if err != nil {
		return nil, err
	}
	return q.readAll(ctx, entries, true)
}

// Read returns a group without leasing it, be it waiting, leased or set aside. The error is
// [ErrUnknown] if the queue does not have it.
func (q *Queue) Read(ctx context.Context, seq uint64) (Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return Delivery{}, err
	}
	defer q.ops.RUnlock()
	entries, err := first(q, []uint64{seq}, 0)
	if err != nil {
		return Delivery{}, err
	}
	list, err := q.readAll(ctx, entries, false)
	if err != nil {
		return Delivery{Entry: entries[0]}, err
	}
	return list[0], nil
}

// State returns the record of key, or nil.
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

// States returns the records whose keys begin with prefix, in the order of keys. A prefix
// has the form of a key: see [CheckName].
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

// SetStates stores small records beside the groups, each up to half a megabyte. They are
// durable when it returns nil. If it fails, or the process ends midway, it may have stored
// only the first of them. For keys, see [CheckName].
func (q *Queue) SetStates(ctx context.Context, list []State) error {
	for _, s := range list {
		if err := CheckName(s.Key); err != nil {
			return fmt.Errorf("state key %w", err)
		}
		if len(s.Value) > maxState {
			return fmt.Errorf("state %s: has %d bytes, want at most %d", s.Key, len(s.Value), maxState)
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

// Reset forgets all groups, waiting and leased, and all IDs, so another run can put them
// again. Records of SetState stay.
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
	q.unsure = true // until the end
	last, err := q.store.List(ctx, func(Listed) {})
	if err != nil && !errors.Is(err, ErrUnreadable) {
		return fmt.Errorf("reset: %w", err)
	}
	r := logRecord{Last: last, Forget: true, Checkpoint: true, Through: last, Lost: q.stats.Lost}
	if err := q.store.Rewrite(ctx, [][]byte{r.encode(), r.encode()}); err != nil { // twice: see checkpoint
		return fmt.Errorf("reset: %w", err)
	}
	q.last, q.noted = last, last
	q.waiting = waitlist{turn: q.waiting.turn + 1}
	clear(q.leased)
	clear(q.unreadable)
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

// Close waits for running operations, then closes the queue and its store. Later operations,
// and a second Close, return [ErrClosed].
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
	q.changed.Wake()
	if q.last > q.noted && q.fenced == nil { // so that the loss of the last groups would be noticed
		if err := q.store.Append(context.Background(), logRecord{Last: q.last}.encode()); err != nil {
			q.log.Warn("closing the queue: the last sequence number was not logged", "err", err)
		}
	}
	return q.store.Close()
}

// CheckName reports why key cannot name a record of SetState, or the streams of a queue: it
// wants 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'.
func CheckName(key string) error {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key == "" || len(key) > 64 || slices.ContainsFunc([]rune(key), func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("%q: want 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'", key)
	}
	return nil
}

// first returns the first entries of seqs: up to most bytes together, but at least one.
func first(q *Queue, seqs []uint64, most int) ([]Entry, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var list []Entry
	for _, seq := range seqs {
		e, ok := q.find(seq)
		if !ok {
			return nil, fmt.Errorf("group %d: %w", seq, ErrUnknown)
		}
		if most -= int(e.Bytes); most < 0 && len(list) > 0 {
			break
		}
		list = append(list, e)
	}
	return list, nil
}
