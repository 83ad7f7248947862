package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// The kinds of policy.
const (
	kindTiny   = "tiny"
	kindScript = "script"
	kindServer = string(server.Any)
)

// policySettings say what plays.
type policySettings struct {
	Kind        string
	Weights     string // of the tiny policy; empty: the embedded ones
	FromScratch bool   // the tiny policy is made anew
	Sampling    quintain.Sampling
	Script      script.Solver
	Server      server.Settings
}

func defaultPolicy(kind string) policySettings {
	return policySettings{
		Kind: kind, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 2048},
		Script: script.Solver{Accuracy: 0.6, Delay: 20 * time.Millisecond}, Server: server.Defaults(),
	}
}

// Declare implements [settings.Declarer].
func (p *policySettings) Declare(d *settings.Section) {
	kinds := []string{kindTiny, kindScript}
	for _, kind := range server.Kinds() {
		kinds = append(kinds, string(kind))
	}
	d.Text(&p.Kind, "kind", "the model in this program, a script that knows the solutions, or a server: one whose kind is found out, one of a kind, or any that speaks completions (openai)").
		OneOf(kinds...).Flag("policy")
	d.Text(&p.Weights, "weights", "file with weights of the tiny policy to begin with")
	d.Bool(&p.FromScratch, "from_scratch", "warm a new model up, in place of the embedded one, if the data folder has none yet")
	d.Section((*policy.Sampling)(&p.Sampling), "sampling", "how replies are sampled")
	p.Script.Declare(d)
	p.Server.Declare(d)
}

// Check implements [settings.Checker].
func (p *policySettings) Check() error {
	switch {
	case p.remote():
		return p.server().Check()
	case p.Weights != "" && (p.Kind != kindTiny || p.FromScratch):
		return errors.New("weights: they are those of the tiny policy, and not of one from scratch")
	case p.FromScratch && p.Kind != kindTiny:
		return fmt.Errorf("from_scratch: the policy %s is not made here", p.Kind)
	}
	return nil
}

// remote reports whether the policy is one of a server.
func (p *policySettings) remote() bool { return p.Kind != kindTiny && p.Kind != kindScript }

// server are the settings of the policy's server.
func (p *policySettings) server() *server.Settings {
	s := p.Server
	s.Kind = probe.Kind(p.Kind)
	return &s
}

// script returns the script.
func (c *config) script(streams []rollout.Stream, version func() int32) quintain.Policy {
	s := c.Policy.Script
	s.Answer, s.Seed, s.Version = script.Book(played(streams)).Answer, c.Run.Of.Seed, version
	return &s
}

// server returns the policy of a server, which is not yet asked.
func (c *config) server(to server.Use) (*server.Server, error) {
	to.Parallel = c.Run.Of.Parallel
	s, err := server.New(*c.Policy.server(), to)
	if err != nil {
		return nil, usagef("policy.%w", err)
	}
	return s, nil
}

// trained returns the policy that is examined or asked, and says which weights it has.
func (c *config) trained(ctx context.Context, w *world, streams []rollout.Stream) (quintain.Policy, error) {
	switch {
	case c.Policy.Kind == kindScript:
		return c.script(streams, func() int32 { return 0 }), nil
	case c.Policy.remote():
		s, err := c.server(server.Use{Log: c.Log.logger(w), Say: func(text string) { fmt.Fprintf(w.stderr, "quintain: %s\n", text) }})
		if err != nil {
			return nil, err
		}
		return s, s.Connect(ctx)
	}
	saved, name, err := c.lastWeights()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w.stderr, "quintain: weights of %s\n", name)
	return tiny.New(saved.Model, 0, tiny.Options{MaxSequences: c.Run.Of.Parallel, Seed: c.Run.Of.Seed})
}

// lastWeights reads the weights that a run of these settings would go on with, and
// names them: those of the data folder's checkpoint, unless others are set or there is
// none.
func (c *config) lastWeights() (saved *transformer.Checkpoint, name string, err error) {
	if c.Policy.Weights == "" {
		path := filepath.Join(c.Data, datadir.Checkpoint)
		if saved, err := starter.ReadCheckpoint(path); !errors.Is(err, fs.ErrNotExist) {
			return saved, path, err
		}
	}
	return c.firstWeights()
}

// firstWeights reads the weights that a tiny policy begins with, and names them.
func (c *config) firstWeights() (saved *transformer.Checkpoint, name string, err error) {
	if c.Policy.Weights == "" {
		saved, err = starter.Load()
		return saved, "the embedded starter", err
	}
	saved, err = starter.ReadCheckpoint(c.Policy.Weights)
	return saved, c.Policy.Weights, err
}

// beside runs a policy that has to run while work asks it, if it does.
func beside(ctx context.Context, p quintain.Policy, work func(context.Context) error) error {
	runner, runs := p.(interface{ Run(context.Context) error })
	if !runs {
		return work(ctx)
	}
	return run.Together(ctx, runner.Run, work)
}
