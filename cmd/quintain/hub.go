package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
)

func newHub(w *world, l *loader) *cobra.Command {
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
	l.serverFlags(c)
	l.hubFlags(c)
	c.Flags().Bool("reload", false, "taken, as run-api does, and without effect")
	_ = c.Flags().MarkHidden("reload") // it is there
	c.RunE = func(*cobra.Command, []string) error {
		return serveHub(c.Context(), w, l.settings)
	}
	c.AddCommand(newHubPack(w), newHubStats(w))
	return c
}

// serveHub serves until a signal comes.
func serveHub(ctx context.Context, w *world, s settings) (err error) {
	spareProcessor()
	st, err := openStation(ctx, w, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	fmt.Fprintf(w.stderr, "quintain hub: listening on http://%s, data in %s, %d groups waiting; Ctrl-C stops\n", st.door.Addr(), s.Data, st.Stats().Waiting.Groups)
	_, err = untilSignal(ctx, w.signals(), st.serve)
	return err
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
