package queue

import (
	"bytes"
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// MaxPutAll is the most groups in one [Queue.PutAll].
const MaxPutAll = 1000

// Put adds g, durably when it returns nil. If a group with this ID was put before, even if it
// was acknowledged long ago, Put adds nothing and fresh is false. While the first one is in the
// queue, other content under its ID is a [*ConflictError]. A group without an ID is always
// fresh.
//
// An invalid group is a [*quintain.FieldError]. Other errors are [*groupform.TooLargeError],
// [ErrNoSpace], [ErrUnreachable] and [ErrUncertain]: Put may or may not have added the group.
// If it has an ID, putting it again settles that.
func (q *Queue) Put(ctx context.Context, g *quintain.Group) (fresh bool, err error) {
	list, err := q.PutAll(ctx, []*quintain.Group{g})
	return err == nil && list[0], err
}

// PutAll is Put for at most [MaxPutAll] groups: it adds all that are fresh, or none if it
// fails. fresh has an element for each.
func (q *Queue) PutAll(ctx context.Context, groups []*quintain.Group) (fresh []bool, err error) {
	_, fresh, err = q.PutHeld(ctx, groups, nil)
	return fresh, err
}

// PutHeld is [Queue.PutAll], but groups for which hold is true are held: see [Entry]. A nil
// hold holds none. It also returns the sequence numbers of the fresh groups.
func (q *Queue) PutHeld(ctx context.Context, groups []*quintain.Group, hold []bool) (seqs []uint64, fresh []bool, err error) {
	if len(groups) > MaxPutAll {
		return nil, nil, fmt.Errorf("%s in one put, want at most %d", stats.Count(len(groups), "group"), MaxPutAll)
	}
	p := q.newPutOp(len(groups))
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

// PutEncoded is [Queue.PutAll] for groups in binary form, which it stores as they are. Each
// must be valid; check, if not nil, may refuse more, and must not keep the group. PutEncoded
// does not keep the bodies.
//
// A body that is not a group is a [*groupform.FormatError].
func (q *Queue) PutEncoded(ctx context.Context, bodies [][]byte, check func(i int, g *quintain.Group) error) (fresh []bool, err error) {
	if len(bodies) > MaxPutAll {
		return nil, fmt.Errorf("%s in one put, want at most %d", stats.Count(len(bodies), "group"), MaxPutAll)
	}
	p := q.newPutOp(len(bodies))
	for i, body := range bodies {
		var sum uint32
		err := q.codec.View(body, func(g *quintain.Group, of uint32) error {
			sum = of
			if err := g.Check(); err != nil {
				return err
			}
			if check != nil {
				if err := check(i, g); err != nil {
					return err
				}
			}
			return p.enter(i, g)
		})
		if err != nil {
			return nil, err
		}
		p.keep(i, body, sum)
	}
	return p.insist(ctx)
}

// Newest returns the binary form of the last group put since the queue was opened, held ones
// excepted, or nil. It is a copy.
func (x *index) Newest() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return bytes.Clone(x.newest)
}
