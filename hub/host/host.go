// Package host opens all parts of a hub program: a port, the data folder, a queue for each
// run in it or on a NATS server, and the hub over them.
package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/nats"
)

// A Config says what to open.
type Config struct {
	Data    string // the data folder, made if need be
	Program string // name and version of the program, for the folder's format file
	Server  web.Settings
	Hub     hub.Settings
	Store   Store
	Bound   *queue.Bound // on the staleness of groups in batches; nil: none
	Local   bool         // the process trains on the groups itself
	Routes  []web.Route  // further routes on the same port
	Ready   func() bool  // whether these routes answer; nil: they do
	Apart   Apart        // routes on another port
	Roles   []web.Role   // of keys for these routes
	Log     *slog.Logger
}

// A Host is an open hub program.
type Host struct {
	listener *web.Listener
	standby  *standby // nil: it never was one
	front    *front   // of the standby; nil: none
	apart    port
	folder   *datadir.Folder
	queue    *queue.Queue
	hub      *hub.Server
	runs     map[string]*queue.Queue // queues of further runs
	store    Store
	files    *wal.Pool
	log      *slog.Logger
	lost     chan error // gets an element when another process has taken a queue
}

// Open opens the port first, so a second program on the same port changes nothing. On the port
// of a standby, /healthz answers 200 and all else 503 until [Host.Run]. Close closes everything. If ctx ends
// meanwhile, the error is [ErrStopped].
func Open(ctx context.Context, c Config) (*Host, error) {
	h := &Host{runs: make(map[string]*queue.Queue), store: c.Store, files: wal.NewPool(wal.DefaultOpen), log: c.Log, lost: make(chan error, 1)}
	c.Apart.share(&c.Server)
	if err := h.open(ctx, c); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ErrStopped, err)
		}
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// ErrStopped says that the context of [Open] ended before the hub was open, as it does in a
// standby that is no longer needed.
var ErrStopped = errors.New("stopped before the hub was open")

// Stopped returns the error of a process that was still to begin its work, as [ErrStopped] if ctx has ended and the
// process stood by: what it took over, it leaves as it was.
func (s *Store) Stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !s.NATSStandby {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStopped, err)
}

func (h *Host) open(ctx context.Context, c Config) (err error) {
	if err := h.listen(ctx, c); err != nil {
		return err
	}
	if h.folder, err = datadir.Open(c.Data, c.Program); err != nil {
		return err
	}
	if err := datadir.Sweep(h.folder.Join(datadir.Runs)); err != nil {
		h.log.Warn("a deleted run still takes space: delete its folder", "err", err)
	}
	if c.Store.NATSURL != "" && c.Store.NATSStandby {
		if err := h.wait(ctx, c); err != nil {
			return err
		}
	}
	if h.queue, err = h.openQueue(ctx, datadir.Queue, Streams(hub.DefaultRun)); err != nil {
		return err
	}
	if h.standby != nil {
		h.standby.owns()
	}
	if err := h.folder.Tell("http://" + h.Addr().String()); err != nil {
		return err
	}
	h.hub, err = hub.New(hub.Config{
		Queue: h.queue, OpenRun: h.openRun, DropRun: h.dropRun, Settings: c.Hub, Web: c.Server, Keys: h.listener.Keys, Bound: c.Bound, Local: c.Local, Routes: c.Routes, Ready: c.Ready, Log: c.Log,
	})
	return err
}

// listen opens the ports.
func (h *Host) listen(ctx context.Context, c Config) error {
	l, err := web.Listen(ctx, c.Server, hub.Roles(c.Roles...)...)
	if used, _ := datadir.InUse(c.Data); err != nil && used { // perhaps by the process that has the port
		folder, held := datadir.Open(c.Data, c.Program)
		if held != nil {
			return held
		}
		err = errors.Join(err, folder.Close())
	}
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	h.listener = l
	return h.openApart(ctx, c)
}

// wait answers on the ports until Run.
func (h *Host) wait(ctx context.Context, c Config) (err error) {
	h.standby = newStandby()
	h.log.Info("the port is open, and the hub waits for its queue", "address", h.Addr())
	if h.front, err = h.standby.front(ctx, h.listener, c); err != nil || h.apart.listener == nil {
		return err
	}
	h.apart.front, err = h.standby.front(ctx, h.apart.listener, c)
	return err
}

