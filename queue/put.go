package queue

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
)

// MaxPutAll is the largest number of groups in one [Queue.PutAll].
const MaxPutAll = 1000

// Put keeps g, which is durable when Put returns nil. A group whose ID was put before
// is not kept again, even if the first one was acknowledged long ago; fresh is false
// then. While the first one is in the queue, another content of the same ID is a
// [*ConflictError]. A group without an ID is always fresh.
//
// The error of an invalid group is a [*quintain.FieldError]. Others are
// [*groupform.TooLargeError], [ErrNoSpace], [ErrUnreachable], and [ErrUncertain]: the
// group may or may not have been kept. If it has an ID, putting it again settles that.
func (q *Queue) Put(ctx context.Context, g *quintain.Group) (fresh bool, err error) {
	list, err := q.PutAll(ctx, []*quintain.Group{g})
	return err == nil && list[0], err
}

// PutAll keeps groups as Put does, at most [MaxPutAll] of them: all that are fresh, or
// none if it returns an error. fresh has an element for each.
func (q *Queue) PutAll(ctx context.Context, groups []*quintain.Group) (fresh []bool, err error) {
	_, fresh, err = q.PutHeld(ctx, groups, nil)
	return fresh, err
}

// PutHeld is [Queue.PutAll], and also returns the sequence numbers of the groups that are
// fresh. The groups of which hold is true are held: see [Entry]. Nil: none is.
func (q *Queue) PutHeld(ctx context.Context, groups []*quintain.Group, hold []bool) (seqs []uint64, fresh []bool, err error) {
	if len(groups) > MaxPutAll {
		return nil, nil, fmt.Errorf("%d groups in one put, and the limit is %d", len(groups), MaxPutAll)
	}
	p := newPutting(len(groups))
	defer q.reuse(p)
	p.groups = groups
	for i, g := range groups {
		if err := p.enter(i, g); err != nil {
			return nil, nil, err
		}
		if hold != nil && hold[i] {
			p.entries[i].hold = held
		}
	}
	if fresh, err = q.insist(ctx, p); err != nil {
		return nil, nil, err
	}
	seqs = make([]uint64, len(groups))
	for i := range seqs {
		if fresh[i] {
			seqs[i] = p.entries[i].Seq
		}
	}
	return seqs, fresh, nil
}

