package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A scan names the messages of a stream to read.
type scan struct {
	stream  jetstream.Stream
	subject string
	headers bool // without the bodies
	fetch   int  // messages at a time
}

// read shows all messages of sc in order.
func (s *store) read(ctx context.Context, sc scan, show func(m jetstream.Msg, seq uint64) error) error {
	c, err := sc.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: sc.subject, HeadersOnly: sc.headers, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return s.readError(ctx, err)
	}
	defer func() { // otherwise the server forgets it in a minute
		_ = sc.stream.DeleteConsumer(context.WithoutCancel(ctx), c.CachedInfo().Name)
	}()
	for left := c.CachedInfo().NumPending; left > 0; {
		var stop error
		left, err = fetch(ctx, c, min(left, uint64(sc.fetch)), func(m jetstream.Msg, seq uint64) bool {
			stop = show(m, seq)
			return stop == nil
		})
		if stop != nil {
			return stop
		}
		if err != nil {
			return s.readError(ctx, err)
		}
	}
	return nil
}

// fetch shows the next messages of a consumer, n at most, and returns how many come
// after them.
func fetch(ctx context.Context, c jetstream.Consumer, n uint64, show func(jetstream.Msg, uint64) bool) (left uint64, err error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	batch, err := c.FetchNoWait(int(n))
	if err != nil {
		return 0, err
	}
	came := false
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return 0, err
		}
		if !show(m, meta.Sequence.Stream) {
			return 0, nil
		}
		left, came = meta.NumPending, true
	}
	if err := batch.Error(); err != nil || came {
		return left, err
	}
	// None came. Some may be damaged, which the server notices as it reads them.
	info, err := c.Info(ctx)
	if err == nil && info.NumPending > 0 {
		err = fmt.Errorf("%d messages that should be there did not come", info.NumPending)
	}
	return 0, err
}
