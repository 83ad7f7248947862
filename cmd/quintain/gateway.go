package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/watch"
)

func newGateway(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:        "gateway",
		SuggestFor: []string{"agents", "proxy", "sessions"},
		Short:      "Let agents elsewhere play: every token of their model calls is kept",
		Long: `Gateway is quintain run --gateway: the problems of the run, or your own, are played by
programs elsewhere. POST /v1/sessions makes sessions; each has an address and a key that
an agent gives to the SDK of OpenAI or Anthropic in place of its provider's. A reward that
comes whenever it comes makes a trajectory, sessions of one problem a group, and groups the
batches of a trainer at the hub, or of the embedded model (docs/gateway.md).

Sessions outlive a crash: their calls are on disk before the last byte of a reply.`,
		Example: `  quintain gateway --policy server --url http://127.0.0.1:8001 --tokenizer my-model --data agents
  curl -X POST http://127.0.0.1:8000/v1/sessions -d '{"name": "my-task-1", "of": 8}'
  quintain gateway --policy script --tasks countdown:1 --data dry-run`,
		Args: noArgs,
	}
	open := openFlag(c)
	load := w.settings(c, "gateway")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		cfg.Run.Gateway = true
		if cfg.Policy.Remote() && !c.Flags().Changed("consumer") {
			cfg.Run.Consumer = player.Hub
		}
		return w.start(c.Context(), cfg, *open)
	}
	return c
}

// gateway returns the gateway of a run whose problems agents elsewhere play; nil: the run
// plays them itself.
func (c *config) gateway(log *slog.Logger) (*gateway.Gateway, error) {
	switch {
	case !c.Run.Gateway:
		return nil, nil
	case c.Source.Scenario.HasAgent():
		return nil, usagef("run.gateway: agents elsewhere play, and environment.address names one that plays here; choose one")
	}
	secret, err := gateway.LoadSecret(c.Data, log)
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

// newLive returns what shows the run, under the name of its verb.
func (a *runner) newLive(w *world) *screen.Live {
	l := screen.NewLive(w.screen(), func() run.Report { return a.Report() })
	if a.agents != nil {
		l.Name = "quintain gateway"
	}
	return l
}

// showAgents shows what agents elsewhere play, if they do.
func (a *runner) showAgents(pages *watch.Server) {
	if a.agents == nil {
		return
	}
	pages.ShowAgents(a.agents)
	a.register(a.agents.Calls)
	a.live.Say("agents play: POST http://%s/v1/sessions makes sessions (docs/gateway.md)", a.host.Addr())
	if at := a.host.Apart(); at != nil {
		a.live.Say("their model calls go to http://%s alone", at)
	}
}

// serveAgents has agents elsewhere play the problems of a run.
func (a *runner) serveAgents(to *run.Config) error {
	if a.agents == nil {
		return nil
	}
	player, err := a.config.Gateway.PlayerOf(to.Policy)
	if err != nil {
		return usagef("gateway.%w", err)
	}
	to.Players.Play = func(ctx context.Context, t *run.Table) error { return a.agents.Run(ctx, player, t) }
	return nil
}
