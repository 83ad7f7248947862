package main

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// BenchmarkRun is the work of a run, each half of it alone: groups of eight replies that
// the starter gives to its problems, and steps on them. Sampled counts generated tokens,
// and tokens all of the sequences.
func BenchmarkRun(b *testing.B) {
	c := defaults(player.Tiny)
	c.Rules.KeepEqual = true
	b.Run("sample", func(b *testing.B) {
		policy := starterPolicy(b, c)
		b.ResetTimer()
		groups := playGroups(b, c, policy, b.N)
		perSecond(b, policy.Sampled(), "sampled/s")
		perSecond(b, tokensOf(groups), "tokens/s")
	})
	b.Run("step", func(b *testing.B) {
		saved, err := starter.Load("")
		if err != nil {
			b.Fatal(err)
		}
		l, err := tiny.NewLearner(saved.Model, nil, c.Learn)
		if err != nil {
			b.Fatal(err)
		}
		size, trained := c.Run.Of.BatchSize/c.Run.Of.GroupSize, int64(0)
		groups := playGroups(b, c, starterPolicy(b, c), 128*size)
		for i := 0; b.Loop(); i++ {
			at := i * size % (len(groups) - size)
			if _, err := l.Step(groups[at:][:size]); err != nil {
				b.Fatal(err)
			}
			trained += tokensOf(groups[at:][:size])
		}
		perSecond(b, trained, "tokens/s")
	})
}

// tokensOf counts the tokens of all sequences.
func tokensOf(groups []*quintain.Group) (n int64) {
	for _, g := range groups {
		for _, tokens := range g.Tokens {
			n += int64(len(tokens))
		}
	}
	return n
}

// perSecond reports a rate in place of the time of a round.
func perSecond(b *testing.B, n int64, unit string) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), unit)
	b.ReportMetric(0, "ns/op")
}

// starterPolicy returns the starter as a run has it, running until the benchmark ends.
func starterPolicy(b *testing.B, c *config) *tiny.Policy {
	saved, err := starter.Load("")
	if err != nil {
		b.Fatal(err)
	}
	p, err := tiny.New(saved.Model, 0, tiny.Options{MaxSequences: c.Run.Of.Parallel, Seed: c.Run.Of.Seed})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = p.Run(ctx) })
	b.Cleanup(func() { stop(); running.Wait() })
	return p
}

// playGroups plays n groups of the starter's problems.
func playGroups(b *testing.B, c *config, policy quintain.Policy, n int) (groups []*quintain.Group) {
	streams, err := c.streams()
	if err != nil {
		b.Fatal(err)
	}
	mix, err := rollout.NewMix(streams)
	if err != nil {
		b.Fatal(err)
	}
	judge := c.Rules
	judge.Size, judge.Sampling = c.Run.Of.GroupSize, c.Policy.Sampling
	var mu sync.Mutex
	engine := rollout.Engine{
		Policy: policy, Sampling: c.Policy.Sampling, Size: c.Run.Of.GroupSize, Parallel: c.Run.Of.Parallel / c.Run.Of.GroupSize,
		Next: func(context.Context) (rollout.Job, error) {
			if n == 0 {
				return rollout.Job{}, io.EOF
			}
			n--
			return mix.Next()
		},
		Done: func(_ context.Context, r rollout.Result) error {
			j, err := judge.Judge(r)
			if j.Drop != "" || err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			groups = append(groups, j.Group)
			return nil
		},
	}
	if err := engine.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	return groups
}
