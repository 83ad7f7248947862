package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/sandbox/trial"
)

func newSandbox(w *world) *cobra.Command {
	c := &cobra.Command{Use: "sandbox", Short: "Run a program that nobody trusts", Args: noArgs}
	c.AddCommand(newSandboxProbe(w), newSandboxRun(w))
	return c
}

func newSandboxProbe(w *world) *cobra.Command {
	t := trial.New()
	c := &cobra.Command{
		Use: "probe", Short: "Find out what the sandbox holds on this machine",
		Long:    "Probe tries each layer of the sandbox, and fails if the sandbox would run nothing here. docs/sandbox.md explains the layers.",
		Example: "  quintain sandbox probe", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return trial.Probe(c.Context(), t.Sandbox, w.stdout) },
	}
	c.Flags().AddGoFlagSet(t.SandboxFlags())
	return c
}

func newSandboxRun(w *world) *cobra.Command {
	t := trial.New()
	c := &cobra.Command{
		Use: "run [flags] -- PROGRAM ARGUMENT...", Short: "Run one program in the sandbox of this machine",
		Example: "  echo 6 | quintain sandbox run --file solution.py -- python3 -I solution.py",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which program? Name it after --, with its arguments")
			}
			t.Argv, t.Stdin, t.Stdout, t.Stderr = args, w.stdin, w.stdout, w.stderr
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return t.Run(ctx) })
		},
	}
	c.Flags().AddGoFlagSet(t.Flags())
	return c
}
