package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory makes stores in memory.
func memory() queuetest.Place {
	return queuetest.Place{Bubble: true, New: func(testing.TB) func() (queue.Store, error) {
		m := queue.NewMemory()
		return func() (queue.Store, error) { return m, nil }
	}}
}

func TestMemory(t *testing.T) { queuetest.Run(t, memory()) }

func TestMemoryHistories(t *testing.T) { queuetest.Machine(t, memory(), 0) }

func TestNewerFormatIsRefused(t *testing.T) {
	ctx := context.Background()
	for format, newer := range map[string]bool{"3": true, "1": false, "x": false} {
		m := queue.NewMemory()
		if err := m.SetStates(ctx, []queue.State{{Key: "queue.format", Value: []byte(format)}}); err != nil {
			t.Fatal(err)
		}
		_, err := queue.Open(ctx, m, queue.Options{})
		if err == nil || errors.Is(err, queue.ErrNewer) != newer {
			t.Errorf("format %s: error %v", format, err)
		}
	}
	m := queue.NewMemory()
	if err := m.Append(ctx, []byte{9, 0}); err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Open(ctx, m, queue.Options{}); !errors.Is(err, queue.ErrNewer) {
		t.Errorf("record of the log: error %v", err)
	}
}

// A doubtful store sometimes does not know whether it did an operation.
type doubtful struct {
	queue.Store
	t *rapid.T
}

// sometimes calls do, or not, and may not know.
func (d doubtful) sometimes(do func() error) error {
	switch rapid.IntRange(0, 5).Draw(d.t, "luck") {
	case 0:
		return fmt.Errorf("not done: %w", queue.ErrUncertain)
	case 1:
		if err := do(); err != nil {
			return err
		}
		return fmt.Errorf("done: %w", queue.ErrUncertain)
	}
	return do()
}

// Put puts records, perhaps.
func (d doubtful) Put(ctx context.Context, records []queue.Record) (seqs []uint64, err error) {
	err = d.sometimes(func() (err error) {
		seqs, err = d.Store.Put(ctx, records)
		return err
	})
	return seqs, err
}

// Append adds a record, perhaps.
func (d doubtful) Append(ctx context.Context, record []byte) error {
	return d.sometimes(func() error { return d.Store.Append(ctx, record) })
}

// Delete frees bodies, perhaps.
func (d doubtful) Delete(ctx context.Context, below uint64, seqs []uint64) error {
	return d.sometimes(func() error { return d.Store.Delete(ctx, below, seqs) })
}

// List shows bodies, or fails.
func (d doubtful) List(ctx context.Context, show func(queue.Listed)) (last uint64, err error) {
	if rapid.IntRange(0, 5).Draw(d.t, "luck") == 0 {
		return 0, queue.ErrUnreachable
	}
	return d.Store.List(ctx, show)
}

// Repeating a call until its success is certain loses nothing and does nothing twice.
func TestDoubtfulStore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		m := queue.NewMemory()
		q, err := queue.Open(ctx, m, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		*q.StoreOf() = doubtful{m, t}
		insist := func(do func() error) {
			err := do()
			for errors.Is(err, queue.ErrUncertain) || errors.Is(err, queue.ErrUnreachable) {
				err = do()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		acked := make(map[string]int)
		for i := range 12 {
			insist(func() error {
				_, err := q.PutAll(ctx, []*quintain.Group{queuetest.Group(i), queuetest.Group(i + 1)})
				return err
			})
			for range rapid.IntRange(0, 2).Draw(t, "leases") {
				var list []queue.Delivery
				insist(func() (err error) {
					list, err = q.Lease(ctx, queue.Want{Consumer: "a", Max: 3})
					return err
				})
				for _, d := range list {
					insist(func() error { return q.Ack(ctx, "a", d.Seq) })
					acked[d.ID]++
				}
			}
		}
		*q.StoreOf() = m
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		if q, err = queue.Open(ctx, m, queue.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, id := range queuetest.IDs(q) {
			acked[id]++
		}
		for i := range 13 {
			if id := queuetest.Group(i).ID; acked[id] != 1 {
				t.Errorf("group %s was acknowledged or waits %d times", id, acked[id])
			}
		}
		if s := q.Stats(); s.Lost > 0 {
			t.Errorf("%d groups are missing", s.Lost)
		}
	})
}
