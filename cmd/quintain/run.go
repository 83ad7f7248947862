package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/routes"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newRun(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:        "run",
		SuggestFor: []string{"train", "start", "play", "learn"},
		Short:      "Play episodes, grade them, keep the groups and train on them",
		Long: `Run plays problems with a policy, scores the replies, and keeps the groups in the durable queue of the data folder.
A consumer takes them in batches. Without flags the small transformer in this program is the policy, and learns; --weights has a
language model take its place (docs/run.md).
The next run on the same data folder continues where this one stopped. Ctrl-C gives episodes under way run.grace
to end; a second one cuts them. Further settings have no flag: quintain settings WORD finds them, --with sets them.`,
		Example: `  quintain run --minutes 5 --report report.json
  quintain run --weights SmolLM2-135M-Instruct.Q4_1.gguf --data smollm
  quintain run --tasks countdown:1,word_ladder:2 --policy server --url http://127.0.0.1:8001 --data games --with policy.retries=3
  quintain run --policy server --url http://127.0.0.1:8001 --tokenizer my-model --consumer hub --data trained
  quintain run --policy script --scenario math_multi_turn:num_turns=4 --problems train.jsonl --data dry-run`,
		Args: noArgs,
	}
	open := openFlag(c)
	load := w.settings(c, "run")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.start(c.Context(), cfg, *open)
	}
	return c
}

// start runs a run with checked settings until a signal.
func (w *world) start(ctx context.Context, c *config, open bool) error {
	if c.Run.Consumer == player.Hub && c.Policy.Kind == player.Tiny {
		return usagef("run.consumer: the tiny policy cannot take the weights of another trainer. To try your trainer without a model, add --policy script; with an inference server, --policy server")
	}
	if c.language && os.Getenv("GOGC") == "" { // nearly all that is in use stays so, and holds no pointers
		defer debug.SetGCPercent(debug.SetGCPercent(10))
	}
	if c.language && c.Run.Workers {
		return usagef("run.workers: a language model in the program plays and learns here alone: leave run.workers out, or serve the model and add --policy server")
	}
	if err := c.Policy.CheckTeacher(&c.Teacher, c.Run.Consumer == player.Hub); err != nil {
		return usageError{err}
	}
	return w.attend(ctx, func(ctx context.Context, cut <-chan struct{}) error { return w.run(ctx, c, open, cut) })
}

