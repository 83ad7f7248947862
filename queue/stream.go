package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options are the settings of a queue; the zero value has the defaults.
type Options struct {
	Name     string        // of the streams; default "quintain"
	Replicas int           // copies of the streams that a cluster keeps; default 1
	MinFree  int64         // bytes of the disk that Put leaves free; default 64 MiB, below 0 none; for OpenDir
	Timeout  time.Duration // how long an answer of the store is waited for; default 30 s
	Creds    string        // file of NATS credentials; for OpenURL
	Log      *slog.Logger  // default: none

	segmentSize int64 // for tests
}

func (o Options) segment() int64 {
	if o.segmentSize <= 0 {
		return segmentSize
	}
	return o.segmentSize
}

func (o Options) timeout() time.Duration {
	if o.Timeout <= 0 {
		return 30 * time.Second
	}
	return o.Timeout
}

func (o Options) minFree() int64 {
	if o.MinFree == 0 {
		return 64 << 20
	}
	return max(0, o.MinFree)
}

func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// OpenDir opens the queue in the folder dir: that of [DirStore].
func OpenDir(ctx context.Context, dir string, o Options) (*Queue, error) {
	s, err := DirStore(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return openOver(ctx, s, o)
}

// OpenURL opens the queue on a NATS server or cluster: that of [URLStore].
func OpenURL(ctx context.Context, url string, o Options) (*Queue, error) {
	s, err := URLStore(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return openOver(ctx, s, o)
}

// openOver opens the queue over s, which it closes where it cannot.
func openOver(ctx context.Context, s Store, o Options) (*Queue, error) {
	q, err := Open(ctx, s, o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return q, nil
}

// URLStore opens the store on a NATS server or cluster, version 2.12 or later, with
// JetStream; url may list several servers, with commas. One process at a time may
// use the streams of a name: another gets [ErrInUse], as far as the server can tell.
func URLStore(ctx context.Context, url string, o Options) (Store, error) {
	return newStream(ctx, &jetStream{o: o, url: url})
}

// newStream completes s and connects it.
func newStream(ctx context.Context, s *jetStream) (Store, error) {
	if s.o.Name == "" {
		s.o.Name = "quintain"
	}
	if err := checkName(s.o.Name); err != nil {
		return nil, fmt.Errorf("name of the streams %w", err)
	}
	s.batches = make(chan struct{}, maxBatches)
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// connect connects to the server and finds or makes the streams.
func (s *jetStream) connect(ctx context.Context) (err error) {
	if s.nc, err = s.dial(); err != nil {
		return err
	}
	if err = s.attach(ctx); err != nil {
		s.nc.Close()
	}
	return err
}

// dial connects to the server.
func (s *jetStream) dial() (*nats.Conn, error) {
	log := s.o.logger()
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
		return nil, fmt.Errorf("%s: %w: %w", s.where(), ErrUnreachable, err)
	}
	return nc, nil
}

// attach makes the queue the owner of the streams.
func (s *jetStream) attach(ctx context.Context) error {
	s.limit = min(int(s.nc.MaxPayload()), maxMessage) - 16<<10 // room for headers
	if err := s.claim(ctx); err != nil {
		return err
	}
	js, err := jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.o.timeout()))
	if err != nil {
		return err
	}
	name, replicas := s.o.Name, max(1, s.o.Replicas)
	// A replica may lag, and would answer a direct read.
	cfg := jetstream.StreamConfig{
		Name: name, Subjects: []string{name + ".group.*"}, Replicas: replicas,
		AllowDirect: replicas == 1, AllowAtomicPublish: true,
		Description: "groups that wait or are leased; see quintain, docs/formats/stream.md",
	}
	if s.bodies, err = s.stream(ctx, js, cfg); err != nil {
		return err
	}
	cfg = jetstream.StreamConfig{
		Name: name + "-log", Subjects: []string{name + ".done", name + ".state.>"}, Replicas: replicas,
		AllowDirect: replicas == 1, AllowRollup: true,
		Description: "what is done, and states; see quintain, docs/formats/stream.md",
	}
	s.log, err = s.stream(ctx, js, cfg)
	return err
}

// stream finds or makes a stream. One that could lose messages by its settings is
// refused.
func (s *jetStream) stream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
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

// claim makes sure that no other process uses the streams, and answers those who
// ask later. Of two that ask in the same moment both may get them.
func (s *jetStream) claim(ctx context.Context) error {
	subject := "_quintain.owner." + s.o.Name
	if err := s.askOwner(ctx, subject); err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		name = "a host without a name"
	}
	me := fmt.Appendf(nil, "process %d on %s", os.Getpid(), name)
	if s.owner, err = s.nc.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond(me) }); err == nil {
		err = s.nc.FlushTimeout(claimWait)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", s.where(), ErrUnreachable, err)
	}
	return nil
}

// askOwner returns an error where someone owns the streams. The server may take one
// that has just ended for an owner, for a moment.
func (s *jetStream) askOwner(ctx context.Context, subject string) error {
	err := nats.ErrTimeout
	for try := 0; try < 5 && errors.Is(err, nats.ErrTimeout); try++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var reply *nats.Msg
		if reply, err = s.nc.Request(subject, nil, claimWait); err == nil {
			return fmt.Errorf("%s: stream %s: %w: %s", s.where(), s.o.Name, ErrInUse, reply.Data)
		}
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil
	case errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("%s: stream %s: %w, which does not answer", s.where(), s.o.Name, ErrInUse)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), ErrUnreachable, err)
}

// claimWait is how long the owner of a stream has to answer a question.
const claimWait = time.Second

// A scan says which messages of a stream to read.
type scan struct {
	stream  jetstream.Stream
	subject string
	headers bool // without the bodies
	fetch   int  // messages at a time
}

// read shows all messages of sc in their order.
func (s *jetStream) read(ctx context.Context, sc scan, show func(m jetstream.Msg, seq uint64) error) error {
	c, err := sc.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: sc.subject, HeadersOnly: sc.headers, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return s.readError(ctx, err)
	}
	defer func() { // the server forgets it in a minute, otherwise
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

// fetch shows the next messages of a consumer, n at most, and returns how many are
// to come after them.
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
	// None came. Some may have been damaged, which the server finds as it reads them.
	info, err := c.Info(ctx)
	if err == nil && info.NumPending > 0 {
		err = fmt.Errorf("%d messages that should be there did not come", info.NumPending)
	}
	return 0, err
}
