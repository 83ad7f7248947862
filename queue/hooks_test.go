package queue_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// TestOnAcked tells the groups that consumers acknowledge, and no others.
func TestOnAcked(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer queuetest.Close(t, q)
	queuetest.PutAll(t, q, 5)
	list, err := q.Lease(ctx, queue.Want{Consumer: "a", Max: 4})
	if err != nil {
		t.Fatal(err)
	}
	var told []uint64
	q.OnAcked(func(groups []queue.Entry) {
		for i := range groups {
			told = append(told, groups[i].Seq)
		}
	})
	for _, one := range []struct {
		why  string
		do   func() error
		told []uint64
	}{
		{"one", func() error { return q.Ack(ctx, "a", list[1].Seq) }, []uint64{list[1].Seq}},
		{"dropped", func() error { _, err := q.Drop(ctx, list[0].Seq); return err }, nil},
		{"not leased, with one that is", func() error {
			if err := q.Ack(ctx, "a", list[0].Seq, list[2].Seq); !errors.Is(err, queue.ErrNotLeased) {
				return errors.New("a dropped group is acknowledged")
			}
			return nil
		}, nil},
		{"two at once", func() error { return q.Ack(ctx, "a", list[2].Seq, list[3].Seq) }, []uint64{list[2].Seq, list[3].Seq}},
		{"nothing", func() error { return q.Ack(ctx, "a") }, nil},
	} {
		told = nil
		if err := one.do(); err != nil || !slices.Equal(slices.Sorted(slices.Values(told)), one.told) {
			t.Errorf("%s: told %v, want %v; error %v", one.why, told, one.told, err)
		}
	}
}

// Everybody who listens hears which groups are handed out, with their content or without.
func TestOnLeased(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer queuetest.Close(t, q)
	queuetest.PutAll(t, q, 5)
	var told [2][]uint64
	acked := 0
	for i := range told {
		q.OnLeased(func(groups []queue.Entry) {
			for k := range groups {
				told[i] = append(told[i], groups[k].Seq)
			}
		})
		q.OnAcked(func(groups []queue.Entry) { acked += len(groups) })
	}
	var want []uint64
	for _, w := range []queue.Want{{Consumer: "a", Max: 2}, {Consumer: "a", Max: 2, Blind: true}, {Consumer: "a", Max: 2}, {Consumer: "a", Max: 2}} {
		list, err := q.Lease(ctx, w)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			want = append(want, list[i].Seq)
		}
	}
	if len(want) != 5 || !slices.Equal(told[0], want) || !slices.Equal(told[1], want) {
		t.Errorf("handed out: %v, told %v", want, told)
	}
	if err := q.Ack(ctx, "a", want...); err != nil || acked != 10 {
		t.Errorf("%v; two heard of %d acknowledged groups, want 5 each", err, acked)
	}
}
