package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue"
)

// A scan selects messages of a stream to read.
type scan struct {
	stream   jetstream.Stream
	subjects []string
	headers  bool   // without the bodies
	fetch    int    // messages per request
	until    uint64 // the scan must reach this number
}

// read shows all messages of sc once, in order. It resumes after a failure of the server,
// and if its copy of the stream lags.
func (s *server) read(ctx context.Context, sc scan, show func(m jetstream.Msg, seq uint64) error) error {
	next, deadline := uint64(1), time.Now().Add(s.o.Timeout)
	for {
		seen, err := s.readFrom(ctx, sc, next, show)
		if seen >= next {
			next, deadline = seen+1, time.Now().Add(s.o.Timeout)
		}
		if err == nil && seen < sc.until && next <= sc.until {
			err = fmt.Errorf("%s: %w: a copy of the stream ends at %d, want %d", s.where(), queue.ErrUnreachable, next-1, sc.until)
		}
		if err == nil || !passing(err) || time.Now().After(deadline) {
			return err
		}
		pause.For(ctx, retryPause)
	}
}

// readFrom shows the messages of sc from number first on, and returns the last number shown.
func (s *server) readFrom(ctx context.Context, sc scan, first uint64, show func(m jetstream.Msg, seq uint64) error) (seen uint64, err error) {
	began := time.Now()
	create, cancel := context.WithTimeout(ctx, min(2*tryTime, s.o.Timeout))
	defer cancel()
	c, err := sc.stream.CreateConsumer(create, jetstream.ConsumerConfig{
		FilterSubjects: sc.subjects, HeadersOnly: sc.headers, AckPolicy: jetstream.AckNonePolicy,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: first,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return 0, s.readError(ctx, s.explain(began, err))
	}
	defer func() { // else the server forgets it in a minute
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTime)
		defer cancel()
		_ = sc.stream.DeleteConsumer(end, c.CachedInfo().Name)
	}()
	place := uint64(0) // in the consumer's sequence
	for left := c.CachedInfo().NumPending; left > 0; {
		var stop error
		left, err = fetch(ctx, c, min(left, uint64(sc.fetch)), func(m jetstream.Msg, at jetstream.SequencePair) bool {
			if place++; at.Consumer != place {
				stop = fmt.Errorf("%s: %w: messages were lost on their way", s.where(), queue.ErrUnreachable)
			} else if stop = show(m, at.Stream); stop == nil {
				seen = at.Stream
			}
			return stop == nil
		})
		if stop != nil {
			return seen, stop
		}
		if err != nil {
			return seen, s.readError(ctx, s.explain(began, err))
		}
	}
	return seen, nil
}

// fetch shows the next messages of a consumer, at most n, and returns how many follow.
func fetch(ctx context.Context, c jetstream.Consumer, n uint64, show func(jetstream.Msg, jetstream.SequencePair) bool) (left uint64, err error) {
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
		if !show(m, meta.Sequence) {
			return 0, nil
		}
		left, came = meta.NumPending, true
	}
	if err := batch.Error(); err != nil || came {
		return left, err
	}
	// If none came, some may be damaged, which the server notices as it reads them.
	info, err := c.Info(ctx)
	if err != nil {
		return 0, err
	}
	if info.NumPending > 0 {
		return 0, fmt.Errorf("%s of the stream did not come", stats.Count(info.NumPending, "message"))
	}
	return 0, nil
}
