package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
)

// A putOp is the progress of one PutAll.
type putOp struct {
	queue    *Queue
	groups   []*quintain.Group // nil: the caller gave records
	entries  []Entry
	keys     []Key
	records  []Record  // encoded when needed
	buffers  []*[]byte // reusable memory of the records encoded here
	fresh    []bool
	contents []content
	same     []int              // groups with a known or repeated key
	aside    map[Key]Unreadable // groups that they may replace
	floor    uint64             // see claim
	ended    chan struct{}      // closed by leave
}

func (q *Queue) newPutOp(n int) *putOp {
	return &putOp{queue: q, entries: make([]Entry, n), keys: make([]Key, n), contents: make([]content, n), records: make([]Record, n), buffers: make([]*[]byte, n), fresh: make([]bool, n)}
}

// maxReused bounds the buffers kept for later groups, in bytes.
const maxReused = 16 << 20

// reuse gives the records' memory to later puts.
func (p *putOp) reuse() {
	q := p.queue
	for _, b := range p.buffers {
		if b != nil && cap(*b) <= maxReused {
			q.forms.Put(b)
		}
	}
}

// insist puts until the index knows every group that the store has.
func (p *putOp) insist(ctx context.Context) (fresh []bool, err error) {
	for range maxTries {
		again, err := p.put(ctx)
		if err != nil {
			return nil, err
		}
		if !again {
			return p.fresh, nil
		}
	}
	err = fmt.Errorf("the store refuses a group as stored, but does not list it: %w", ErrUncertain)
	p.queue.ready.heed(ctx, 0, err)
	return nil, err
}

// maxTries is how often a put is tried while the store has a group that the index does not
// know.
const maxTries = 5

// enter makes g group i.
func (p *putOp) enter(i int, g *quintain.Group) (err error) {
	p.entries[i], err = newEntry(g)
	p.keys[i] = p.entries[i].key()
	return err
}

// keep makes body the encoded group i; sum is its content's.
func (p *putOp) keep(i int, body []byte, sum uint32) {
	e := &p.entries[i]
	e.Bytes, p.contents[i] = int32(len(body)), contentOf(sum)
	p.records[i] = Record{Key: p.keys[i], Meta: e.meta(p.contents[i]), Body: body}
}

// put puts the unknown groups. again says that the store had one that the index does not
// know, from an uncertain put: reread, then put again.
func (p *putOp) put(ctx context.Context) (again bool, err error) {
	q := p.queue
	faults := q.ready.begin()
	news, err := p.claimed(ctx)
	if err != nil {
		q.ready.heed(ctx, faults, err)
		return false, err
	}
	defer q.ops.RUnlock()
	defer q.leave(p, news)
	all := append(slices.Clone(news), p.same...)
	slices.Sort(all)
	all = slices.Compact(all)
	if err := each(len(all), func(n int) error { return p.encode(all[n]) }); err != nil {
		return false, err
	}
	if err := q.conflict(p); err != nil || len(news) == 0 {
		return false, err
	}
	picked := make([]Record, len(news))
	for n, i := range news {
		picked[n] = p.records[i]
	}
	seqs, err := q.store.Put(ctx, picked)
	q.ready.heed(ctx, faults, err)
	if err != nil {
		return false, q.doubt(err)
	}
	for n, i := range news {
		p.entries[i].Seq = seqs[n]
	}
	return p.admit(ctx, news), nil
}

// claimed begins an operation once no other running put has a key of p, and claims the
// unknown keys.
func (p *putOp) claimed(ctx context.Context) ([]int, error) {
	q := p.queue
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
func (p *putOp) encode(i int) error {
	q := p.queue
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

// admit adds the stored groups to the index, and reports whether the store had one that the
// index does not know.
func (p *putOp) admit(ctx context.Context, news []int) (again bool) {
	q := p.queue
	var late []Entry
	var replaced []Unreadable
	q.mu.Lock()
	for _, i := range news {
		e := p.entries[i]
		old, replaces := q.displace(p, i)
		if replaces {
			replaced = append(replaced, old)
		}
		known := q.known(p.keys[i])
		switch {
		case e.Seq == 0 && replaces: // the store takes it once the old one is deleted
			again = true
		case e.Seq == 0 && !known:
			again, q.unsure = true, true
		case e.Seq == 0:
			q.stats.Duplicates++
		case known: // the first group of this key was acknowledged meanwhile, and left the store
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
	q.changed.Wake()
	q.mu.Unlock()
	q.replace(ctx, replaced)
	if len(late) > 0 {
		if err := q.finish(ctx, late); err != nil {
			q.log.Warn("duplicate groups stay in the store until it is reopened", "groups", len(late), "err", err)
		}
	}
	return again
}