// run opens, runs and reports a run.
func (w *world) run(ctx context.Context, c *config, open bool, cut <-chan struct{}) (err error) {
	log := c.Log.Logger(w.stderr)
	defer c.Source.Scenario.Stop()
	if err := c.Source.Scenario.Start(ctx, log); err != nil {
		return err
	}
	streams, err := c.runStreams()
	if err != nil {
		return err
	}
	if err := run.ReportFile(c.Run.Report).Check(); err != nil {
		return err
	}
	agents, err := c.gateway(log)
	if err != nil {
		return err
	}
	leases, planes, err := c.elsewhere(agents, streams, log)
	if err != nil {
		return err
	}
	h, pages, err := c.host(ctx, log, c.Run.Consumer == player.Builtin, planes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	r := &runner{config: c, host: h, folder: h.Folder(), register: h.Hub().Register, trains: c.Run.Consumer == player.Hub, log: log, agents: agents, leases: leases}
	c.Source.Scenario.Register(r.register)
	defer func() { err = errors.Join(err, r.close()) }()
	r.live = r.newLive(w)
	beside := []func(context.Context) error{leases.Around(h.Run), pages.Run, r.live.Run}
	if agents != nil || leases != nil {
		beside = append(beside, h.ServeCalls)
	}
	err = r.assemble(ctx, w, run.Config{
		Settings: c.Run.Of, Rules: c.Rules, Sampling: c.Policy.Sampling, Streams: streams, Curriculum: c.Curriculum,
		Queue: h.Queue(), Cut: cut, Log: log, Beside: beside, Traces: c.OTLP.Sampler(),
	})
	if err != nil {
		return c.Store.Stopped(ctx, err)
	}

	stopping := context.AfterFunc(ctx, func() {
		r.live.Say("stopping; episodes under way have %v to end, and a second Ctrl-C cuts them", c.Run.Of.Grace)
	})
	defer stopping()
	at := h.Reachable(ctx)
	r.sayWhere(at)
	r.showAgents(pages)
	r.showWorkers(pages, at)
	w.show(h.Addr(), open)
	if c.starter() {
		r.live.Say("the model computes with %s kernels", transformer.Kernels())
	}
	for _, text := range c.Policy.Warnings(r.trains) {
		r.live.Say("warning: %s", text)
	}
	return r.run(ctx, w)
}

// sayWhere says where the run is.
func (a *runner) sayWhere(at string) {
	c := a.config
	if port := fmt.Sprintf(":%d", c.Server.Port); c.Server.Next && !strings.HasSuffix(at, port) {
		a.says("port " + port[1:] + " is in use, and nobody gave --port: this is the next free one")
	}
	a.live.Say("hub on http://%s, data in %s, from version %s; Ctrl-C stops", at, c.Data, screen.Version(a.Version()))
	a.live.Say("watch it on http://%s%s", at, watch.Home)
}

// elsewhere returns the coordinator of workers elsewhere, nil if none play, and the routes of all
// who play elsewhere.
func (c *config) elsewhere(agents *gateway.Gateway, streams []rollout.Stream, log *slog.Logger) (*fleet.Coordinator, routes.Planes, error) {
	planes := routes.Of(agents, c.Gateway)
	if c.Policy.Remote() {
		c.Server.Calls = c.Policy.Server.Connections(&c.Teacher, c.Run.Of.Parallel)
	}
	leases, err := c.coordinator(streams, log)
	planes.Main = append(planes.Main, leases.Routes()...)
	return leases, planes, err
}

// run runs the run and prints its report.
func (a *runner) run(ctx context.Context, w *world) error {
	err := a.Run.Run(ctx)
	if a.files != nil {
		w.sayUnknown(a.files.Unknown())
	}
	report := a.Report()
	report.Judge = a.config.Source.Scenario.Report()
	return errors.Join(err, screen.Report(w.results(), &report), run.ReportFile(a.config.Run.Report).Write(&report))
}

// A runner is a run with its files and its display.
type runner struct {
	*run.Run
	config   *config
	host     *host.Host // nil: no hub here
	folder   *datadir.Folder
	register func(prometheus.Collector)
	trains   bool // a trainer elsewhere takes the groups
	log      *slog.Logger
	live     *screen.Live

	agents *gateway.Gateway   // nil: no agents elsewhere play
	leases *fleet.Coordinator // nil: no workers elsewhere play

	sampled   *hub.Sampled             // the hub's run, for its gate; nil: no trainer elsewhere
	newest    func() int32             // version that the weights can have; nil: any
	exchanges func() [][]pool.Exchange // of the policy's servers; nil: it has none

	weights kept.Checkpoint      // of the tiny policy
	files   *artifacts.Artifacts // nil: none yet
	closed  []io.Closer          // further files
}

// close closes the files, the last first.
func (a *runner) close() error {
	var errs []error
	if a.files != nil {
		errs = append(errs, a.files.Close())
	}
	for _, c := range slices.Backward(a.closed) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// assemble adds the policy and the consumer to a run, and opens it where the last process
// ended.
func (a *runner) assemble(ctx context.Context, w *world, to run.Config) (err error) {
	c := a.config
	a.weights.Place = kept.Place{Folder: a.folder, Log: a.log}
	if c.Store.NATSURL != "" {
		a.weights.Store = to.Queue
	}
	if a.trains {
		a.sampled = &hub.Sampled{Run: a.host.Hub().Default()}
		to.Trainer.Consumer = run.Follow(a.sampled)
	}
	var last tiny.Step
	switch c.Policy.Kind {
	case player.Tiny:
		last, err = c.Policy.Train(ctx, &to, player.Training{Folder: a.folder, Keep: &a.weights, Sizes: c.Model.Config(), Learn: c.Learn, WarmUp: w.warmUp, Say: a.says, Every: c.Run.KeepWeights, Share: a.leases.Publish()})
	case player.Script:
		to.Policy, err = c.Policy.Solver(to.Streams, c.Run.Of.Seed, func() int32 { return int32(a.Version()) })
	default:
		to.Policy, err = a.connect(ctx)
	}
	if err != nil {
		return err
	}
	if err := c.Policy.Teach(ctx, &to, &c.Teacher, server.Use{Stop: ctx.Done(), Parallel: c.Run.Of.Parallel, Log: a.log.With("server", "teacher"), Say: a.says}); err != nil {
		return err
	}
	if err := a.oppose(ctx, &to); err != nil {
		return err
	}
	if err := a.serveAgents(&to); err != nil {
		return err
	}
	a.leaseTo(&to)
	return a.open(ctx, to, last)
}

// open opens the run and its files. Last is the step of the learner's checkpoint.
func (a *runner) open(ctx context.Context, to run.Config, last tiny.Step) (err error) {
	defer func() { err = stoppedEarly(ctx, err) }()
	c := a.config
	to.Sinks = append(to.Sinks, a.live)
	if a.weights.Lacks() { // a checkpoint ahead of the run need not be the run's
		if version, err := kept.VersionOf(ctx, to.Queue); err != nil || last.Version > version+1 {
			return cmp.Or(err, a.weights.Explain(&run.ApartError{Checkpoint: last.Version, Run: version}))
		}
	}
	a.Run, err = run.Open(ctx, to)
	if _, apart := errors.AsType[*run.ApartError](err); apart {
		err = a.weights.Remedy(err)
	}
	if err != nil {
		return fmt.Errorf("data folder %s: %w", c.Data, err)
	}
	a.files, err = artifacts.Open(a.Run, artifacts.Config{
		Folder: a.folder, Store: a.weights.Store, Program: "quintain " + version(), Settings: c, Last: last,
		Trace: c.Trace, Getenv: c.getenv, Dumps: c.Dumps, Metrics: c.Metrics, Records: export.Mode(strings.TrimPrefix(c.Run.Records, player.ArealPrefix)), Rules: c.Rules,
		OTLP: c.OTLP, Queue: to.Queue, Model: c.Policy.Server.Chat.Model,
		MaxTokens: c.Policy.Sampling.MaxTokens, Exchanges: a.exchanges, Register: a.register, Log: a.log,
	})
	if err == nil {
		err = a.weights.Settle()
	}
	if a.host != nil && c.Run.Consumer == player.Builtin {
		at := trainedHere{a.host.Hub().Default().Weights()}
		at.Trained(int32(a.Version()))
		a.AddSink(at)
	}
	if err != nil {
		return fmt.Errorf("data folder %s: %w", c.Data, err)
	}
	return nil
}

// oppose adds the other policies at tables to a run that plays its problems itself.
func (a *runner) oppose(ctx context.Context, to *run.Config) error {
	if a.leases != nil || a.agents != nil {
		return nil
	}
	s := a.config.Run.Of
	others, err := a.config.Policy.Opponents(ctx, player.Start{Data: a.folder.Path(), Streams: to.Streams, Seed: s.Seed, Parallel: s.Parallel},
		server.Use{Waits: true, Stop: ctx.Done(), Parallel: s.Parallel, Log: a.log, Say: a.says})
	to.Opponents, to.Beside = others.By, append(to.Beside, others.Beside...)
	return err
}

// says tells people something.
func (a *runner) says(text string) { a.live.Say("%s", text) }

// connect returns the policy of an inference server.
func (a *runner) connect(ctx context.Context) (quintain.Policy, error) {
	use := server.Use{
		Trainer: a.trains, LogProbs: true, Waits: true, Version: a.told, Newest: a.newest, Stop: ctx.Done(), Parallel: a.config.Run.Of.Parallel, Log: a.log,
		Say: a.says,
	}
	if a.trains && a.host != nil {
		at := a.host.Hub().Default()
		use.Told, use.Moved, use.Newest = at.Weights().Tell, at.Weights().Move, func() int32 { return int32(max(at.Step(), at.Version())) }
		use.Oldest = func() int32 { return int32(a.oldest()) }
	}
	s, err := a.config.Policy.NewServer(use)
	if err != nil {
		return nil, err
	}
	a.register(s)
	if a.sampled != nil {
		a.sampled.From = s.Lowest
	}
	a.exchanges = s.Exchanges
	return s, s.Reach(ctx)
}

// A trainedHere tells a hub the steps of the training in this process.
type trainedHere struct{ *hub.Weights }

// Note implements [run.Sink].
func (t trainedHere) Note(e run.Event) error {
	if step, ok := e.(run.Stepped); ok {
		t.Trained(int32(step.Version))
	}
	return nil
}
