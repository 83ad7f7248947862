package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/hubstats"
	"github.com/quintain-rl/quintain/internal/web"
)

func newHubStats(w *world) *cobra.Command {
	var ask hubstats.Request
	var keyFile string
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what a running hub holds and has done",
		Long: `Stats asks a running hub what waits in a run, what trainers have, and what the hub
has done since it started.`,
		Example: `  quintain hub stats
  quintain hub stats --url http://hub:8000 --key-file key --run exp2 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := url.Parse(ask.URL); err != nil {
				return usagef("--url: %w", err)
			}
			keys, err := web.ReadKeys(keyFile, hub.Producer, hub.Trainer)
			if err != nil {
				return fmt.Errorf("--key-file: %w", err)
			}
			if len(keys) > 0 { // any will do
				ask.Key = keys[0].Secret
			}
			return w.showStats(c.Context(), ask, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&ask.URL, "url", "http://127.0.0.1:8000", "the hub")
	f.StringVar(&ask.Run, "run", "default", "name of the run")
	f.StringVar(&keyFile, "key-file", "", "file with the keys of the hub, or with one of them")
	f.BoolVar(&asJSON, "json", false, "print the hub's answer as it is")
	return c
}

// showStats asks a hub and prints what it says.
func (w *world) showStats(ctx context.Context, ask hubstats.Request, asJSON bool) error {
	text, err := ask.Fetch(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintf(w.stdout, "%s\n", text)
		return err
	}
	st, err := hubstats.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", ask.URL, err)
	}
	hubstats.Print(w.stdout, st, time.Now())
	return nil
}
