package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/serve/openenv/openenvload"
)

func newBenchOpenEnv(w *world) *cobra.Command {
	load := openenvload.Default()
	c := &cobra.Command{
		Use:   "openenv",
		Short: "Measure how many sessions an OpenEnv server can play at once",
		Long: `Bench openenv opens sessions with an OpenEnv server, quintain serve or any other with the
environment reasoning_gym_env, plays episodes in all sessions at once, and prints its
measurements as one line of JSON.`,
		Example: `  quintain serve --max-connections 20000 &
  quintain bench openenv --sessions 16384`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := load.Check(); err != nil {
				return usagef("--%w", err)
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				row, err := load.Run(ctx)
				if err != nil {
					return err
				}
				return jsonform.WriteLine(w.stdout, row)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&load.URL, "url", load.URL, "the server")
	f.IntVar(&load.Sessions, "sessions", load.Sessions, "sessions at once")
	f.IntVar(&load.Episodes, "episodes", load.Episodes, "episodes of each session, one after another")
	f.DurationVar(&load.Wait, "wait", load.Wait, "pause of a session before each message, as for a policy's reply")
	f.StringVar(&load.Task, "task", load.Task, "task to play")
	f.IntVar(&load.Dialing, "dialing", load.Dialing, "connections to open at once")
	return c
}
