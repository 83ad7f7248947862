package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/routes"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/serve"
)

func newHub(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "hub",
		Short: "Serve the durable queue to trainers and environments of Atropos",
		Long: `Hub serves Atropos' run-api over a queue on disk. A group that it has acknowledged is on
disk. If a trainer dies between two GET /batch, the hub hands its batch out again. Below
/v1 there is more: a binary form, explicit acknowledgement, long polls, several trainers
and runs; see docs/hub.md, and GET /v1/openapi.json of a running hub. With --serve it
also serves problems and grades, as quintain serve does.`,
		Example: `  quintain hub --port 8000 --data hub-data
  curl -s http://127.0.0.1:8000/status`,
		Args: noArgs,
	}
	c.Flags().Bool("reload", false, "accepted, as by run-api, without effect")
	_ = c.Flags().MarkHidden("reload") // the flag exists
	open := openFlag(c)
	load := w.settings(c, "hub")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.serveHub(ctx, cfg, *open) })
	}
	c.AddCommand(newHubPack(w), newHubQueue(w), newHubStats(w), newHubWorkers(w))
	return c
}

// serveHub serves until ctx ends.
func (w *world) serveHub(ctx context.Context, c *config, open bool) (err error) {
	host.SpareProcessor()
	log := c.Log.Logger(w.stderr)
	h, pages, err := c.host(ctx, log, false, routes.Planes{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	fmt.Fprintf(w.stderr, "quintain hub: listening on http://%s, data in %s, %s waiting; Ctrl-C stops\n", h.Addr(), c.Data, stats.Count(h.Queue().Stats().Waiting.Groups, "group"))
	w.show(h.Addr(), open)
	return run.Together(ctx, h.Run, pages.Run, h.BoundMemory)
}

// host opens the data folder, the hub over it, and the pages on both. In a run, the trainer
// gets no group beyond the run's staleness bound. Local says that this process trains.
func (c *config) host(ctx context.Context, log *slog.Logger, local bool, planes routes.Planes) (*host.Host, *watch.Server, error) {
	pages, err := c.pages(watch.Config{Data: c.Data}, log)
	if err != nil {
		return nil, nil, err
	}
	to := host.Config{Data: c.Data, Program: version(), Server: c.Server, Hub: c.Hub, Store: c.Store, Routes: append(pages.Routes(), planes.Main...), Ready: planes.Ready, Roles: []web.Role{gateway.Sessions, fleet.Member}, Local: local, Log: log,
		Apart: host.Apart{Name: "gateway.port", Host: c.Gateway.Host, Port: c.Gateway.Port, Routes: planes.Agents}}
	if c.Run.Consumer == player.Hub {
		bound := c.Run.Of.Bound()
		to.Bound = &bound
	}
	if c.Serve.Hub {
		tasks, err := serve.Routes(c.Serve, *c.Source.Scenario.Sandbox())
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("serve: %w", err)}
		}
		to.Routes = append(to.Routes, tasks...)
	}
	h, err := host.Open(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	if err := c.keepLocks(ctx, log); err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	pages.ShowMachine()
	pages.ShowHub(func() *hub.RunStats { return hub.StatsOf(h.Hub().Default()) })
	return h, pages, nil
}
