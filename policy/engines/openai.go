package engines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A OpenAI samples from one server. Many goroutines may use it at once. Its only goroutines
// are those of its connections; CloseIdle ends them.
type OpenAI struct {
	cfg    OpenAIConfig
	server *remote.Server

	oneByOne atomic.Bool // the server returns one sample per request, whatever n says
	failed   atomic.Int64
	noProbs  atomic.Int64
}

// OpenAIStats counts a client's requests and samples.
type OpenAIStats struct {
	Asked      int64 // HTTP requests for samples, retries included
	Retried    int64 // retried HTTP requests
	Failed     int64 // requests that ended in an error
	NoLogProbs int64 // samples without the requested log-probabilities
}

// NewOpenAI returns a client for cfg's server, without contacting it; see [OpenAI.Check]. The
// error names the invalid setting.
func NewOpenAI(cfg OpenAIConfig) (*OpenAI, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	server, err := remote.New(cfg.Server)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c := &OpenAI{cfg: cfg, server: server}
	c.oneByOne.Store(cfg.OneByOne)
	return c, nil
}

// OpenAIStats returns the client's counts so far.
func (c *OpenAI) Stats() OpenAIStats {
	n := c.server.Stats()
	return OpenAIStats{Asked: n.Asked, Retried: n.Retried, Failed: c.failed.Load(), NoLogProbs: c.noProbs.Load()}
}

// CloseIdle closes the idle connections.
func (c *OpenAI) CloseIdle() { c.server.CloseIdle() }

// Sample implements [quintain.Policy]. The error is a [*remote.Error], or the cause of ctx
// if ctx ended. A cancelled request has no samples: no part of a reply arrives before its
// end. Samples of one request share their Read.
func (c *OpenAI) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := policy.Check(r); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	if err := c.refuse(r); err != nil {
		return nil, fmt.Errorf("openai: %w; %w", err, quintain.ErrFinal)
	}
	samples := make([]quintain.Sample, 0, r.N)
	for len(samples) < r.N {
		more, err := c.round(ctx, r, r.N-len(samples))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if r.Sampling.MaxTokens > 0 && errors.Is(err, quintain.ErrNoRoom) { // without a limit, the reply fills the context, which has less room
			r.Sampling.MaxTokens = 0
			continue
		}
		if err != nil {
			c.failed.Add(1)
			return nil, err
		}
		samples = append(samples, more...)
	}
	return samples, nil
}

// refuse returns why the tokens of a conversation with r would be unknown.
func (c *OpenAI) refuse(r quintain.Request) error {
	switch {
	case len(r.Stop) > 0:
		return errors.New("stop: a server of completions cannot continue a conversation after the stop text; choose --policy server and name its tokenizer (--tokenizer)")
	case c.cfg.Prompt != nil && (len(r.Schema) > 0 || r.ToolChoice != ""):
		return quintain.ErrUnguided // most servers ignore a schema for text completions
	}
	return nil
}

// round returns 1 to n samples. Once a server has returned one sample instead of several,
// each sample gets its own request. So does each greedy sample, because vLLM returns only
// one.
func (c *OpenAI) round(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
	if n == 1 || c.oneByOne.Load() || r.Sampling.Temperature == 0 {
		return c.singly(ctx, r, n)
	}
	samples, err := c.ask(ctx, r, n)
	if fault, ok := errors.AsType[*remote.Error](err); ok && fault.RefusesSeveral() {
		if one, again := c.ask(ctx, r, 1); again == nil {
			samples, err = one, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if len(samples) == 1 {
		c.oneByOne.Store(true)
	}
	return samples, nil
}

// singly returns n samples from n concurrent requests. The first fault ends all.
func (c *OpenAI) singly(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
	if n == 1 {
		return c.ask(ctx, r, 1)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	samples := make([]quintain.Sample, n)
	var all sync.WaitGroup
	for k := range samples {
		all.Go(func() {
			one, err := c.ask(ctx, r, 1)
			if err != nil {
				cancel(err)
				return
			}
			samples[k] = one[0]
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return samples, nil
}

// missing is the advice if the server lacks the route.
const missing = "is the model's name right, and does the URL end with /v1?"

// ask returns 1 to n samples from one successful request, after retries of temporary
// faults. The error is a *remote.Error or the cause of ctx.
func (c *OpenAI) ask(ctx context.Context, r quintain.Request, n int) (samples []quintain.Sample, err error) {
	path, body, err := c.body(r, n)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	q := query{Request: r, config: &c.cfg, n: n}
	err = c.server.Ask(ctx, remote.Call{
		Path: path, Body: body, Guided: len(r.Schema) > 0 || r.ToolChoice != "", Missing: missing,
		Begin: func(version int32) { q.version = version },
		Read: func(body []byte) (fault *remote.Error) {
			samples, fault = q.read(body)
			return fault
		},
	})
	if err != nil {
		return nil, err
	}
	for _, s := range samples {
		if s.LogProbs == nil && !c.cfg.NoLogProbs {
			c.noProbs.Add(1)
		}
	}
	return samples, nil
}
