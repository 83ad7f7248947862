package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/fleet"
)

func newHubStats(w *world) *cobra.Command {
	return w.hubReply(hubAsk.showStats, &cobra.Command{
		Use:   "stats",
		Short: "Show the state and the counters of a running hub",
		Long: `Stats asks a running hub for the waiting groups of a run, the open batches of trainers,
and the counters since the hub started.`,
		Example: `  quintain hub stats
  quintain hub stats --url http://hub:8000 --key-file key --run exp2 --json`,
	})
}

func newHubWorkers(w *world) *cobra.Command {
	return w.hubReply(hubAsk.showWorkers, &cobra.Command{
		Use:   "workers",
		Short: "Show the workers of a run that leases its problems",
		Long: `Workers asks quintain run --workers for its workers: the leases that each holds, and
how many of its leases were played, returned, lost with it, or fenced.`,
		Example: `  quintain hub workers
  quintain hub workers --url http://coordinator:8000 --key-file key --json`,
	})
}

// hubReply makes c a command that asks a hub, and shows its reply.
func (w *world) hubReply(show func(hubAsk, context.Context, io.Writer, bool) error, c *cobra.Command) *cobra.Command {
	var ask hubAsk
	var keyFile string
	var asJSON bool
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		if _, err := httpclient.ParseURL(ask.URL); err != nil {
			return usagef("--url %w", err)
		}
		keys, err := web.ReadKeys(keyFile, hub.Roles(gateway.Sessions, fleet.Member)...)
		if err != nil {
			return fmt.Errorf("--key-file: %w", err)
		}
		if len(keys) > 0 { // any key will do
			ask.Key = keys[0].Secret
		}
		return show(ask, c.Context(), w.stdout, asJSON)
	}
	f := c.Flags()
	f.StringVar(&ask.URL, "url", "http://127.0.0.1:8000", "the hub")
	f.StringVar(&ask.Run, "run", "default", "name of the run")
	f.StringVar(&keyFile, "key-file", "", "file with the keys of the hub, or one of them")
	f.BoolVar(&asJSON, "json", false, "print the hub's reply as it is")
	return c
}