// openRun opens the queue of a further run, once. The hub opens one at a time.
func (h *Host) openRun(ctx context.Context, name string) (*queue.Queue, error) {
	if q := h.runs[name]; q != nil {
		return q, nil
	}
	q, err := h.openQueue(ctx, filepath.Join(datadir.Runs, name), Streams(name))
	if err != nil {
		return nil, err
	}
	h.runs[name] = q
	return q, nil
}

// dropRun closes a run's queue, if it is open, and deletes its folder, or its streams.
func (h *Host) dropRun(ctx context.Context, name string) error {
	if q := h.runs[name]; q != nil {
		delete(h.runs, name)
		if err := q.Close(); err != nil {
			return err
		}
	}
	if h.store.NATSURL != "" {
		return nats.Remove(ctx, h.store.NATSURL, h.streams(Streams(name)))
	}
	folder := filepath.Join(datadir.Runs, name)
	if err := os.Remove(h.folder.Mark(folder)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return datadir.Remove(h.folder.Join(folder))
}

// openQueue opens a queue: in a folder of the data folder, or in streams of a NATS server.
func (h *Host) openQueue(ctx context.Context, folder, name string) (*queue.Queue, error) {
	if h.store.NATSURL == "" {
		return h.store.Open(ctx, h.folder.Join(folder), files.Options{Log: h.log, Pool: h.files, Locked: true, Mark: h.folder.Mark(folder)})
	}
	store, err := nats.Open(ctx, h.store.NATSURL, h.streams(name))
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, store, queue.Options{Log: h.log, Remember: h.store.Remember})
}

// Streams is the name of the streams of a run on a NATS server.
func Streams(run string) string {
	if run == hub.DefaultRun {
		return "quintain"
	}
	return "quintain-" + run
}

// streams are the options for streams of a name.
func (h *Host) streams(name string) nats.Options {
	o := nats.Options{
		Name: name, Replicas: h.store.NATSReplicas, Creds: h.store.NATSCreds, Log: h.log,
		Standby: h.store.NATSStandby, Synced: h.store.NATSSynced, Lost: h.lose,
	}
	if h.queue == nil && h.standby != nil {
		o.Waits = h.standby.waits
	}
	return o
}

// lose ends Run, because another process has taken a queue.
func (h *Host) lose(err error) {
	select {
	case h.lost <- err:
	default: // not the first lost queue
	}
}

// Addr is the address of the hub.
func (h *Host) Addr() net.Addr { return h.listener.Addr() }

// Reachable is the host and port by which other machines reach the hub, as far as this one can tell.
func (h *Host) Reachable(ctx context.Context) string {
	at, err := h.listener.Reachable(ctx)
	if err != nil {
		return h.Addr().String()
	}
	return at
}

// Folder is the data folder.
func (h *Host) Folder() *datadir.Folder { return h.folder }

// Queue is the queue of the default run.
func (h *Host) Queue() *queue.Queue { return h.queue }

// Hub is the hub over the queues.
func (h *Host) Hub() *hub.Server { return h.hub }

// Run serves the hub until ctx ends, or fails when another process has taken a queue.
func (h *Host) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var lost error
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case lost = <-h.lost:
			stop()
		case <-ctx.Done():
		}
	})
	var apart error
	watch.Go(func() {
		defer stop()
		apart = h.apart.run(ctx)
	})
	err := h.serve(ctx)
	stop()
	watch.Wait()
	return errors.Join(err, apart, lost)
}

// serve serves the hub, and announces it. One that was on standby answers on the connections that there are.
func (h *Host) serve(ctx context.Context) error {
	if h.front != nil {
		h.hub.Succeed(h.front.server)
	}
	if err := h.listener.Announce(ctx); err != nil {
		return err
	}
	if h.front == nil {
		return h.hub.Run(ctx, h.listener.Listener)
	}
	return h.front.run(ctx)
}

// Close closes everything, the queues before it frees the folder. Run must have returned.
func (h *Host) Close() error {
	h.front.close()
	h.apart.front.close()
	errs := []error{closeListener(h.listener), closeListener(h.apart.listener)}
	for _, q := range h.runs {
		errs = append(errs, q.Close())
	}
	if h.queue != nil {
		errs = append(errs, h.queue.Close())
	}
	if h.folder != nil {
		errs = append(errs, h.folder.Close())
	}
	return errors.Join(errs...)
}
