package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/policy/weights"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/learn"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch"
)

func newRun(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Play episodes, grade them, keep the groups and train on them",
		Long: `Run plays problems with a policy, scores the replies, keeps the groups in the
durable queue of the data folder, and feeds them to a consumer that takes batches
and raises the policy's version. The hub listens on loopback meanwhile.

Without flags the policy is the small transformer in this program, which the
consumer trains with reinforcement learning while it samples, on seven tasks that
begin easy, and examines on held-out problems of all levels. --policy script plays a
script that solves each problem with a probability of 0.6, and trains nothing; --policy
server asks the inference server at --url, and waits for it if it does not run yet.

--complexity-mode curriculum, the default for those seven tasks, begins with the easiest
level of each task, and moves it with what the policy can do; random draws the levels.
Both play a task at its level and all harder ones, or at those that are listed: --tasks
countdown:0,countdown:2.

The next run on the same data folder continues where this one stopped.
Ctrl-C starts no more episodes, gives those under way --grace to end, examines the
policy a last time, and keeps everything; a second Ctrl-C skips what is left of that.`,
		Example: `  quintain run --minutes 5 --report report.json
  quintain run --policy script --steps 20
  quintain run --tasks countdown:1,word_ladder:2 --policy server --url http://127.0.0.1:8001
  quintain run --policy server --url http://127.0.0.1:8001 --tokenizer my-model --consumer hub
  quintain run --policy script --scenario math_multi_turn --problems problems.jsonl --num-turns 4`,
		Args: noArgs,
	}
	open := openFlag(c)
	load := w.settings(c, "run")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		if cfg.Run.Consumer == consumerHub && cfg.Policy.Kind == kindTiny {
			return usagef("run.consumer: the tiny policy cannot take the weights of another trainer; choose builtin, or another policy")
		}
		if err := cfg.checkTeacher(); err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, cut <-chan struct{}) error {
			return w.run(ctx, cfg, *open, cut)
		})
	}
	return c
}

