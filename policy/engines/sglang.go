package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A SGLang is a [policy.Generator] and a [policy.Scorer]. Many goroutines may use it at
// once.
type SGLang struct{ server *remote.Server }

// NewSGLang returns a client for a server, without contacting it. The URL may end with /v1. An
// empty VersionPath means "get_model_info". The error names the invalid setting.
func NewSGLang(cfg remote.Config) (*SGLang, error) {
	cfg.URL = remote.Root(cfg.URL)
	if cfg.VersionPath == "" {
		cfg.VersionPath = "get_model_info"
	}
	server, err := remote.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("sglang: %w", err)
	}
	return &SGLang{server}, nil
}

// Can implements [policy.Generator].
func (c *SGLang) Can() policy.Abilities {
	return policy.Abilities{TokensIn: true, TokensOut: true, LogProbs: true, Interrupt: true, Versions: true, Score: true, Stop: true, Schema: true}
}

// Stats returns the counts so far.
func (c *SGLang) Stats() remote.Stats { return c.server.Stats() }

// Version returns the version of the server's weights, or an older one: see
// [remote.Config].
func (c *SGLang) Version(ctx context.Context) int32 { return c.server.Version(ctx) }

// CloseIdle closes the idle connections.
func (c *SGLang) CloseIdle() { c.server.CloseIdle() }

// A sglangRequest is a request's body.
type sglangRequest struct {
	ID            string           `json:"rid"`
	InputIDs      []quintain.Token `json:"input_ids"`
	Sampling      sampling         `json:"sampling_params"`
	ReturnLogProb bool             `json:"return_logprob"`
	LogProbStart  int              `json:"logprob_start_len"` // -1: none of the prompt
	Top           int              `json:"top_logprobs_num,omitempty"`
}

// sampling sets everything that the model's generation_config.json might override.
type sampling struct {
	MaxNewTokens *int    `json:"max_new_tokens"` // null: up to the end of the context
	Temperature  float64 `json:"temperature"`
	TopP         float64 `json:"top_p"`
	TopK         int     `json:"top_k"` // -1: all
	MinP         float64 `json:"min_p"`

	Stop       []string `json:"stop,omitempty"`
	NoStopTrim bool     `json:"no_stop_trim,omitempty"` // keeps the stop text
	Schema     string   `json:"json_schema,omitempty"`
}

// Generate implements [policy.Generator]; p.N must be 1. The error is a [*remote.Error],
// or the cause of ctx.
func (c *SGLang) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	if err := policy.CheckPrompt(p); err != nil {
		return nil, fmt.Errorf("sglang: %w", err)
	}
	if p.N != 1 {
		return nil, fmt.Errorf("sglang: request for %s, want 1", stats.Count(p.N, "sample"))
	}
	q := sglangQuery{prompt: p, believes: c.server.Believes, request: sglangRequest{
		ID: newID(), InputIDs: p.Tokens, ReturnLogProb: true, LogProbStart: -1, Sampling: sglangSampling(p),
	}}
	if err := c.ask(ctx, &q); err != nil {
		return nil, err
	}
	if q.output.Finish == quintain.Aborted && ctx.Err() != nil {
		return []policy.Output{q.output}, context.Cause(ctx)
	}
	return []policy.Output{q.output}, nil
}

// ask makes the request of q.
func (c *SGLang) ask(ctx context.Context, q *sglangQuery) error {
	body, err := json.Marshal(q.request)
	if err != nil {
		return fmt.Errorf("sglang: body of the request: %w", err)
	}
	return c.server.Ask(ctx, remote.Call{
		Path: "generate", Body: body, Guided: len(q.prompt.Schema) > 0, Missing: "is this the address of SGLang's server?",
		Begin: func(version int32) { q.version = version },
		Read:  q.read,
		Abort: func() { c.abort(context.WithoutCancel(ctx), q.request.ID) },
	})
}

// abort aborts a request on the server.
func (c *SGLang) abort(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, remote.Grace)
	defer cancel()
	_, _ = c.server.Post(ctx, "abort_request", fmt.Appendf(nil, `{"rid":%q}`, id)) // on failure the connection closes
}

func newID() string { return fmt.Sprintf("quintain-%016x", rand.Uint64()) }

func sglangSampling(p policy.Prompt) sampling {
	s := p.Sampling
	to := sampling{Temperature: s.Temperature, TopP: 1, TopK: -1, Stop: p.Stop, NoStopTrim: len(p.Stop) > 0, Schema: string(p.Schema)}
	if s.MaxTokens > 0 {
		to.MaxNewTokens = &s.MaxTokens
	}
	if s.TopP > 0 {
		to.TopP = s.TopP
	}
	if s.TopK > 0 {
		to.TopK = s.TopK
	}
	return to
}
