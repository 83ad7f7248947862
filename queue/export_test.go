package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain"
)

// EncodeFields is the part of Encode within the envelope.
func EncodeFields(g *quintain.Group) []byte {
	w := writer{}
	w.group(g)
	return w.b
}

// DecodeFields is the part of Decode within the envelope.
func DecodeFields(b []byte) (*quintain.Group, error) {
	r := reader{b: b}
	g := r.group()
	return g, r.err
}

// StoreOf is where q has its store.
func (q *Queue) StoreOf() *Store { return &q.store }

// Wrap puts fields into an envelope.
func Wrap(fields []byte) []byte { return wrap(nil, fields, packedSmall, NewCodec(0).appendSmall) }

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
