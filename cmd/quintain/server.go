package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/quintain-rl/quintain/datadir"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/settings"
)

// serverSettings are those of the HTTP server and of the store behind it.
type serverSettings struct {
	Host         string
	Port         int
	KeyFile      string
	NATSURL      string
	NATSReplicas int
}

func defaultServer() serverSettings {
	return serverSettings{Host: "127.0.0.1", Port: 8000, NATSReplicas: 1}
}

// Declare implements [settings.Declarer].
func (s *serverSettings) Declare(d *settings.Section) {
	d.Text(&s.Host, "host", "address to listen on; off loopback it needs --key-file")
	d.Int(&s.Port, "port", "port to listen on; 0 takes any").Between(0, 65535)
	d.Text(&s.KeyFile, "key_file", "file with the keys of which requests must bring one: KEY, or producer KEY, trainer KEY, admin KEY, a line each")
	d.Text(&s.NATSURL, "nats_url", "NATS server or cluster that keeps the groups, in place of the data folder")
	d.Int(&s.NATSReplicas, "nats_replicas", "copies that the cluster keeps; 3 survives the loss of a node").Between(1, 5)
}

// A server is what every server of this program opens: its port, the data folder, the
// queue in it or on a NATS server, and the hub over the queue.
type server struct {
	net.Listener
	keys   hub.Keys
	folder *datadir.Folder
	queue  *queue.Queue
	hub    *hub.Server
	runs   []*queue.Queue // of the hub's further runs
	log    *slog.Logger
}

// openServer opens the server that c describes.
func (w *world) openServer(ctx context.Context, c *config) (*server, error) {
	s := &server{log: c.Log.logger(w)}
	if err := s.listen(ctx, c.Server); err != nil {
		return nil, err
	}
	if err := s.open(ctx, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// listen opens the port. Off loopback it wants a key.
func (s *server) listen(ctx context.Context, c serverSettings) (err error) {
	if s.keys, err = readKeys(c.KeyFile); err != nil {
		return fmt.Errorf("server.key_file: %w", err)
	}
	if !s.keys.Any() && !loopback(c.Host) {
		return usagef("--host %s is not loopback: name a file with a key by --key-file, or listen on 127.0.0.1", c.Host)
	}
	var config net.ListenConfig
	s.Listener, err = config.Listen(ctx, "tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d of %s is in use; choose another with --port, or any with --port 0", c.Port, c.Host)
	}
	return err
}

// loopback reports whether a host is this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// open opens what is behind the port.
func (s *server) open(ctx context.Context, c *config) (err error) {
	if s.folder, err = datadir.Open(c.Data, version()); err != nil {
		return err
	}
	if s.queue, err = s.openQueue(ctx, c, ""); err != nil {
		return err
	}
	s.hub, err = hub.New(s.hubConfig(c))
	return err
}

// openQueue opens the queue of a run of the hub; the main one has no name.
func (s *server) openQueue(ctx context.Context, c *config, name string) (*queue.Queue, error) {
	o := queue.Options{Replicas: c.Server.NATSReplicas, Log: s.log}
	folder := s.folder.Join(datadir.Queue)
	if name != "" {
		o.Name, folder = "quintain-"+name, s.folder.Join(filepath.Join(datadir.Runs, name))
	}
	if c.Server.NATSURL != "" {
		return queue.OpenURL(ctx, c.Server.NATSURL, o)
	}
	o.Name = ""
	return queue.OpenDir(ctx, folder, o)
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
