package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A LlamaCPP is a [policy.Generator]. Many goroutines may use it at once.
type LlamaCPP struct{ server *remote.Server }

// NewLlamaCPP returns a client for a server, without contacting it. The URL may end with /v1. The
// error names the invalid setting.
func NewLlamaCPP(cfg remote.Config) (*LlamaCPP, error) {
	cfg.URL = remote.Root(cfg.URL)
	server, err := remote.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	return &LlamaCPP{server}, nil
}

// Can implements [policy.Generator].
func (c *LlamaCPP) Can() policy.Abilities {
	return policy.Abilities{TokensIn: true, TokensOut: true, LogProbs: true, Schema: true}
}

// Stats returns the counts so far.
func (c *LlamaCPP) Stats() remote.Stats { return c.server.Stats() }

// Version returns the version of the server's weights, or an older one: see
// [remote.Config].
func (c *LlamaCPP) Version(ctx context.Context) int32 { return c.server.Version(ctx) }

// CloseIdle closes the idle connections.
func (c *LlamaCPP) CloseIdle() { c.server.CloseIdle() }

// A llamaRequest is a request's body. Samplers that it does not name are off.
type llamaRequest struct {
	Prompt       []quintain.Token `json:"prompt"`
	MaxTokens    int              `json:"n_predict"` // -1: up to the end of the context
	Temperature  float64          `json:"temperature"`
	TopP         float64          `json:"top_p"`
	TopK         int              `json:"top_k"` // 0: all
	MinP         float64          `json:"min_p"`
	Samplers     []string         `json:"samplers"`
	Probs        int              `json:"n_probs"`
	ReturnTokens bool             `json:"return_tokens"`
	CachePrompt  bool             `json:"cache_prompt"`
	Schema       json.RawMessage  `json:"json_schema,omitempty"`
}

func requestOf(p policy.Prompt) llamaRequest {
	s := p.Sampling
	r := llamaRequest{
		Prompt: p.Tokens, MaxTokens: -1, Temperature: s.Temperature, TopP: 1, TopK: s.TopK,
		Samplers: []string{"top_k", "top_p", "temperature"}, Probs: 1, ReturnTokens: true, CachePrompt: true, Schema: p.Schema,
	}
	if s.MaxTokens > 0 {
		r.MaxTokens = s.MaxTokens
	}
	if s.TopP > 0 {
		r.TopP = s.TopP
	}
	return r
}

// Generate implements [policy.Generator]; p.N must be 1. The error is a [*remote.Error],
// or the cause of ctx.
func (c *LlamaCPP) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	if err := policy.CheckPrompt(p); err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	if p.N != 1 {
		return nil, fmt.Errorf("llamacpp: request for %s, want 1", stats.Count(p.N, "sample"))
	}
	body, err := json.Marshal(requestOf(p))
	if err != nil {
		return nil, fmt.Errorf("llamacpp: body of the request: %w", err)
	}
	var output policy.Output
	var version int32
	err = c.server.Ask(ctx, remote.Call{
		Path: "completion", Body: body, Guided: len(p.Schema) > 0, Missing: "is this the address of llama.cpp's server?",
		Begin: func(told int32) { version = told },
		Read: func(body []byte) (fault *remote.Error) {
			output, fault = read(p, body)
			output.Versions = slices.Repeat([]int32{version}, len(output.Tokens))
			return fault
		},
	})
	if err != nil {
		return nil, err
	}
	return []policy.Output{output}, nil
}

// A llamaReply is an answer of the server.
type llamaReply struct {
	Tokens       []quintain.Token `json:"tokens"`
	StopType     string           `json:"stop_type"`
	PromptTokens int              `json:"tokens_evaluated"`
	Sampled      int              `json:"tokens_predicted"`
	Probs        []struct {
		ID      quintain.Token `json:"id"`
		LogProb *float64       `json:"logprob"`
	} `json:"completion_probabilities"`
}

// read reads a whole answer to p.
func read(p policy.Prompt, body []byte) (o policy.Output, fault *remote.Error) {
	var r llamaReply
	if fault := remote.Decode(body, &r); fault != nil {
		return o, fault
	}
	switch {
	case len(r.Tokens) == 0 && r.StopType != "none":
		return o, &remote.Error{Kind: remote.Unsupported, Err: fmt.Errorf("the answer has no tokens"),
			Remedy: "return_tokens needs a build of llama.cpp of December 2024 or newer"}
	case r.PromptTokens != len(p.Tokens):
		return o, remote.Nonsensef("the answer is to a prompt of %d tokens, sent %d", r.PromptTokens, len(p.Tokens))
	case r.Sampled != len(r.Tokens):
		return o, remote.Nonsensef("%s, but %d were sampled", stats.Count(len(r.Tokens), "token"), r.Sampled)
	case len(r.Probs) > len(r.Tokens):
		return o, remote.Nonsensef("%s for %s", stats.Count(len(r.Probs), "log-probability"), stats.Count(len(r.Tokens), "token"))
	}
	switch r.StopType {
	case "eos", "word":
		o.Finish = quintain.Stop
	case "limit":
		o.Finish = quintain.Length
	default:
		return o, remote.Nonsensef("stop_type is %.40q, want eos, word or limit", r.StopType)
	}
	o.Tokens = r.Tokens
	if o.LogProbs, fault = r.logProbs(); fault != nil {
		return o, fault
	}
	if err := policy.CheckOutput(p, o); err != nil {
		return o, remote.Nonsensef("%w", err)
	}
	return o, nil
}

// logProbs returns the log-probabilities of all tokens, or nil if the server left some out.
func (r *llamaReply) logProbs() ([]float32, *remote.Error) {
	probs := make([]float32, len(r.Probs))
	at := 0
	for i, e := range r.Probs {
		n := slices.Index(r.Tokens[at:], e.ID)
		if n < 0 {
			return nil, remote.Nonsensef("log-probability %d is of token %d, which was not sampled", i, e.ID)
		}
		at += n + 1
		var err error
		if probs[i], err = policy.LogProb(e.LogProb); err != nil {
			return nil, remote.Nonsensef("log-probability of token %d %w", i, err)
		}
	}
	if len(probs) < len(r.Tokens) {
		return nil, nil
	}
	return probs, nil
}
