package engines

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A VLLMConfig names a server. The server's URL and Model are required.
type VLLMConfig struct {
	// Server is the server; its URL may end with /v1. An empty VersionPath means
	// "weight_info", which vLLM has if it runs with VLLM_SERVER_DEV_MODE=1.
	Server remote.Config

	Model string // the server's name for the model

	// Native uses /inference/v1/generate, which is not streamed: when the context ends, the
	// tokens so far are lost. From 0.32 on it reports which weights sampled each token.
	Native bool

	// Interval is the number of tokens per stream event, for a vLLM with stream_interval;
	// 0: 16.
	Interval int
}

// A VLLM is a [policy.Generator] and a [policy.Scorer]. Many goroutines may use it at
// once.
type VLLM struct {
	cfg    VLLMConfig
	server *remote.Server
}

// NewVLLM returns a client for the server of cfg, without contacting it. The error names the
// invalid setting.
func NewVLLM(cfg VLLMConfig) (*VLLM, error) {
	switch {
	case cfg.Model == "":
		return nil, errors.New("vllm: model is empty, want the server's name for the model")
	case cfg.Interval < 0:
		return nil, fmt.Errorf("vllm: interval is %d, want 1 or more", cfg.Interval)
	case cfg.Interval == 0:
		cfg.Interval = 16
	}
	cfg.Server.URL = remote.Root(cfg.Server.URL)
	if cfg.Server.VersionPath == "" {
		cfg.Server.VersionPath = "weight_info"
	}
	server, err := remote.New(cfg.Server)
	if err != nil {
		return nil, fmt.Errorf("vllm: %w", err)
	}
	return &VLLM{cfg: cfg, server: server}, nil
}

// Can implements [policy.Generator].
func (c *VLLM) Can() policy.Abilities {
	return policy.Abilities{
		TokensIn: true, TokensOut: true, LogProbs: true, Several: true, Interrupt: !c.cfg.Native, Versions: true, Score: true, Stop: !c.cfg.Native, Schema: true,
	}
}

// Stats returns the counts so far.
func (c *VLLM) Stats() remote.Stats { return c.server.Stats() }

// Version returns the version of the server's weights, or an older one: see
// [remote.Config].
func (c *VLLM) Version(ctx context.Context) int32 { return c.server.Version(ctx) }

// CloseIdle closes the idle connections.
func (c *VLLM) CloseIdle() { c.server.CloseIdle() }

// Generate implements [policy.Generator]. The error is a [*remote.Error], or the cause of
// ctx. The n of a greedy request must be 1: vLLM refuses others.
func (c *VLLM) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	if err := policy.CheckPrompt(p); err != nil {
		return nil, fmt.Errorf("vllm: %w", err)
	}
	q := vllmQuery{prompt: p, config: &c.cfg, believes: c.server.Believes}
	call, err := q.call()
	if err != nil {
		return nil, fmt.Errorf("vllm: %w", err)
	}
	err = c.server.Ask(ctx, call)
	switch {
	case err != nil && ctx.Err() != nil:
		return q.cut(), context.Cause(ctx)
	case err != nil:
		if outputs := q.cut(); p.Sampled != nil && isBroken(err) && len(outputs) == p.N { // they may be shown already
			return outputs, nil
		}
		return nil, c.disabled(err)
	}
	return q.outputs, nil
}

// isBroken reports whether the server went away in the middle of an answer.
func isBroken(err error) bool {
	fault, ok := errors.AsType[*remote.Error](err)
	return ok && (fault.Kind == remote.Unreachable || fault.Kind == remote.ServerFailed)
}

// disabled returns err, with advice if the native route is switched off.
func (c *VLLM) disabled(err error) error {
	if fault, ok := errors.AsType[*remote.Error](err); ok && c.cfg.Native && fault.Status == http.StatusForbidden {
		fault.Remedy = "vLLM 0.32 has this route if it runs with --enable-scale-out; is the API key right?"
	}
	return err
}

// vllmMissing is the advice if the server lacks the route.
const vllmMissing = "is the model's name right, and is this the address of vLLM's server?"

// vllmSampling returns s as fields of a request. Zero turns each off, whatever the model's
// generation_config.json says.
func vllmSampling(s quintain.Sampling, n int) map[string]any {
	fields := map[string]any{"n": n, "temperature": s.Temperature, "top_p": 1.0, "top_k": s.TopK, "min_p": 0.0, "max_tokens": nil}
	if s.TopP > 0 {
		fields["top_p"] = s.TopP
	}
	if s.MaxTokens > 0 {
		fields["max_tokens"] = s.MaxTokens
	}
	return fields
}

// vllmFinish reads a finish_reason.
func vllmFinish(reason string) (quintain.Finish, *remote.Error) {
	if reason == "error" {
		return "", &remote.Error{Kind: remote.ServerFailed, Err: errors.New(`finish_reason is "error"`)}
	}
	f, err := policy.ParseFinish(reason)
	if err != nil {
		return "", remote.Nonsensef("%w", err)
	}
	return f, nil
}
