// Package nats keeps a queue in two streams of a NATS server or cluster, version 2.12
// or later, with JetStream. What an answer of such a queue promises is what the
// settings of the server promise. The streams are described in docs/formats/stream.md.
package nats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
)

// Options are the settings of one store; the zero value has the defaults.
type Options struct {
	Name     string        // of the streams, with 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'; default "quintain"
	Replicas int           // copies of the streams that a cluster keeps, if they are made now; default 1
	Creds    string        // file of NATS credentials; default none
	Standby  bool          // wait until the owner of the streams has ended, or has given no sign of life for 3 s
	Synced   bool          // the server is known to sync each write to its disk: do not warn
	Timeout  time.Duration // how long to try an operation before it fails; default 10 s
	Log      *slog.Logger  // default: none

	// Lost is called, once, when another process has become the owner of the streams. The
	// error is what all operations return from then on. Lost must not call the store.
	Lost func(error)
}

// withDefaults returns o with its zeros filled in.
func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "quintain"
	}
	o.Replicas = max(1, o.Replicas)
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Open opens the store on the server or cluster at url, which may list several
// servers, with commas. One process owns the streams of a name: others get
// [queue.ErrInUse], or wait if they are on standby. If the last owner was killed, Open
// waits for 3 s, in which a living one would give a sign.
//
// An owner that gives no sign of life for 3 s may be replaced. The server then refuses
// all that it still writes, and its operations return [queue.ErrFenced].
func Open(ctx context.Context, url string, o Options) (queue.Store, error) {
	s, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, url string, o Options) (*store, error) {
	s := &store{server: &server{o: o.withDefaults(), url: url}}
	if err := queue.CheckName(s.o.Name); err != nil {
		return nil, fmt.Errorf("name of the streams %w", err)
	}
	var err error
	if s.nc, err = s.dial(); err != nil {
		return nil, err
	}
	for err = s.attach(ctx); s.o.Standby && passing(err); err = s.attach(ctx) {
		pause.For(ctx, lookTime)
	}
	if err == nil {
		err = s.claim(ctx)
	}
	if err != nil {
		s.nc.Close()
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.living.Go(func() { s.live(life) })
	return s, nil
}

// Remove deletes the streams of a queue, with all that they hold. Like [Open], it returns
// [queue.ErrInUse] if a process uses them.
func Remove(ctx context.Context, url string, o Options) error {
	s, err := open(ctx, url, o)
	if err != nil {
		return err
	}
	defer s.nc.Close()
	s.stop()
	s.living.Wait()
	for _, c := range []*chain{s.bodies, s.log} { // the log, with the owner, is the last
		err := s.ask(ctx, func(ctx context.Context) error { return s.js.DeleteStream(ctx, c.stream.CachedInfo().Config.Name) })
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return nil
}
