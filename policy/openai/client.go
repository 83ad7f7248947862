// Package openai samples from any server with OpenAI's chat completions API: vLLM, SGLang,
// llama.cpp, a gateway, OpenAI itself. With Config.Prompt it uses the older text
// completions instead, for models without chat training.
//
// With Config.TokenIDs a sample holds the exact tokens that the server reports. Without it
// the tokens are the bytes of the text ([quintain.UTF8]), in the form that package policy
// describes. The first byte of each server token then carries its log-probability, and the
// other bytes have 0, so the sum over the reply is the server's, without the special token
// that closes it. If the server's tokens do not spell its text (because the server stripped
// the text, or a reasoning parser split it), the sample has no log-probabilities, and
// [Stats] counts it.
//
// By default vLLM reports log-probabilities before temperature, top_p and top_k
// (--logprobs-mode processed_logprobs: after), and SGLang after temperature
// (SGLANG_RETURN_ORIGINAL_LOGPROB=1: before).
//
// If a server reports reasoning in a separate field (reasoning_content or reasoning), the
// client puts it before the text as <think>…</think>, or as <think>… if the reply was cut
// within it. A server of chat completions reads the tool calls of a reply itself. Without
// TokenIDs, its tokens are then those of the text with the calls in the form plain of package
// toolcall, without log-probabilities. The finish_reason "stop", or a tool call, is [quintain.Stop]; "length" is
// [quintain.Length]; "abort" is retried. "content_filter" and all others are errors: a
// reply that may have been cut is not complete. An empty text is a reply; a missing field
// is not. All this holds for text completions too, except that they have no reasoning
// field.
package openai

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

// A Client samples from one server. Many goroutines may use it at once. Its only goroutines
// are those of its connections; CloseIdle ends them.
type Client struct {
	cfg    Config
	server *remote.Server

	oneByOne atomic.Bool // the server returns one sample per request, whatever n says
	failed   atomic.Int64
	noProbs  atomic.Int64
}

// Stats counts a client's requests and samples.
type Stats struct {
	Asked      int64 // HTTP requests for samples, retries included
	Retried    int64 // retried HTTP requests
	Failed     int64 // requests that ended in an error
	NoLogProbs int64 // samples without the requested log-probabilities
}

// New returns a client for cfg's server, without contacting it; see [Client.Check]. The
// error names the invalid setting.
func New(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	server, err := remote.New(cfg.Server)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c := &Client{cfg: cfg, server: server}
	c.oneByOne.Store(cfg.OneByOne)
	return c, nil
}

// Stats returns the client's counts so far.
func (c *Client) Stats() Stats {
	n := c.server.Stats()
	return Stats{Asked: n.Asked, Retried: n.Retried, Failed: c.failed.Load(), NoLogProbs: c.noProbs.Load()}
}

// CloseIdle closes the idle connections.
func (c *Client) CloseIdle() { c.server.CloseIdle() }

// Sample implements [quintain.Policy]. The error is a [*remote.Error], or the cause of ctx
// if ctx ended. A cancelled request has no samples: no part of a reply arrives before its
// end. Samples of one request share their Read.
func (c *Client) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
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
func (c *Client) refuse(r quintain.Request) error {
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
func (c *Client) round(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
	if n == 1 || c.oneByOne.Load() || r.Sampling.Temperature == 0 {
		return c.singly(ctx, r, n)
	}
	samples, err := c.ask(ctx, r, n)
	if fault, is := errors.AsType[*remote.Error](err); is && fault.RefusesSeveral() {
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
func (c *Client) singly(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
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
func (c *Client) ask(ctx context.Context, r quintain.Request, n int) (samples []quintain.Sample, err error) {
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
