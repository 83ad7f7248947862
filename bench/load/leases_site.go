package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// program is what the workers and the coordinator call themselves.
const program = "bench/load"

// A site is a coordinator on a port.
type site struct {
	addr   string
	failed context.Context //nolint:containedctx // ends with the run, or the server
	close  func() error

	beats, polls atomic.Int64 // answered signs of life, and askings for leases
}

// streams are the problems that are leased.
func streams() ([]rollout.Stream, error) {
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	var choices catalog.Choices
	if err := choices.Set("chain_sum:0"); err != nil {
		return nil, err
	}
	scenario := catalog.DefaultScenario()
	return choices.Streams(tasks, &scenario, 1)
}

// gate are the settings of a run whose trainer takes batches of so many groups.
func gate(size, groups, lag int) run.Settings {
	s := run.Defaults()
	s.GroupSize, s.BatchSize, s.MaxLag = size, groups*size, lag
	return s
}

// open opens a coordinator over an empty store.
func (l *LeaseLoad) open(ctx context.Context, how run.Settings) (s *site, err error) {
	of, err := streams()
	if err != nil {
		return nil, err
	}
	q, remove, err := l.Store.open(ctx)
	if err != nil {
		if remove != nil {
			err = errors.Join(err, remove())
		}
		return nil, err
	}
	end := func() error { return errors.Join(q.Close(), remove()) }
	if s, err = l.serve(ctx, how, q, of); err != nil {
		return nil, errors.Join(err, end())
	}
	stop := s.close
	s.close = func() error { return errors.Join(stop(), end()) }
	return s, nil
}

// serve serves a run whose problems are leased.
func (l *LeaseLoad) serve(ctx context.Context, how run.Settings, q *queue.Queue, of []rollout.Stream) (*site, error) {
	c := fleet.New(fleet.Config{Settings: fleet.Defaults(), Play: fleet.Play{Program: program}, GroupSize: how.GroupSize})
	r, err := run.Open(ctx, run.Config{
		Settings: how, Rules: rollout.DefaultRules(), Streams: of, Queue: q,
		Players: run.Players{Part: c.Part(), Play: func(ctx context.Context, t *run.Table) error { return c.Run(ctx, t) }},
	})
	if err != nil {
		return nil, err
	}
	s := &site{}
	server, err := web.New(web.Config{Name: "leases", Routes: s.counted(c.Routes()), Settings: web.Settings{MaxConnections: web.FilesForConnections()}})
	if err != nil {
		return nil, err
	}
	port, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed, fail := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	var failure error
	all.Go(func() {
		failure = run.Together(running, r.Run, func(ctx context.Context) error { return server.Run(ctx, port) })
		fail(failure)
	})
	less := host.CollectLess() // as a hub with workers does
	s.addr, s.failed = port.Addr().String(), failed
	s.close = func() error {
		stop()
		all.Wait()
		less()
		fail(nil)
		return failure
	}
	return s, nil
}

// counted returns routes whose calls are counted.
func (s *site) counted(routes []web.Route) []web.Route {
	counts := map[string]*atomic.Int64{fleet.PathBeat: &s.beats, fleet.PathLeases: &s.polls}
	for i, r := range routes {
		if n := counts[r.Path]; n != nil {
			routes[i].Serve = func(call *web.Call) error {
				defer n.Add(1)
				return r.Serve(call)
			}
		}
	}
	return routes
}

// while runs parts side by side until one of them, the run or the server ends. What a part
// returns after that is no failure.
func (s *site) while(parts ...func(context.Context) error) error {
	for i, part := range parts {
		parts[i] = func(ctx context.Context) error {
			if err := part(ctx); ctx.Err() == nil {
				return err
			}
			return nil
		}
	}
	if err := run.Together(s.failed, parts...); err != nil {
		return err
	}
	return context.Cause(s.failed)
}
