package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
)

// A server is a connection to a NATS server or cluster.
type server struct {
	o   Options
	url string
	nc  *nats.Conn
	js  jetstream.JetStream

	mu    sync.Mutex
	tries map[context.Context]context.CancelFunc // attempts on the current connection

	denial atomic.Pointer[denial] // the last; nil: none
}

// A denial is the server's refusal of a subject, which it does not send as an answer.
type denial struct {
	err error // an [errDenied]
	at  time.Time
}

// deny keeps the server's words about a right that the user lacks.
func (s *server) deny(err error) {
	_, words, found := strings.Cut(err.Error(), nats.ErrPermissionViolation.Error()+": ")
	if errors.Is(err, nats.ErrPermissionViolation) && found && !strings.Contains(words, syncSubject) { // which a queue can do without
		s.denial.Store(&denial{fmt.Errorf("%w: %s", errDenied, strings.TrimPrefix(words, "nats: ")), time.Now()})
	}
}

// explain returns the server's words about a right, if they came since began, instead of err, the
// error of an attempt that got no answer.
func (s *server) explain(began time.Time, err error) error {
	silent := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
	if d := s.denial.Load(); silent && d != nil && d.at.After(began) {
		return d.err
	}
	return err
}

// reach connects to the server. A standby waits for one that cannot be reached.
func (s *server) reach(ctx context.Context) (*nats.Conn, error) {
	dialing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, stop)() // later connections do not end with ctx
	for told := false; ; told = true {
		nc, err := s.dial(dialing)
		if err == nil || ctx.Err() == nil && !(s.o.Standby && away(err)) {
			return nc, err
		}
		if !told && ctx.Err() == nil {
			s.o.Log.Warn("waiting for the NATS server", "err", err)
		}
		if !pause.For(ctx, lookTime) {
			return nil, fmt.Errorf("%s: %w", s.where(), context.Cause(ctx))
		}
	}
}

// away reports whether no server could be reached: another address or other credentials would
// not be an error of the network.
func away(err error) bool {
	var network net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.As(err, &network)
}

// A dialer connects to a server.
type dialer func(network, address string) (net.Conn, error)

// Dial implements [nats.CustomDialer].
func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// dial connects to the server, and reconnects until ctx ends.
func (s *server) dial(ctx context.Context) (*nats.Conn, error) {
	log := s.o.Log
	to := net.Dialer{Timeout: nats.DefaultTimeout, FallbackDelay: -1} // as nats has them
	opts := []nats.Option{
		nats.SetCustomDialer(dialer(func(network, address string) (net.Conn, error) { return to.DialContext(ctx, network, address) })),
		nats.Name("quintain queue " + s.o.Name), nats.ReconnectBufSize(-1), nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond), nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(1),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { s.abandon() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Debug("nats: connection", "err", err)
			s.deny(err)
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

// abandon ends all attempts after the connection broke: no answers will come.
func (s *server) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.tries {
		cancel()
	}
}

// try returns the context of one attempt to ask the server. It ends with ctx, after d, or
// with the connection.
func (s *server) try(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tries == nil {
		s.tries = make(map[context.Context]context.CancelFunc)
	}
	s.tries[ctx] = cancel
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tries, ctx)
	}
}

// where names the server for people, without passwords.
func (s *server) where() string {
	list := strings.Split(s.url, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// stream finds or makes a stream. It refuses settings that could lose messages.
func (s *server) stream(ctx context.Context, want jetstream.StreamConfig) (st jetstream.Stream, err error) {
	err = s.ask(ctx, func(ctx context.Context) error {
		st, err = s.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			st, err = s.js.CreateStream(ctx, want)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, err)
	}
	got := st.CachedInfo().Config
	if !got.AllowAtomicPublish { // earlier versions made the log without it
		got.AllowAtomicPublish = true
		if st, err = s.js.UpdateStream(ctx, got); err != nil {
			return nil, fmt.Errorf("stream %s: takes no atomic batches, which need a NATS server of version 2.12 or later: %w", want.Name, s.readError(ctx, err))
		}
	}
	switch {
	case got.Retention != jetstream.LimitsPolicy, got.MaxAge > 0, got.MaxMsgsPerSubject > 0,
		got.Discard == jetstream.DiscardOld && (got.MaxMsgs > 0 || got.MaxBytes > 0):
		return nil, fmt.Errorf("stream %s: its limits would discard messages", want.Name)
	case got.Storage != jetstream.FileStorage:
		return nil, fmt.Errorf("stream %s: is stored in memory, want files", want.Name)
	case got.PersistMode != jetstream.DefaultPersistMode:
		return nil, fmt.Errorf("stream %s: acknowledges messages before they are written (persist mode %s), want the default mode", want.Name, got.PersistMode)
	}
	return st, nil
}

// ask calls f, a question to the server that is harmless to repeat, and repeats it while the
// server does not answer, until the time is up. Each call has the same short time, because
// questions get lost while a cluster elects a leader.
func (s *server) ask(ctx context.Context, f func(context.Context) error) error {
	deadline := s.until(ctx)
	for {
		err := s.askOnce(ctx, f)
		if err == nil || !passing(err) || time.Now().After(deadline) {
			return err
		}
		pause.For(ctx, retryPause)
	}
}

// until is the time at which to give up an operation that begins now.
func (s *server) until(ctx context.Context) time.Time {
	end := time.Now().Add(s.o.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		return d
	}
	return end
}

// askOnce is ask without retries.
func (s *server) askOnce(ctx context.Context, f func(context.Context) error) error {
	try, cancel := s.try(ctx, min(askTime, s.o.Timeout)+transfer(int(s.nc.MaxPayload())))
	defer cancel()
	began := time.Now()
	if err := f(try); err != nil {
		return s.readError(ctx, s.explain(began, err))
	}
	return nil
}
