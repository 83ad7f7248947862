package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
)

func newHub(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "hub",
		Short: "Serve the durable queue to trainers and environments of Atropos",
		Long: `Hub answers the requests of Atropos' run-api over a queue on disk. What it
acknowledged is on disk; a batch that a trainer has taken is handed out again when
the trainer dies before its next GET /batch. Below /v1 it gives the same and more: a
binary form, explicit acknowledgement, long polls, several trainers and runs; see
docs/hub.md, and GET /v1/openapi.json of a running hub.`,
		Example: `  quintain hub --port 8000 --data hub-data
  curl -s http://127.0.0.1:8000/status`,
		Args: noArgs,
	}
	c.Flags().Bool("reload", false, "taken, as run-api does, and without effect")
	_ = c.Flags().MarkHidden("reload") // it is there
	load := w.settings(c, "hub")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.serveHub(ctx, cfg) })
	}
	c.AddCommand(newHubPack(w), newHubStats(w))
	return c
}

// serveHub serves until ctx ends.
func (w *world) serveHub(ctx context.Context, c *config) (err error) {
	spareProcessor()
	s, err := w.openServer(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Fprintf(w.stderr, "quintain hub: listening on http://%s, data in %s, %d groups waiting; Ctrl-C stops\n", s.Addr(), c.Data, waiting(s.queue))
	return s.serve(ctx)
}

// spareProcessor gives this process a processor more than there are cores, unless the
// environment says how many: the goroutine that waits for the disk keeps its own until
// the scheduler takes it away, on busy cores long after the disk is done. The hub
// inflates, reads and writes JSON on all but one.
func spareProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS()
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
