package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/hub"
)

func newHub(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "hub",
		Short: "Serve the durable queue to trainers and environments of Atropos",
		Long: `Hub answers the requests of Atropos' run-api over a queue on disk. What it
acknowledged is on disk; a batch that a trainer has taken is handed out again when
the trainer dies before its next GET /batch.`,
		Example: `  quintain hub --port 8000 --data hub-data
  curl -s http://127.0.0.1:8000/status`,
		Args: noArgs,
	}
	l.serverFlags(c)
	c.RunE = func(*cobra.Command, []string) error {
		return serveHub(c.Context(), w, l.settings)
	}
	return c
}

// serveHub serves until a signal comes.
func serveHub(ctx context.Context, w *world, s settings) (err error) {
	log := newLogger(w, s.Log)
	door, err := openDoor(ctx, s.Server)
	if err != nil {
		return err
	}
	defer door.Close() // a second time where the server has closed it
	store, err := openStore(ctx, s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	server, err := hub.New(hub.Config{Queue: store.Queue, Key: door.key, Log: log})
	if err != nil {
		return err
	}
	waiting := store.Stats().Waiting
	fmt.Fprintf(w.stderr, "quintain hub: listening on http://%s, data in %s, %d groups waiting; Ctrl-C stops\n", door.Addr(), s.Data, waiting.Groups)
	return together(ctx,
		func(ctx context.Context) error { return server.Run(ctx, door) },
		func(ctx context.Context) error {
			select {
			case <-w.interrupts:
			case <-ctx.Done():
			}
			return nil
		},
	)
}
