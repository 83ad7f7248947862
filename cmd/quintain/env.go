package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/interop/atropos/environment"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
)

func newEnv(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "env",
		Short: "Play as the ReasoningGym environment of Atropos, with its settings",
		Long: `Env is the ReasoningGym environment of Atropos: it reads the YAML files of that
environment and takes its flags, such as --env.group_size 16. docs/atropos.md lists them
and the differences.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newEnvServe(w), newEnvProcess(w), newEnvEvaluate(w))
	return c
}

// An atroposEnv is an environment of Atropos: its settings, and ours made of them.
type atroposEnv struct {
	runner
	of *environment.Settings
}

// newEnviron gives c the flags of an environment. It returns a function that reads the environment's settings
// from flags and a file of Atropos, and ours from flags and the environment variables.
func (w *world) newEnviron(c *cobra.Command, verb string) func() (*atroposEnv, error) {
	file := c.Flags().String("config", "", "YAML file of Atropos, with env and openai")
	ours := flags.Add(c, w.form().Use(uses()[verb]...))
	theirs := flags.AddList(c, environment.Flags())
	return func() (*atroposEnv, error) {
		of, err := environment.Read(*file, theirs)
		if err != nil {
			return nil, usageError{err}
		}
		cfg, err := w.loadConfig(verb, "", ours)
		if err != nil {
			return nil, err
		}
		if err := cfg.readMixture(); err != nil {
			return nil, err
		}
		if unneeded := of.Unneeded(); len(unneeded) > 0 {
			fmt.Fprintf(w.stderr, "quintain env: without effect here: %s\n", strings.Join(unneeded, ", "))
		}
		return w.translate(cfg, of)
	}
}

// translate sets c by the settings of Atropos.
func (w *world) translate(c *config, of *environment.Settings) (*atroposEnv, error) {
	if of.Env.DebugLogging {
		c.Log.Level = "debug"
	}
	replays, grace := c.Run.Of.Replays, c.Run.Of.Grace
	c.Run.Of = environment.RunSettings(of)
	c.Run.Of.Replays, c.Run.Of.Grace = replays, grace
	c.Rules, c.Dumps, c.Policy.Sampling = environment.Rules(&of.Env), environment.Dumps(&of.Env), environment.Sampling(&of.Env)
	c.Curriculum = environment.CurriculumOf(&of.Env, c.Curriculum)
	environment.Score(&of.Env, &c.Source.Scenario)
	var err error
	if c.Policy.Server, err = environment.ServerOf(of, c.Policy.Server.Files, w.getenv); err != nil {
		return nil, usageError{err}
	}
	c.Policy.Kind = string(c.Policy.Server.Kind)
	a := runner{config: c, register: func(prometheus.Collector) {}, log: c.Log.Logger(w.stderr)}
	e := &atroposEnv{a, of}
	e.live = screen.NewLive(w.screen(), func() run.Report { return e.Report() })
	e.live.Name = "quintain env"
	return e, nil
}

// runConfig returns the config of the environment's run over a queue.
func (e *atroposEnv) runConfig(ctx context.Context, q *queue.Queue) (to run.Config, err error) {
	c := e.config
	if len(c.Source.Tasks) == 0 {
		c.Source.Tasks = environment.Tasks(&e.of.Env)
	}
	if c.Source.Scenario.Environment.Set() {
		return to, usagef("--environment: here an agent alone can play the tasks, agent:COMMAND; quintain run plays other environments")
	}
	if err := c.Source.Scenario.Start(ctx, e.log); err != nil { // which needs no end: it is an agent's
		return to, err
	}
	streams, err := c.runStreams()
	if err != nil {
		return to, err
	}
	policy, err := e.connect(ctx)
	if err != nil {
		return to, err
	}
	return run.Config{
		Settings: c.Run.Of, Rules: c.Rules, Sampling: c.Policy.Sampling, Streams: streams, Curriculum: c.Curriculum, Policy: policy,
		Queue: q, Beside: []func(context.Context) error{e.live.Run}, Log: e.log,
	}, nil
}
