package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy/engines"
)

func newPolicy(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Examine or imitate an inference server, and turn text into its tokens",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyProbe(w), newPolicyFake(w), newPolicyTokenizer(w), newPolicyTemplate(w))
	return c
}

func newPolicyProbe(w *world) *cobra.Command {
	from, asJSON := engines.OpenAISettings{Timeout: 30 * time.Second}, false
	var urls []string
	c := &cobra.Command{
		Use:   "probe",
		Short: "Find out the kind of an inference server, and its abilities",
		Long: `Probe asks each server for its models and its kind, has it sample one token, and prints
its abilities for reinforcement learning. docs/servers.md lists the best abilities of each
kind of server.`,
		Example: `  quintain policy probe --url http://127.0.0.1:8001
  quintain policy probe --url http://127.0.0.1:8001 --model my-model --json
  quintain policy probe --url http://gpu1:8001 --url http://gpu2:8001`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(urls) == 0 {
				return usagef("--url: is missing; want the server's address, such as http://127.0.0.1:8001")
			}
			config, err := from.Config()
			if err != nil {
				return usagef("policy.%w", err)
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				var errs []error
				for _, url := range urls {
					config.Server.URL = url
					report, err := engines.Probe(ctx, config.Server, from.Model, "")
					if err != nil {
						errs = append(errs, err)
						continue
					}
					if asJSON {
						errs = append(errs, strictjson.WriteIndented(w.stdout, report))
						continue
					}
					errs = append(errs, screen.Probe(w.stdout, report))
				}
				return errors.Join(errs...)
			})
		},
	}
	f := c.Flags()
	f.StringSliceVar(&urls, "url", nil, "address of the server, with or without /v1; may be given several times")
	f.StringVar(&from.Model, "model", "", "name of the model to try; empty: the server's first")
	f.StringVar(&from.KeyFile, "policy-key-file", "", "file with the API key")
	f.DurationVar(&from.Timeout, "timeout", from.Timeout, "time limit for each request")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