// run opens what a run needs, runs it, and says what it did.
func (w *world) run(ctx context.Context, c *config, open bool, cut <-chan struct{}) (err error) {
	log := c.Log.logger(w)
	defer c.Scenario.Stop()
	if err := c.Scenario.Start(ctx, log); err != nil {
		return err
	}
	streams, err := c.runStreams()
	if err != nil {
		return err
	}
	if err := reportable(c.Run.Report); err != nil {
		return err
	}
	h, pages, err := c.host(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	r := &assembled{config: c, host: h, pages: pages, folder: h.Folder(), register: h.Hub().Register, trains: c.Run.Consumer == consumerHub, log: log}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.assemble(ctx, w, streams, cut); err != nil {
		return err
	}

	stopping := context.AfterFunc(ctx, func() {
		r.live.Say("stopping; episodes under way have %v to end, and a second Ctrl-C cuts them", c.Run.Of.Grace)
	})
	defer stopping()
	r.live.Say("hub on http://%s, data in %s, from version %s; Ctrl-C stops", h.Addr(), c.Data, screen.Version(r.Version()))
	r.live.Say("watch it on http://%s%s", h.Addr(), watch.Home)
	w.show(h.Addr(), open)
	if c.Policy.Kind == kindTiny {
		r.live.Say("the model computes with %s kernels", transformer.Kernels())
	}
	for _, text := range c.warnings() {
		r.live.Say("warning: %s", text)
	}
	return r.run(ctx, w)
}

// run runs the run, and says what it did.
func (a *assembled) run(ctx context.Context, w *world) error {
	err := a.Run.Run(ctx)
	if a.records != nil {
		w.sayUnknown(a.records)
	}
	report := a.Report()
	return errors.Join(err, screen.Report(w.stdout, &report), writeReport(a.config.Run.Report, &report))
}

// An assembled is a run with what it writes to.
type assembled struct {
	*run.Run
	config   *config
	host     *host.Host // nil: there is no hub here
	pages    *watch.Server
	folder   *datadir.Folder
	register func(prometheus.Collector)
	trains   bool // a trainer elsewhere takes the groups
	log      *slog.Logger
	live     *screen.Live

	exchanges func() [][]pool.Exchange // of the policy's servers; nil: it has none

	closed []io.Closer // at the end, the last first

	records *export.Records // in a form of AReaL; nil: none
}

// close closes what the run writes to.
func (a *assembled) close() error {
	var errs []error
	for _, c := range slices.Backward(a.closed) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// assemble puts a run together, at the place where the last process was.
func (a *assembled) assemble(ctx context.Context, w *world, streams []rollout.Stream, cut <-chan struct{}) error {
	c, h := a.config, a.host
	a.live = screen.NewLive(w.screen(), func() run.Report { return a.Report() })
	to := run.Config{
		Settings: c.Run.Of, Rules: c.Rules, Sampling: c.Policy.Sampling, Streams: streams, Curriculum: c.Curriculum,
		Queue: h.Queue(), Cut: cut, Log: a.log, Beside: []func(context.Context) error{h.Run, a.pages.Run, a.live.Run},
	}
	if c.Run.Consumer == consumerHub {
		to.Trainer = h.Hub().Default()
	}
	var last learn.Step
	switch c.Policy.Kind {
	case kindTiny:
		trainer, err := w.openTrainer(ctx, c, h.Folder(), streams)
		if err != nil {
			return err
		}
		last = trainer.Last()
		to.Learner, to.Policy = trainer, trainer.Policy()
		if m := &to.Rules.MaxSequence; *m == 0 || *m > trainer.Context()+1 {
			*m = trainer.Context() + 1 // what is longer cannot be trained on
		}
	case kindScript:
		to.Policy = c.script(streams, func() int32 { return int32(a.Version()) })
	default:
		s, err := a.connect(ctx)
		if err != nil {
			return err
		}
		to.Policy, a.exchanges = s, s.Exchanges
	}
	if err := a.addTeacher(ctx, &to); err != nil {
		return err
	}
	return a.open(ctx, to, last)
}

// open opens the run, and what it writes to. Last is the step of the learner's checkpoint.
func (a *assembled) open(ctx context.Context, to run.Config, last learn.Step) error {
	logs, err := run.OpenLogs(a.folder, last)
	if err != nil {
		return err
	}
	a.closed = append(a.closed, logs)
	to.Sinks = append(to.Sinks, a.live, logs)
	if a.Run, err = run.Open(ctx, to); err == nil {
		err = a.openRecords()
	}
	if err != nil {
		return fmt.Errorf("data folder %s: %w", a.config.Data, err)
	}
	return nil
}

// connect returns the policy of a server.
func (a *assembled) connect(ctx context.Context) (*server.Server, error) {
	use := server.Use{
		Trainer: a.trains, LogProbs: true, Waits: true, Version: a.sampled, Stop: ctx.Done(), Log: a.log,
		Say: func(text string) { a.live.Say("%s", text) },
	}
	if a.trains && a.host != nil {
		use.Told = a.host.Hub().Default().Tell
	}
	s, err := a.config.server(use)
	if err != nil {
		return nil, err
	}
	a.register(s)
	return s, a.reach(ctx, s)
}

// reach connects to a server. One that cannot be used yet is waited for later.
func (a *assembled) reach(ctx context.Context, s *server.Server) error {
	switch err := s.Connect(ctx); {
	case server.Temporary(err):
		a.live.Say("the server cannot be used yet, and is waited for: %v", err)
	case ctx.Err() == nil:
		return err
	}
	return nil // the run ends if ctx does
}

// sampled is the version of the weights that a server samples with, unless it says that
// itself: unknown, unless a trainer tells it.
func (a *assembled) sampled() int32 {
	if a.config.Run.Consumer == consumerBuiltin {
		return weights.Unknown
	}
	return int32(a.host.Hub().Default().Version())
}

// openRecords opens the trace of the run, and its dumps.
func (a *assembled) openRecords() error {
	c, folder := a.config, a.folder
	if c.Trace.On {
		head := trace.Head{Run: a.ID(), Program: "quintain " + version(), Scenarios: a.Scenarios()}
		var err error
		if head.Settings, err = settings.Tree(c); err != nil {
			return err
		}
		w, err := trace.NewWriter(folder.Join(datadir.Trace), head, c.Trace)
		if err != nil {
			return err
		}
		a.closed = append(a.closed, w)
		a.AddSink(run.Records(w))
		a.Beside(w.Run)
	}
	if err := a.openNumbers(); err != nil {
		return err
	}
	if err := a.openDumps(folder.Join(datadir.Dumps)); err != nil || c.Run.Records == "" {
		return err
	}
	mode := export.Mode(strings.TrimPrefix(c.Run.Records, arealPrefix))
	var err error
	if a.records, err = export.OpenRecords(folder.Join(datadir.Records), mode, c.Rules.TurnDiscount); err != nil {
		return err
	}
	a.closed = append(a.closed, a.records)
	a.AddSink(run.Records(a.records))
	return nil
}

// openDumps opens the dumps of the run in a folder, if there are to be any.
func (a *assembled) openDumps(folder string) error {
	s := a.config.Dumps
	if !s.Rollouts && !s.Failed {
		return nil
	}
	dumps, err := export.OpenDumps(folder, a.ID(), s)
	if err != nil {
		return err
	}
	a.closed = append(a.closed, dumps)
	a.register(dumps)
	a.AddSink(run.Records(dumps))
	return nil
}

// openNumbers opens where the numbers of the run go.
func (a *assembled) openNumbers() error {
	c := a.config
	logs, flow, err := c.Metrics.Open(a.folder.Join(datadir.Metrics), a.ID(), a.log)
	if err != nil {
		return err
	}
	if flow != nil {
		a.Beside(flow.Run)
	}
	gauges := scalars.NewGauges()
	a.register(gauges)
	numbers := run.NewNumbers(append(logs, gauges), c.Metrics.Every, c.Policy.Sampling.MaxTokens)
	numbers.Watch(a.exchanges)
	a.closed = append(a.closed, numbers)
	a.AddSink(numbers)
	return nil
}

// openTrainer opens the trainer of the tiny policy.
func (w *world) openTrainer(ctx context.Context, c *config, folder *datadir.Folder, streams []rollout.Stream) (*starter.Trainer, error) {
	t, err := starter.OpenTrainer(starter.Training{
		Path: folder.Join(datadir.Checkpoint), Sizes: c.Model.Config(), Learn: c.Learn,
		Sampling: tiny.Options{MaxSequences: c.Run.Of.Parallel, Seed: c.Run.Of.Seed},
		Fresh:    func() (*transformer.Model, error) { return w.freshModel(ctx, c, streams, folder) },
	})
	if err != nil {
		return nil, err
	}
	if err := starter.Readable(ctx, streams, t.Context()); err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

// reportable checks that a report can be written before the run begins.
func reportable(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return f.Close()
}

// writeReport writes a report as JSON.
func writeReport(path string, r *run.Report) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644) // in place: it may be a device
	if err == nil {
		err = errors.Join(jsonform.WriteIndented(f, r), f.Close())
	}
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}
