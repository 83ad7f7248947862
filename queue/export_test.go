package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// StoreOf is where q has its store.
func (q *Queue) StoreOf() *Store { return &q.store }

// Replicated reports whether all copies of the streams of q are up to date.
func Replicated(ctx context.Context, q *Queue) bool {
	s := q.store.(*jetStream)
	for _, one := range []jetstream.Stream{s.bodies, s.log} {
		info, err := one.Info(ctx)
		if err != nil || info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != 2 {
			return false
		}
		for _, r := range info.Cluster.Replicas {
			if !r.Current || r.Offline {
				return false
			}
		}
	}
	return true
}
