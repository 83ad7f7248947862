//go:build heavy

package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet/lease"
	"github.com/quintain-rl/quintain/run/rollout"
)

// BenchmarkSave grants and returns a lease, each of which is one save of the run's record, while
// others are open. Snapshots have their share.
func BenchmarkSave(b *testing.B) {
	for _, open := range []int{100, 100_000} {
		b.Run(fmt.Sprint(open), func(b *testing.B) {
			q, err := queue.Open(b.Context(), queue.NewMemory(), queue.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer q.Close()
			of, err := streams()
			if err != nil {
				b.Fatal(err)
			}
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			book := lease.New()
			r, err := run.Open(ctx, run.Config{
				Settings: gate(8, 256, 1<<14), Rules: rollout.DefaultRules(), Streams: of, Queue: q,
				Players: run.Players{Part: book, Play: func(ctx context.Context, t *run.Table) error {
					defer stop()
					return saves(ctx, b, t, book, open)
				}},
			})
			if err == nil {
				err = r.Run(ctx)
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// saves opens leases, and measures with others.
func saves(ctx context.Context, b *testing.B, t *run.Table, book *lease.Book, open int) error {
	for i := range open {
		job, _, err := grant(ctx, t, book, fmt.Sprintf("worker%010d", i/1000))
		if err != nil || job.Number() < 0 {
			return err
		}
	}
	if err := t.Keep(ctx); err != nil {
		return err
	}
	for b.Loop() {
		job, l, err := grant(ctx, t, book, "worker0000000000")
		if err != nil {
			return err
		}
		if err := t.Keep(ctx); err != nil {
			return err
		}
		book.Return(l.Number)
		t.Return(job)
		if err := t.Keep(ctx); err != nil {
			return err
		}
	}
	return nil
}

func grant(ctx context.Context, t *run.Table, book *lease.Book, instance string) (job rollout.Job, l lease.Lease, err error) {
	if err = t.Admit(ctx); err != nil {
		return job, l, err
	}
	if job, err = t.Next(); err != nil {
		return job, l, err
	}
	return job, book.Grant(instance, job.Problem), nil
}
