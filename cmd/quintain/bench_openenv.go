package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/serve/openenv/openenvload"
)

func newBenchOpenEnv(w *world) *cobra.Command {
	load := openenvload.Default()
	c := &cobra.Command{
		Use:   "openenv",
		Short: "Measure how many sessions a server of OpenEnv can play at once",
		Long: `Bench openenv opens sessions with a server of OpenEnv, quintain serve or any other with
the environment reasoning_gym_env, plays episodes in all of them at once, and prints
what it measured as one line of JSON.`,
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
				text, err := jsonform.Marshal(row)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(w.stdout, "%s\n", text)
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&load.URL, "url", load.URL, "the server")
	f.IntVar(&load.Sessions, "sessions", load.Sessions, "sessions at once")
	f.IntVar(&load.Episodes, "episodes", load.Episodes, "episodes of each session, one after another")
	f.DurationVar(&load.Wait, "wait", load.Wait, "of a session before each message, as for a policy's reply")
	f.StringVar(&load.Task, "task", load.Task, "that is played")
	f.IntVar(&load.Dialing, "dialing", load.Dialing, "connections that are opened at once")
	return c
}
