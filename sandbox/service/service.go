// Package service has what the sandbox of a machine does for others: the verbs probe, run and
// serve, and the routes by which other machines run jobs here, for package sandbox/backend.
package service

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
)

// Verbs are the verbs of the sandbox, and where they work.
type Verbs struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Attend runs work until a signal ends its context, and a second one closes cut. Usage marks an
	// error as one of the caller.
	Attend func(ctx context.Context, work func(ctx context.Context, cut <-chan struct{}) error) error
	Usage  func(error) error
	NoArgs cobra.PositionalArgs // refuses arguments
}

// Command returns the verb of the sandbox, with those below it.
func (v Verbs) Command() *cobra.Command {
	c := &cobra.Command{Use: "sandbox", Short: "Run programs that nobody trusts", Args: v.NoArgs}
	c.AddCommand(v.probe(), v.run(), v.serve())
	return c
}

// probe returns the verb that says what the sandbox holds.
func (v Verbs) probe() *cobra.Command {
	t := NewTrial()
	c := &cobra.Command{
		Use:   "probe",
		Short: "Find out what the sandbox holds",
		Long:  "Probe tries each layer of the sandbox, and fails if the sandbox would run nothing. docs/sandbox.md explains the layers.",
		Example: `  quintain sandbox probe
  quintain sandbox probe --sandbox http://10.0.0.7:8000`,
		Args: v.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return Probe(c.Context(), t.Sandbox, v.Stdout) },
	}
	c.Flags().AddGoFlagSet(t.SandboxFlags())
	return c
}

// run returns the verb that runs one program.
func (v Verbs) run() *cobra.Command {
	t := NewTrial()
	c := &cobra.Command{
		Use:   "run [flags] -- PROGRAM ARGUMENT...",
		Short: "Run one program in the sandbox",
		Example: `  echo 6 | quintain sandbox run --file solution.py -- python3 -I solution.py
  quintain sandbox run --sandbox http://10.0.0.7:8000 -- python3 -c 'print(6 * 7)'`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return v.Usage(errors.New("which program? Name it after --, with its arguments"))
			}
			t.Argv, t.Stdin, t.Stdout, t.Stderr = args, v.Stdin, v.Stdout, v.Stderr
			return v.Attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return t.Run(ctx) })
		},
	}
	c.Flags().AddGoFlagSet(t.Flags())
	return c
}

// serve returns the verb that runs the programs of others.
func (v Verbs) serve() *cobra.Command {
	s := Defaults()
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run programs for other machines, over HTTP",
		Long: `Serve runs programs in the sandbox of this machine: whole jobs for --sandbox http://HOST:PORT of
another Quintain, with all that a result says, and POST /run_code in the form of SandboxFusion, for
verl and others. So many jobs run at the same time, others wait. A program that had no turn is
answered 504, which clients repeat, and never that it failed. Ctrl-C lets running jobs end, for
the time of server.drain. docs/sandbox.md says more.`,
		Example: `  quintain sandbox serve --host 0.0.0.0 --port 8000 --key-file keys`,
		Args:    v.NoArgs,
	}
	given := flags.Add(c, settings.New(&s))
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := settings.New(&s).Load(settings.Sources{Flags: given}); err != nil {
			return v.Usage(err)
		}
		return v.Attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return v.Serve(ctx, s) })
	}
	return c
}
