package openai

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/quintain-rl/quintain"
)

// A query is one request to the server, with everything needed to read the answer.
type query struct {
	quintain.Request

	config  *Config
	n       int   // samples requested; the N of Request counts those of all queries
	version int32 // of the weights when it was sent

	rendered []quintain.Token // what the samples read, if the server does not report it
}

// body is the JSON of a request for n samples.
func (c *Client) body(r quintain.Request, n int) ([]byte, error) {
	fields := maps.Clone(c.cfg.ExtraBody)
	if fields == nil {
		fields = map[string]any{}
	}
	fields["model"] = c.cfg.Model
	fields["messages"] = r.Messages
	fields["n"] = n
	fields["temperature"] = r.Sampling.Temperature
	fields["top_p"] = r.Sampling.TopP
	if r.Sampling.TopP == 0 {
		fields["top_p"] = 1
	}
	if r.Sampling.TopK > 0 {
		fields["top_k"] = r.Sampling.TopK
	}
	if r.Sampling.MaxTokens > 0 {
		fields["max_tokens"] = r.Sampling.MaxTokens
	}
	if !c.cfg.NoLogProbs {
		fields["logprobs"] = true
	}
	if c.cfg.TokenIDs {
		fields["return_token_ids"] = true
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("body of the request: %w", err)
	}
	return body, nil
}
