package main

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/interop/atropos/environment"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/tiny"
)

func newEnvServe(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Play for a run-api of Atropos or a hub elsewhere",
		Long: `Serve registers with the hub at env.rollout_server_url or --hub, and waits for a trainer.
Then it plays groups, as far ahead of the trainer as env.max_batches_offpolicy and its
shares allow, and sends them. It ends when the trainer has made env.total_steps.

While the hub is away, serve plays on up to that limit, and the groups wait in the data
folder. When the hub is back, this process or the next sends them, none twice.`,
		Example: `  quintain env serve --config reasoning_gym.yaml
  quintain env serve --hub http://hub:8000 --env.group_size 16 --openai.base_url http://127.0.0.1:9004/v1 --tokenizer my-model --data second`,
		Args: noArgs,
	}
	hub := c.Flags().String("hub", "", "address of the hub, in place of env.rollout_server_url")
	keyFile := c.Flags().String("hub-key-file", "", "file with the key of the hub")
	load := w.newEnviron(c, "env serve")
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, err := load()
		if err != nil {
			return err
		}
		to := environment.Uplink(e.of)
		if *hub != "" {
			to.URL = *hub
		}
		if err := to.Check(); err != nil {
			return usageError{err}
		}
		if *keyFile != "" {
			if to.Key, err = remote.ReadKey(*keyFile); err != nil {
				return usagef("--hub-key-file: %w", err)
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, cut <-chan struct{}) error { return w.serveEnv(ctx, e, to, cut) })
	}
	return c
}

// serveEnv plays for the hub of to.
func (w *world) serveEnv(ctx context.Context, e *atroposEnv, to environment.LinkConfig, cut <-chan struct{}) (err error) {
	if err := run.ReportFile(e.config.Run.Report).Check(); err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" { // it mostly waits for servers: memory is dearer than time
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	if e.folder, err = datadir.Open(e.config.Data, version()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.folder.Close()) }()
	q, err := e.config.Store.Open(ctx, e.folder.Join(datadir.Queue), files.Options{Log: e.log, Locked: true, Mark: e.folder.Mark(datadir.Queue)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	defer func() { err = errors.Join(err, e.close()) }()

	var link *environment.Link
	e.trains, e.newest = true, func() int32 {
		if link == nil { // before the first episode
			return math.MaxInt32
		}
		return int32(link.Step())
	}
	cfg, err := e.runConfig(ctx, q)
	if err != nil {
		return err
	}
	to.RunID, to.Waiting, to.Say, to.Log = func() string { return e.ID() }, q.Stats().Waiting.Groups, e.live.Say, e.log
	if link, err = environment.Register(ctx, q, to); err != nil {
		if ctx.Err() != nil { // stopped while it waited
			return nil
		}
		return err
	}
	if link.Shares() {
		cfg.Trainer.Allocator = link
	}
	cfg.Trainer.Consumer, cfg.Cut, cfg.Rules.MaxSequence = run.Send(link), cut, link.MaxTokens()
	cfg.Beside = append(cfg.Beside, link.Run)
	if cfg.Trainer.Exams, err = environment.Exams(ctx, &e.of.Env, &e.config.Source.Scenario, link); err != nil {
		return err
	}
	if err := e.saveGroups(&cfg); err != nil {
		return err
	}
	if err := e.open(ctx, cfg, tiny.Step{}); err != nil {
		return err
	}
	return e.run(ctx, w)
}

// saveGroups saves the groups of a run into a file too, if the settings name one.
func (e *atroposEnv) saveGroups(cfg *run.Config) error {
	path := e.of.Env.DataPathToSaveGroups
	cfg.Rules.NoMessages = !e.of.Env.IncludeMessages && path == ""
	if path == "" {
		return nil
	}
	file, err := environment.NewGroupFile(path, 0)
	if err != nil {
		return err
	}
	e.closed, cfg.Sinks = append(e.closed, file), append(cfg.Sinks, file)
	return nil
}
