package engines

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A OpenAIConfig names a server and its limits. The server's URL and Model are required; the zero
// value of every other field is a sensible default.
type OpenAIConfig struct {
	Server remote.Config // the URL ends with /v1, as in "http://127.0.0.1:8000/v1"

	// Model is the server's name for the model. With TokenIDs it is also the samples'
	// vocabulary.
	Model string

	// TokenIDs asks the server for the exact tokens of prompt and reply (vLLM 0.10.2 or
	// newer, recent SGLang and LMDeploy). Without it, samples have bytes as tokens.
	TokenIDs bool

	// OneByOne sends one request per sample. The client turns to it by itself once a server
	// returns one sample for n.
	OneByOne bool

	// NoLogProbs requests no log-probabilities, because some servers refuse them.
	NoLogProbs bool

	// Prompt renders a conversation as text for the server to continue by text completions;
	// nil: the server gets messages, by chat completions. The error ends the request. Many
	// goroutines may call it at once.
	Prompt func(r quintain.Request) (string, error)

	// Calls is the form of the tool calls in text completions; nil: none are read.
	Calls *toolcall.Format

	// ExtraBody is added to the body of every request. It must not contain fields that the
	// client sets itself, nor "stream", nor "seed", which would make all samples of a group
	// equal. A "top_k" applies to requests without one. For settings missing from a
	// request, vLLM and SGLang fall back on the model's generation_config.json; {"top_k":
	// -1} prevents that, as does vLLM's --generation-config vllm.
	ExtraBody map[string]any
}

// check reports the first invalid field of its own.
func (c OpenAIConfig) check() error {
	if c.Model == "" {
		return errors.New("model is empty, want the server's name for the model")
	}
	for _, name := range []string{
		"model", "messages", "prompt", "n", "temperature", "top_p", "max_tokens", "logprobs",
		"return_token_ids", "stream", "seed",
	} {
		if _, found := c.ExtraBody[name]; found {
			return fmt.Errorf("extra body contains %q, which cannot be set there", name)
		}
	}
	if _, err := json.Marshal(c.ExtraBody); err != nil {
		return fmt.Errorf("extra body: %w", err)
	}
	return nil
}
