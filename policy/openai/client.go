// Package openai samples from any server that speaks the chat completions API of
// OpenAI: vLLM, SGLang, llama.cpp, a gateway, OpenAI itself.
//
// With Config.TokenIDs a sample holds the exact tokens that the server reports. Without
// it the tokens are the bytes of the text ([quintain.UTF8]), in the form that package
// policy describes. The log-probability of each of the server's tokens is then that of
// the token's first byte, and the other bytes have 0. So the sum over the reply is the
// server's, without the special token that ends it. If the server's tokens do not spell
// its text (because the server stripped the text, or a reasoning parser split it), the
// sample has no log-probabilities, and [Stats] counts it.
//
// By default vLLM and SGLang report log-probabilities before temperature, top_p and
// top_k are applied (vLLM has --logprobs-mode processed_logprobs for those after).
//
// If a server reports reasoning in a separate field (reasoning_content or reasoning),
// the client puts it before the text as <think>…</think>, or as <think>… if the reply
// was cut within it. A finish_reason of "stop", or of a tool call, is [quintain.Stop];
// "length" is [quintain.Length]. "abort" is retried. "content_filter" is an error, and
// so is anything else: a reply that may have been cut is not complete. An empty text is
// a reply, but a missing field is not.
package openai

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// A Client samples from one server. Many goroutines may use it at once. Its only
// goroutines of its own are those of its connections, which CloseIdle ends.
type Client struct {
	cfg   Config
	base  *url.URL
	http  *http.Client
	slots chan struct{}                     // a token for each running exchange
	draw  func(time.Duration) time.Duration // draws uniformly from 0 to its argument

	oneByOne atomic.Bool // the server returns one sample per request, whatever n is
	asked    atomic.Int64
	retried  atomic.Int64
	failed   atomic.Int64
	noProbs  atomic.Int64
}

// Stats counts a client's requests and samples.
type Stats struct {
	Asked      int64 // HTTP exchanges for samples, retries included
	Retried    int64 // exchanges that were retried
	Failed     int64 // requests that ended with an Error
	NoLogProbs int64 // samples without the requested log-probabilities
}

// New returns a client for the server that cfg names. It does not contact the server;
// see [Client.Check]. The error names the invalid setting.
func New(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	cfg = cfg.withDefaults()
	base, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	return &Client{
		cfg:  cfg,
		base: base,
		http: &http.Client{
			Transport:     cfg.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		slots: make(chan struct{}, cfg.MaxInFlight),
		draw:  func(most time.Duration) time.Duration { return rand.N(most + 1) },
	}, nil
}

// Stats returns the client's counts so far.
func (c *Client) Stats() Stats {
	return Stats{Asked: c.asked.Load(), Retried: c.retried.Load(), Failed: c.failed.Load(), NoLogProbs: c.noProbs.Load()}
}

// CloseIdle closes the connections that no request is using.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Sample implements [quintain.Policy]. The error is an [*Error], or the cause of ctx if
// ctx ended. A cancelled request has no samples, since no part of a reply arrives
// before its end. Samples of one request share their Read.
func (c *Client) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := policy.Check(r); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	samples := make([]quintain.Sample, 0, r.N)
	for len(samples) < r.N {
		more, err := c.round(ctx, r, r.N-len(samples))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			c.failed.Add(1)
			return nil, err
		}
		samples = append(samples, more...)
	}
	return samples, nil
}

// round returns from 1 to n samples. Once a server has returned one sample instead of
// several, each sample gets its own request. So does each greedy sample, because vLLM
// returns only one of these.
func (c *Client) round(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
	if n == 1 || c.oneByOne.Load() || r.Sampling.Temperature == 0 {
		return c.singly(ctx, r, n)
	}
	samples, err := c.ask(ctx, r, n)
	if fault, is := errors.AsType[*Error](err); is && fault.wantsOne() {
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

// singly returns n samples from n requests made at the same time. The first fault ends
// all of them.
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

// ask returns from 1 to n samples from one successful exchange, after retries if faults
// are temporary. The error is an *Error or the cause of ctx.
func (c *Client) ask(ctx context.Context, r quintain.Request, n int) ([]quintain.Sample, error) {
	body, err := c.body(r, n)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	for attempt := 1; ; attempt++ {
		samples, fault := c.try(ctx, &query{Request: r, config: &c.cfg, n: n, body: body})
		if fault == nil {
			return samples, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		fault.Attempts = attempt
		if !fault.again(c.cfg.Retries) {
			return nil, fault
		}
		c.retried.Add(1)
		if c.cfg.Told != nil {
			c.cfg.Told(fault, attempt)
		}
		if stopped, err := c.pause(ctx, attempt, fault.after); err != nil {
			return nil, err
		} else if stopped {
			return nil, fault
		}
	}
}

// pause waits before retry i. It returns earlier if Config.Stop is closed, or with the
// cause of ctx.
func (c *Client) pause(ctx context.Context, i int, after time.Duration) (stopped bool, err error) {
	most := c.cfg.MaxBackoff
	if i < 30 && c.cfg.Backoff < most>>i {
		most = c.cfg.Backoff << i
	}
	timer := time.NewTimer(c.draw(most) + min(after, c.cfg.MaxBackoff))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-c.cfg.Stop:
		return true, nil
	case <-timer.C:
		return false, nil
	}
}
