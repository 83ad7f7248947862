package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run"
)

// gateway returns the gateway of a run whose problems agents elsewhere play; nil: the run
// plays them itself.
func (c *config) gateway(log *slog.Logger) (*gateway.Gateway, error) {
	switch {
	case !c.Run.Gateway:
		return nil, nil
	case c.Source.Scenario.Agent.Set():
		return nil, usagef("run.gateway: agents elsewhere play, and scenario.agent.command is one that plays here; choose one")
	}
	secret, err := gateway.Secret(c.Data)
	if err != nil {
		return nil, err
	}
	g, err := gateway.New(gateway.Config{
		Settings: c.Gateway, Sampling: c.Policy.Sampling, GroupSize: c.Run.Of.GroupSize, Secret: secret, Keys: c.Server.KeyFile != "",
		Folder: filepath.Join(c.Data, datadir.Sessions), Model: c.Policy.Server.Chat.Model, Log: log,
	})
	if err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// serveAgents has agents elsewhere play the problems of a run.
func (a *runner) serveAgents(to *run.Config) error {
	if a.agents == nil {
		return nil
	}
	var reads exact.Renderer
	if p, does := to.Policy.(interface{ Renderer() exact.Renderer }); does {
		reads = p.Renderer()
	}
	player, err := a.config.Gateway.Player(to.Policy, reads)
	if err != nil {
		return usagef("gateway.%w", err)
	}
	to.Outside = func(ctx context.Context, t *run.Table) error { return a.agents.Run(ctx, player, t) }
	return nil
}
