package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/quintain-rl/quintain/datadir"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/web"
)

// storeSettings say where groups are kept.
type storeSettings struct {
	NATSURL      string // empty: in the data folder
	NATSReplicas int
	MinFree      int64 // see files.Options
}

// Declare implements [settings.Declarer].
func (s *storeSettings) Declare(d *settings.Section) {
	d.Text(&s.NATSURL, "nats_url", "NATS server or cluster that keeps the groups, in place of the data folder")
	d.Int(&s.NATSReplicas, "nats_replicas", "copies that the cluster keeps; 3 survives the loss of a node").Between(1, 5)
	d.Int64(&s.MinFree, "min_free", "bytes of the disk that groups leave free; 0: 64 MiB, or a tenth of a small disk; -1: none").AtLeast(-1)
}

// A server is what every server of this program opens: its port, the data folder, the
// queue in it or on a NATS server, and the hub over the queue.
type server struct {
	*web.Door
	folder *datadir.Folder
	store  storeSettings
	queue  *queue.Queue
	hub    *hub.Server
	runs   []*queue.Queue // of the hub's further runs
	log    *slog.Logger
}

// openServer opens the server that c describes.
func (w *world) openServer(ctx context.Context, c *config) (*server, error) {
	door, err := web.Listen(ctx, c.Server, hub.Producer, hub.Trainer)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s := &server{Door: door, store: c.Store, log: c.Log.logger(w)}
	if err := s.open(ctx, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens what is behind the door. In a run, its trainer gets nothing that is older
// than the run's bound.
func (s *server) open(ctx context.Context, c *config) (err error) {
	if s.folder, err = datadir.Open(c.Data, version()); err != nil {
		return err
	}
	if s.queue, err = s.openQueue(ctx, datadir.Queue, "quintain"); err != nil {
		return err
	}
	to := hub.Config{Queue: s.queue, OpenRun: s.openRun, Settings: c.Hub, Web: c.Server, Keys: s.Keys, Log: s.log}
	if c.Run.Consumer == consumerHub {
		to.MaxLag = &c.Run.Of.MaxLag
	}
	s.hub, err = hub.New(to)
	return err
}

// openRun opens the queue of a further run of the hub, which opens one at a time.
func (s *server) openRun(ctx context.Context, name string) (*queue.Queue, error) {
	q, err := s.openQueue(ctx, filepath.Join(datadir.Runs, name), "quintain-"+name)
	if err == nil {
		s.runs = append(s.runs, q)
	}
	return q, err
}

// openQueue opens a queue: in a folder below the data folder, or in the streams of a
// name if there is a NATS server.
func (s *server) openQueue(ctx context.Context, folder, name string) (*queue.Queue, error) {
	var store queue.Store
	var err error
	if s.store.NATSURL != "" {
		store, err = nats.Open(ctx, s.store.NATSURL, nats.Options{Name: name, Replicas: s.store.NATSReplicas, Log: s.log})
	} else {
		store, err = files.Open(s.folder.Join(folder), files.Options{Log: s.log, MinFree: s.store.MinFree})
	}
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, store, queue.Options{Log: s.log})
}

// serve runs the hub until ctx ends.
func (s *server) serve(ctx context.Context) error { return s.hub.Run(ctx, s.Listener) }

// Close closes what was opened, the queue before the folder is free for others.
func (s *server) Close() error {
	var errs []error
	if err := s.Listener.Close(); !errors.Is(err, net.ErrClosed) { // the hub closes it too
		errs = append(errs, err)
	}
	for _, q := range s.runs {
		errs = append(errs, q.Close())
	}
	if s.queue != nil {
		errs = append(errs, s.queue.Close())
	}
	if s.folder != nil {
		errs = append(errs, s.folder.Close())
	}
	return errors.Join(errs...)
}
