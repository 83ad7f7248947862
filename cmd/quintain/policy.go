package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/datadir"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/transformer"
)

// The kinds of policy.
const (
	kindTiny   = "tiny"
	kindScript = "script"
	kindOpenAI = "openai"
)

// policySettings say what plays.
type policySettings struct {
	Kind        string
	Weights     string // of the tiny policy; empty: the embedded ones
	FromScratch bool   // the tiny policy is made anew
	Sampling    quintain.Sampling
	Script      script.Solver
	OpenAI      openai.Settings
}

func defaultPolicy(kind string) policySettings {
	return policySettings{
		Kind: kind, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 2048},
		Script: script.Solver{Accuracy: 0.6, Delay: 20 * time.Millisecond}, OpenAI: openai.Defaults(),
	}
}

// Declare implements [settings.Declarer].
func (p *policySettings) Declare(d *settings.Section) {
	d.Text(&p.Kind, "kind", "the model in this program, a script that knows the solutions, or a server that speaks the chat completions API").
		OneOf(kindTiny, kindScript, kindOpenAI).Flag("policy")
	d.Text(&p.Weights, "weights", "file with weights of the tiny policy to begin with")
	d.Bool(&p.FromScratch, "from_scratch", "warm a new model up, in place of the embedded one, if the data folder has none yet")
	d.Section((*policy.Sampling)(&p.Sampling), "sampling", "how replies are sampled")
	p.Script.Declare(d)
	p.OpenAI.Declare(d)
}

// Check implements [settings.Checker].
func (p *policySettings) Check() error {
	switch {
	case p.Kind == kindOpenAI:
		return p.OpenAI.Check()
	case p.Weights != "" && (p.Kind != kindTiny || p.FromScratch):
		return errors.New("weights: they are those of the tiny policy, and not of one from scratch")
	case p.FromScratch && p.Kind != kindTiny:
		return fmt.Errorf("from_scratch: the policy %s is not made here", p.Kind)
	}
	return nil
}

// A use is what a server, or the script, is used for.
type use struct {
	version  func() int32    // of its weights
	stop     <-chan struct{} // closed: nothing is retried any more
	training bool            // its log-probabilities are needed
	log      *slog.Logger
}

// server returns the policy of a server or of the script.
func (c *config) server(streams []rollout.Stream, to use) (quintain.Policy, error) {
	p := &c.Policy
	if p.Kind == kindScript {
		s := p.Script
		s.Answer, s.Seed, s.Version = script.Book(scenarios(streams)).Answer, c.Run.Of.Seed, to.version
		return &s, nil
	}
	config, err := p.OpenAI.Config()
	if err != nil {
		return nil, fmt.Errorf("policy.%w", err)
	}
	config.Server.MaxInFlight, config.Server.Version, config.Server.Stop = c.Run.Of.Parallel, to.version, to.stop
	config.NoLogProbs = !to.training
	s, err := newServer(config, to.log)
	if err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// trained returns the policy that is examined or asked, and says which weights it has.
func (c *config) trained(w *world, streams []rollout.Stream, log *slog.Logger) (quintain.Policy, error) {
	if c.Policy.Kind != kindTiny {
		return c.server(streams, use{version: func() int32 { return 0 }, log: log})
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
