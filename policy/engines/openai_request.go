package engines

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// A query is one request to the server, with everything needed to read the answer.
type query struct {
	quintain.Request

	config  *OpenAIConfig
	n       int   // samples requested; the N of Request sums all queries
	version int32 // of the weights when it was sent

	rendered []quintain.Token // the prompt's tokens, if the server does not report them
}

// body returns the JSON of a request for n samples, and its route.
func (c *OpenAI) body(r quintain.Request, n int) (path string, body []byte, err error) {
	fields := maps.Clone(c.cfg.ExtraBody)
	if fields == nil {
		fields = map[string]any{}
	}
	fields["model"] = c.cfg.Model
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
	path = "chat/completions"
	if c.cfg.Prompt == nil {
		fields["messages"], fields["logprobs"] = r.Messages, true
		if len(r.Tools) > 0 {
			fields["tools"] = r.Tools
		}
		guide(fields, r)
	} else if path, err = "completions", c.addPrompt(fields, r); err != nil {
		return "", nil, err
	}
	if c.cfg.NoLogProbs {
		delete(fields, "logprobs")
	}
	if c.cfg.TokenIDs {
		fields["return_token_ids"] = true
	}
	if body, err = json.Marshal(fields); err != nil {
		return "", nil, fmt.Errorf("body of the request: %w", err)
	}
	return path, body, nil
}

// guide adds the fields of a reply that keeps to a schema, or calls a tool.
func guide(fields map[string]any, r quintain.Request) {
	if len(r.Schema) > 0 {
		fields["response_format"] = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "reply", "strict": true, "schema": r.Schema},
		}
	}
	switch r.ToolChoice {
	case "":
	case "required":
		fields["tool_choice"] = r.ToolChoice
	default:
		fields["tool_choice"] = map[string]any{"type": "function", "function": map[string]any{"name": r.ToolChoice}}
	}
}

// addPrompt adds the fields of a text completion. Without max_tokens, text completions end
// after 16 tokens; null means no limit to most servers. With logprobs 0, llama.cpp reports
// nothing at all.
func (c *OpenAI) addPrompt(fields map[string]any, r quintain.Request) (err error) {
	if err := policy.CheckText(r); err != nil {
		return err
	}
	if fields["prompt"], err = c.cfg.Prompt(r); err != nil {
		return err
	}
	fields["logprobs"] = 1
	if r.Sampling.MaxTokens == 0 {
		fields["max_tokens"] = nil
	}
	return nil
}
