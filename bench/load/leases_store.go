package main

import (
	"context"
	"crypto/rand"
	"os"
	"strings"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/nats"
)

// A Store says where the record of the run and its groups are.
type Store struct {
	Data     string // folder for the folder of files; empty: that of temporary files
	NATS     string // servers; empty: files
	Replicas int    // copies in the cluster
}

// name is how a measurement calls the store.
func (s Store) name() string {
	if s.NATS != "" {
		return "nats"
	}
	return "files"
}

// open opens an empty queue. Remove deletes it, once it is closed.
func (s Store) open(ctx context.Context) (q *queue.Queue, remove func() error, err error) {
	var store queue.Store
	if s.NATS != "" {
		o := nats.Options{Name: "bench-" + strings.ToLower(rand.Text()[:12]), Replicas: s.Replicas, Synced: true}
		remove = func() error { return nats.Remove(context.WithoutCancel(ctx), s.NATS, o) }
		store, err = nats.Open(ctx, s.NATS, o)
	} else {
		var folder string
		if folder, err = os.MkdirTemp(s.Data, "quintain-leases-"); err != nil {
			return nil, nil, err
		}
		remove = func() error { return os.RemoveAll(folder) }
		store, err = files.Open(folder, files.Options{})
	}
	if err != nil {
		return nil, remove, err
	}
	q, err = queue.Open(ctx, store, queue.Options{})
	return q, remove, err
}