// PutEncoded is [Queue.PutAll] for groups in their binary form, which it keeps as they
// are. Each must be a valid group; check, if not nil, may refuse it. check must not
// keep the group it is given. The bodies are the caller's again when PutEncoded
// returns.
//
// A body that is not a group gives a [*groupform.FormatError].
func (q *Queue) PutEncoded(ctx context.Context, bodies [][]byte, check func(i int, g *quintain.Group) error) (fresh []bool, err error) {
	if len(bodies) > MaxPutAll {
		return nil, fmt.Errorf("%d groups in one put, and the limit is %d", len(bodies), MaxPutAll)
	}
	p := newPutting(len(bodies))
	for i, body := range bodies {
		var sum uint32
		err := q.codec.View(body, func(g *quintain.Group, of uint32) error {
			sum = of
			err := g.Check()
			if err == nil && check != nil {
				err = check(i, g)
			}
			if err == nil {
				err = p.enter(i, g)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		p.keep(i, body, sum)
	}
	return q.insist(ctx, p)
}

// insist puts until the index knows every group that the store has.
func (q *Queue) insist(ctx context.Context, p *putting) (fresh []bool, err error) {
	for range maxTries {
		again, err := q.put(ctx, p)
		if err != nil {
			return nil, err
		}
		if !again {
			return p.fresh, nil
		}
	}
	return nil, fmt.Errorf("the store refuses a group as known, but does not list it: %w", ErrUncertain)
}

// maxTries is how often a put is repeated after it found a group in the store that the
// index does not know.
const maxTries = 5

// A putting is the progress of one PutAll.
type putting struct {
	groups   []*quintain.Group // nil: all records are there
	entries  []Entry
	keys     []Key
	records  []Record  // those needed so far
	buffers  []*[]byte // of the records that were encoded here, to be used again
	fresh    []bool
	contents []content
	same     []int         // those whose keys are known or come twice
	floor    uint64        // see claim
	ended    chan struct{} // closed by leave
}

func newPutting(n int) *putting {
	return &putting{entries: make([]Entry, n), keys: make([]Key, n), contents: make([]content, n), records: make([]Record, n), buffers: make([]*[]byte, n), fresh: make([]bool, n)}
}

// maxReused is the size in bytes up to which memory is kept for other groups.
const maxReused = 16 << 20

// reuse gives the memory of p to later puts.
func (q *Queue) reuse(p *putting) {
	for _, b := range p.buffers {
		if b != nil && cap(*b) <= maxReused {
			q.forms.Put(b)
		}
	}
}

// enter makes g group i.
func (p *putting) enter(i int, g *quintain.Group) (err error) {
	p.entries[i], err = newEntry(g)
	p.keys[i] = p.entries[i].key()
	return err
}

// keep makes body the binary form of group i; sum is that of its content.
func (p *putting) keep(i int, body []byte, sum uint32) {
	e := &p.entries[i]
	e.Bytes, p.contents[i] = int32(len(body)), contentOf(sum)
	p.records[i] = Record{Key: p.keys[i], Meta: e.meta(p.contents[i]), Body: body}
}

// put puts the groups that are not known. It must be called again if the store has one
// that the index does not know: from a put whose outcome was uncertain.
func (q *Queue) put(ctx context.Context, p *putting) (again bool, err error) {
	news, err := q.claimed(ctx, p)
	if err != nil {
		return false, err
	}
	defer q.ops.RUnlock()
	defer q.leave(p, news)
	all := append(slices.Clone(news), p.same...)
	err = each(len(all), func(n int) error { return q.encode(p, all[n]) })
	if err == nil {
		err = q.conflict(p)
	}
	if err != nil || len(news) == 0 {
		return false, err
	}
	picked := make([]Record, len(news))
	for n, i := range news {
		picked[n] = p.records[i]
	}
	seqs, err := q.store.Put(ctx, picked)
	q.ready.heed(err)
	if err != nil {
		return false, q.doubt(err)
	}
	for n, i := range news {
		p.entries[i].Seq = seqs[n]
	}
	return q.admit(ctx, p, news), nil
}

// claimed enters an operation on the store, as begin does, once no other put of a key of
// p is under way, and claims the keys that are not known.
func (q *Queue) claimed(ctx context.Context, p *putting) ([]int, error) {
	for {
		if err := q.begin(ctx); err != nil {
			return nil, err
		}
		news, other := q.claim(p)
		if other == nil {
			return news, nil
		}
		q.ops.RUnlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// encode makes the record of group i, once.
func (q *Queue) encode(p *putting, i int) error {
	if p.records[i].Body != nil {
		return nil
	}
	buf, ok := q.forms.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	body, sum, err := q.codec.AppendFast((*buf)[:0], p.groups[i])
	if err != nil {
		return fmt.Errorf("group %s: %w", p.entries[i].ID, err)
	}
	*buf, p.buffers[i] = body, buf
	p.keep(i, body, sum)
	return nil
}

// admit takes the groups that the store has kept into the index, and reports whether
// the store had one that the index does not know.
func (q *Queue) admit(ctx context.Context, p *putting, news []int) (again bool) {
	var late []Entry
	q.mu.Lock()
	for _, i := range news {
		e := p.entries[i]
		known := q.known(p.keys[i])
		switch {
		case e.Seq == 0 && !known:
			again, q.unsure = true, true
		case e.Seq == 0:
			q.stats.Duplicates++
		case known: // meanwhile, the group that was put first was acknowledged and left the store
			q.stats.Duplicates++
			q.last = max(q.last, e.Seq)
			late = append(late, e)
		default:
			p.fresh[i] = true
			q.stats.Put++
			q.enter(e, p.contents[i])
		}
	}
	q.retain(p, news)
	q.notify()
	q.mu.Unlock()
	if len(late) > 0 {
		if err := q.finish(ctx, late); err != nil {
			q.log.Warn("duplicate groups stay in the store until it is opened again", "groups", len(late), "err", err)
		}
	}
	return again
}

// Newest returns the binary form of the group that was put last since the queue was
// opened, except as held, whatever became of it, or nil. It is a copy, and the caller's.
func (b *books) Newest() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.newest)
}
