package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

func newWorker(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "worker",
		Short: "Play for a run on another machine",
		Long: `Worker takes problems from quintain run --workers at --coordinator, plays each group, and
hands it back. It has the settings of the run, and its kind of policy; its own flags,
variables and file go over them, such as the --url of its inference servers. A worker whose
model, tokenizer or chat template is not the run's is refused. For the tiny policy it has the
weights of the run, too. It keeps nothing on disk: start as many as you like, and kill any of
them (docs/fleet.md).

It ends when the run is over. SIGTERM or Ctrl-C returns what has not begun at once, and
gives groups under way run.grace to end. A second one cuts them.`,
		Example: `  quintain worker --coordinator http://coordinator:8000 --url http://127.0.0.1:8001
  quintain worker --coordinator @/shared/coordinator.url --coordinator-key-file worker.key --slots 256`,
		Args: noArgs,
	}
	file := c.Flags().String("config", "", "YAML file with settings over those of the run, in the form that quintain settings --file prints")
	given := flags.Add(c, w.form().Use(uses()["worker"]...))
	c.RunE = func(c *cobra.Command, _ []string) error {
		from, err := w.sources(*file, given)
		if err != nil {
			return err
		}
		own := defaults(player.Server)
		if err := settings.New(own).Use("worker").Load(from); err != nil {
			return usageError{err}
		}
		client, err := own.Worker.Client()
		if err != nil {
			return usageError{err}
		}
		return w.attend(c.Context(), func(ctx context.Context, cut <-chan struct{}) error {
			return worker.Ended(ctx, w.work(ctx, from, worker.Config{Client: client, Program: version(), Stop: ctx.Done(), Cut: cut}))
		})
	}
	return c
}

// work plays for a run with its settings, over which from go.
func (w *world) work(ctx context.Context, from settings.Sources, to worker.Config) (err error) {
	to.Say = func(format string, args ...any) {
		fmt.Fprintf(w.stderr, "quintain worker: %s\n", screen.Fault(fmt.Sprintf(format, args...)))
	}
	if to.Play, err = to.Client.Play(ctx, to.Say); err != nil {
		return err
	}
	from.Base = &settings.Sources{File: "settings of the run", Data: []byte(to.Play.Settings)}
	c, err := w.configOf("worker", from)
	if err != nil {
		return err
	}
	for path, given := range from.Flags {
		if strings.HasPrefix(path, "policy.") && path != "policy.seats" && !c.Policy.Remote() {
			return usagef("%s: the run plays the policy %s, which has no use for it: leave it out", given.By, c.Policy.Kind)
		}
	}
	to.Log = c.Log.Logger(w.stderr)
	defer c.Source.Scenario.Stop()
	if err := c.Source.Scenario.Start(ctx, to.Log); err != nil {
		if missing, ok := errors.AsType[*venv.MissingError](err); ok {
			return fmt.Errorf("%s is not installed here; the run plays by %s", missing.Scheme, to.Play.Runs)
		}
		return err
	}
	if to.Streams, err = c.runStreams(); err != nil {
		return err
	}
	to.Settings, to.Run, to.Player, to.Trains = c.Worker, c.Run.Of, &c.Policy, c.Run.Consumer == player.Hub
	plays, err := worker.New(ctx, to)
	if err != nil {
		return err
	}
	return plays.Work(ctx)
}
