package nats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// dial connects to the server.
func (s *store) dial() (*nats.Conn, error) {
	log := s.o.Log
	opts := []nats.Option{
		nats.Name("quintain queue " + s.o.Name), nats.ReconnectBufSize(-1), nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Debug("nats: connection", "err", err)
		}),
	}
	if s.o.Creds != "" {
		opts = append(opts, nats.UserCredentials(s.o.Creds))
	}
	nc, err := nats.Connect(s.url, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
	}
	return nc, nil
}

// attach makes the queue the owner of the streams.
func (s *store) attach(ctx context.Context) error {
	s.limit = min(int(s.nc.MaxPayload()), maxMessage) - 16<<10 // room for headers
	if err := s.claim(ctx); err != nil {
		return err
	}
	js, err := jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.o.Timeout))
	if err != nil {
		return err
	}
	name, replicas := s.o.Name, s.o.Replicas
	// With replicas, a direct read could be answered by one that lags.
	cfg := jetstream.StreamConfig{
		Name: name, Subjects: []string{name + ".group.*"}, Replicas: replicas,
		AllowDirect: replicas == 1, AllowAtomicPublish: true,
		Description: "groups that wait or are leased; see docs/formats/stream.md of quintain",
	}
	if s.bodies, err = s.stream(ctx, js, cfg); err != nil {
		return err
	}
	cfg = jetstream.StreamConfig{
		Name: name + "-log", Subjects: []string{name + ".done", name + ".state.>"}, Replicas: replicas,
		AllowDirect: replicas == 1, AllowRollup: true,
		Description: "what is done, and states; see docs/formats/stream.md of quintain",
	}
	s.log, err = s.stream(ctx, js, cfg)
	return err
}

// stream finds or makes a stream. It refuses one whose settings could lose messages.
func (s *store) stream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	st, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		st, err = js.CreateStream(ctx, want)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, s.readError(ctx, err))
	}
	got := st.CachedInfo().Config
	switch {
	case got.AllowAtomicPublish != want.AllowAtomicPublish:
		return nil, fmt.Errorf("stream %s: does not take atomic batches, which NATS servers do from 2.12 on", want.Name)
	case got.Retention != jetstream.LimitsPolicy, got.MaxAge > 0, got.MaxMsgsPerSubject > 0,
		got.Discard == jetstream.DiscardOld && (got.MaxMsgs > 0 || got.MaxBytes > 0):
		return nil, fmt.Errorf("stream %s: its limits would discard messages", want.Name)
	case got.Storage != jetstream.FileStorage:
		return nil, fmt.Errorf("stream %s: is kept in memory, want files", want.Name)
	}
	return st, nil
}

// claim makes sure that no other process uses the streams, and answers processes that
// ask later. If two ask at the same moment, both may get them.
func (s *store) claim(ctx context.Context) error {
	subject := "_quintain.owner." + s.o.Name
	if err := s.askOwner(ctx, subject); err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		name = "an unnamed host"
	}
	me := fmt.Appendf(nil, "process %d on %s", os.Getpid(), name)
	if s.owner, err = s.nc.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond(me) }); err == nil {
		err = s.nc.FlushTimeout(claimWait)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
	}
	return nil
}

// askOwner returns an error if the streams have an owner. For a moment, the server may
// still take a process that has just ended for one.
func (s *store) askOwner(ctx context.Context, subject string) error {
	err := nats.ErrTimeout
	for try := 0; try < 5 && errors.Is(err, nats.ErrTimeout); try++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var reply *nats.Msg
		if reply, err = s.nc.Request(subject, nil, claimWait); err == nil {
			return fmt.Errorf("%s: stream %s: %w: %s", s.where(), s.o.Name, queue.ErrInUse, reply.Data)
		}
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil
	case errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("%s: stream %s: %w, which does not answer", s.where(), s.o.Name, queue.ErrInUse)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
}

// claimWait is how long the owner of a stream has to answer a question.
const claimWait = time.Second
