package queue_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// A taken store belongs to another process, as a write to its log shows.
type taken struct{ *queue.Memory }

func (taken) Append(context.Context, []byte) error { return queue.ErrFenced }

// TestAFencedQueueStaysFenced: once the store belongs to another process, no operation does
// anything.
func TestAFencedQueueStaysFenced(t *testing.T) {
	ctx := t.Context()
	q, err := queue.Open(ctx, taken{queue.NewMemory()}, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	queuetest.PutAll(t, q, 2)
	list, err := q.Lease(ctx, queue.Want{Consumer: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		what string
		do   func() error
	}{
		{"ack", func() error { return q.Ack(ctx, "a", list[0].Seq) }},
		{"put", func() error { _, err := q.Put(ctx, queuetest.Group(2)); return err }},
		{"put of one that is known", func() error { _, err := q.Put(ctx, queuetest.Group(0)); return err }},
		{"lease", func() error { _, err := q.Lease(ctx, queue.Want{Consumer: "b"}); return err }},
		{"drop", func() error { _, err := q.Drop(ctx, list[0].Seq); return err }},
		{"state", func() error { _, err := q.State(ctx, "x"); return err }},
		{"reset", func() error { return q.Reset(ctx) }},
	} {
		if err := one.do(); !errors.Is(err, queue.ErrFenced) {
			t.Errorf("%s: error %v", one.what, err)
		}
	}
	queuetest.Close(t, q)
}
