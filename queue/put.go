package queue

import (
	"bytes"
	"context"
	"fmt"

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
	p := q.newPutting(len(groups))
	defer p.reuse()
	p.groups = groups
	for i, g := range groups {
		if err := p.enter(i, g); err != nil {
			return nil, nil, err
		}
		if hold != nil && hold[i] {
			p.entries[i].hold = held
		}
	}
	if fresh, err = p.insist(ctx); err != nil {
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
	p := q.newPutting(len(bodies))
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
	return p.insist(ctx)
}

// Newest returns the binary form of the group that was put last since the queue was
// opened, except as held, whatever became of it, or nil. It is a copy, and the caller's.
func (b *books) Newest() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.newest)
}
