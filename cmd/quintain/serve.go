package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve"
)

func newServe(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve problems and grades of all tasks over HTTP, in several protocols",
		Long: `Serve hands out problems of all tasks and grades answers, on one port: by plain JSON
(POST /v1/problems, POST /v1/grade), as a resources server of NeMo Gym, as environments of
OpenEnv and of the Open Reward Standard, and as tools of the Model Context Protocol. It
keeps nothing on disk. With --environment it serves environments of others, too.
docs/serve.md lists the routes.`,
		Example: `  quintain serve --port 8000
  curl -s http://127.0.0.1:8000/v1/problems -d '{"task": "chain_sum", "seed": 1, "count": 2}'
  curl -s http://127.0.0.1:8000/v1/grade -d '{"problem": "chain_sum.v5.s1.l0.0", "answer": "-3"}'`,
		Args: noArgs,
	}
	c.AddCommand(newServeMCP(w), newServePipe(w))
	load := w.settings(c, "serve")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.serve(ctx, cfg) })
	}
	return c
}

// serve serves until ctx ends.
func (w *world) serve(ctx context.Context, c *config) error {
	door, err := web.Listen(ctx, c.Server)
	if err != nil {
		return err
	}
	defer door.Close()
	log := c.Log.Logger(w.stderr)
	defer c.Source.Scenario.Stop()
	guests, err := c.Source.Scenario.Served(ctx, log)
	if err != nil {
		return err
	}
	server, err := serve.New(serve.Config{Settings: c.Serve, Sandbox: *c.Source.Scenario.Sandbox(), Web: c.Server, Keys: door.Keys, Log: log, Guests: guests})
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(w.stderr, "quintain serve: listening on http://%s; Ctrl-C stops\n", door.Addr())
	return server.Run(ctx, door)
}
