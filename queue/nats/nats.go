// Package nats keeps a queue in two streams of a NATS server or cluster with JetStream,
// version 2.12 or later. A confirmed change is as durable as the server's settings make it.
// docs/formats/stream.md describes the streams.
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

// Options are the settings of a store. The zero value is valid.
type Options struct {
	Name     string        // of the streams: 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'; default "quintain"
	Replicas int           // copies of new streams in a cluster; default 1
	Creds    string        // file of NATS credentials; default: none
	Standby  bool          // wait until the streams' owner ends, or shows no sign of life for 3 s
	Synced   bool          // the server syncs each write to its disk: do not warn
	Timeout  time.Duration // how long to retry an operation; default 10 s
	Log      *slog.Logger  // default: none

	// Waits is called each time that a standby has looked at the owner of the streams, with its
	// name for people and the time since which it owns them. It must not block.
	Waits func(owner string, since time.Time)

	// Lost is called once another process owns the streams. All operations return the error
	// from then on. Lost must not call the store.
	Lost func(error)
}

// withDefaults fills in zeros.
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

// Open opens the store on the server or cluster at url, a list of servers with commas. One
// process owns the streams of a name: another gets [queue.ErrInUse], or waits if on standby.
// If the last owner was killed, Open waits for 3 s, in which a living one would show itself.
//
// An owner that shows no sign of life for 3 s may be replaced. The server then refuses its
// writes, and its operations return [queue.ErrFenced].
func Open(ctx context.Context, url string, o Options) (queue.Store, error) {
	s, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, url string, o Options) (*store, error) {
	s := &store{server: &server{o: o.withDefaults(), url: url}, reserve: reserve{bytes: -1}}
	if err := queue.CheckName(s.o.Name); err != nil {
		return nil, fmt.Errorf("name of the streams %w", err)
	}
	var err error
	if s.nc, err = s.reach(ctx); err != nil {
		return nil, err
	}
	if err := s.acquire(ctx); err != nil {
		if s.claimed > 0 {
			s.release()
		}
		s.nc.Close()
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.living.Go(func() { s.live(life) })
	return s, nil
}

// acquire attaches the streams and becomes their owner.
func (s *store) acquire(ctx context.Context) error {
	err := s.attach(ctx)
	for s.o.Standby && passing(err) {
		pause.For(ctx, lookTime)
		err = s.attach(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil {
		return err
	}
	return s.measure(ctx)
}

// Remove deletes the streams of a queue with their content. Like [Open], it returns
// [queue.ErrInUse] if a process uses them.
func Remove(ctx context.Context, url string, o Options) error {
	s, err := open(ctx, url, o)
	if err != nil {
		return err
	}
	defer s.nc.Close()
	s.stop()
	s.living.Wait()
	for _, c := range []*chain{s.bodies, s.log} { // the log last, because it names the owner
		err := s.ask(ctx, func(ctx context.Context) error { return s.js.DeleteStream(ctx, c.stream.CachedInfo().Config.Name) })
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return nil
}
