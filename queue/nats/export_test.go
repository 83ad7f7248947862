package nats

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// Replicated reports whether all copies of the streams of a store are up to date.
func Replicated(ctx context.Context, of queue.Store) bool {
	s := of.(*store)
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
