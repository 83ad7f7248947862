package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/interop/atropos/environment"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
)

func newEnvProcess(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "process",
		Short: "Play groups into a file",
		Long: `Process plays env.total_steps groups and writes each as a line of JSON to
env.data_path_to_save_groups, or to data/NAME.jsonl. It needs no hub. If the file exists,
it adds a number to the name. The metrics go into a file beside it, NAME.metrics.jsonl.`,
		Example: `  quintain env process --config reasoning_gym.yaml --env.total_steps 100 --env.data_path_to_save_groups groups.jsonl --report report.json`,
		Args:    noArgs,
	}
	load := w.newEnviron(c, "env process")
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, err := load()
		if err != nil {
			return err
		}
		if n := e.of.Env.TotalSteps; n < 1 {
			return usagef("env.total_steps: is %d, want the number of groups, 1 or more", n)
		}
		return w.attend(c.Context(), func(ctx context.Context, cut <-chan struct{}) error { return w.processEnv(ctx, e, cut) })
	}
	return c
}

// processEnv plays groups into a file.
func (w *world) processEnv(ctx context.Context, e *atroposEnv, cut <-chan struct{}) (err error) {
	if err := run.ReportFile(e.config.Run.Report).Check(); err != nil {
		return err
	}
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close(), q.Close()) }()
	cfg, err := e.runConfig(ctx, q)
	if err != nil {
		return err
	}
	of := &e.of.Env
	path := cmp.Or(of.DataPathToSaveGroups, filepath.Join("data", cmp.Or(of.WandbName, "groups")+".jsonl"))
	file, err := environment.NewGroupFile(path, of.TotalSteps)
	if err != nil {
		return err
	}
	e.closed = append(e.closed, file)
	cfg.Trainer.Consumer, cfg.Cut, cfg.Sinks = run.Send(file), cut, []run.Sink{e.live}
	if e.Run, err = run.Open(ctx, cfg); err != nil {
		return err
	}
	c := e.config
	metrics, err := artifacts.Metrics(e.Run, file.Beside("metrics"), artifacts.Config{
		Metrics: c.Metrics, MaxTokens: c.Policy.Sampling.MaxTokens, Exchanges: e.exchanges, Register: e.register, Log: e.log,
	})
	if err != nil {
		return err
	}
	e.closed = append(e.closed, metrics)
	e.AddSink(metrics)
	dumps, err := artifacts.Dump(e.Run, filepath.Join(c.Data, datadir.Dumps), c.Dumps)
	if err != nil {
		return err
	}
	if dumps != nil {
		e.closed = append(e.closed, dumps)
		e.AddSink(run.Records(dumps))
	}
	e.live.Say("playing %s into %s", stats.Count(of.TotalSteps, "group"), file.Name())
	return e.run(ctx, w)
}
