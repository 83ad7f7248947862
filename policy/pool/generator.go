package pool

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Tokens is the client of a token server.
type Tokens interface {
	Client
	policy.Generator

	// Version returns the version of the server's weights, or an older one; see
	// [remote.Config].
	Version(ctx context.Context) int32
}

// A Generator is a pool of token servers, all of one kind and model. It is a
// [policy.Generator].
//
// When the servers are too full, it interrupts the youngest requests, if the servers keep
// the tokens sampled so far: the output then has Finish Aborted, as if the server had
// interrupted it. No retry is counted.
type Generator struct {
	*Pool[Tokens]
	can policy.Abilities
}

// NewGenerator is [New] for token servers.
func NewGenerator(cfg Config, connect func(remote.Config) (Tokens, error)) (*Generator, error) {
	p, err := New(cfg, connect)
	if err != nil {
		return nil, err
	}
	return &Generator{p, p.members[0].client.Can()}, nil
}

// Can implements [policy.Generator]: it returns the first server's abilities.
func (g *Generator) Can() policy.Abilities { return g.can }

// Version returns the oldest version of the weights on the servers that are up.
func (g *Generator) Version(ctx context.Context) int32 {
	oldest := int32(math.MaxInt32)
	for _, c := range g.up() {
		oldest = min(oldest, c.Version(ctx))
	}
	if oldest == math.MaxInt32 {
		return -1
	}
	return oldest
}

// Generate implements [policy.Generator]. The error is a [*remote.Error], or the cause of
// ctx.
func (g *Generator) Generate(ctx context.Context, prompt policy.Prompt) (outputs []policy.Output, err error) {
	r := &request[Tokens]{key: prompt.Key, n: prompt.N, within: prompt.Within, exam: prompt.Exam, whole: !g.can.Interrupt || len(prompt.Schema) > 0}
	err = g.ask(ctx, r, func(ctx context.Context, c Tokens) (err error) {
		outputs, err = c.Generate(ctx, prompt)
		if err != nil && errors.Is(context.Cause(ctx), errTrimmed) {
			for len(outputs) < prompt.N {
				outputs = append(outputs, policy.Output{Finish: quintain.Aborted})
			}
			return nil
		}
		if err != nil {
			return err
		}
		if prompt.AtLeast > 0 && len(outputs[0].Versions) > 0 && outputs[0].Versions[0] < prompt.AtLeast {
			return &remote.Error{Kind: remote.Busy, Err: fmt.Errorf(
				"the server has the weights of version %d, and the reply continues from version %d", outputs[0].Versions[0], prompt.AtLeast)}
		}
		return nil
	})
	for k := range outputs {
		outputs[k].Took = r.took
	}
	return outputs, err
}

// Score implements [policy.Scorer] if the clients do.
func (g *Generator) Score(ctx context.Context, tokens []quintain.Token, top int) (scores []policy.Score, err error) {
	err = g.ask(ctx, &request[Tokens]{n: 1, whole: true}, func(ctx context.Context, c Tokens) (err error) {
		scorer, can := c.(policy.Scorer)
		if !can {
			return errors.New("pool: the servers do not report the log-probabilities of given tokens")
		}
		scores, err = scorer.Score(ctx, tokens, top)
		return err
	})
	return scores, err
}
