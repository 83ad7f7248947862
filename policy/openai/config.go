package openai

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Config says which server to use, and with what limits. The server's URL and Model are
// required; the zero value of every other field means a sensible default.
type Config struct {
	Server remote.Config // its URL ends with /v1, as in "http://127.0.0.1:8000/v1"

	// Model is the name by which the server knows the model. With TokenIDs it is also
	// the vocabulary of the samples.
	Model string

	// TokenIDs asks the server for the exact tokens of prompt and reply (vLLM 0.10.2 or
	// newer, recent SGLang and LMDeploy). Without it the tokens of samples are bytes.
	TokenIDs bool

	// OneByOne asks for each sample by a request of its own. A server that returns one
	// sample, whatever n is, is asked so without it.
	OneByOne bool

	// NoLogProbs omits the request for log-probabilities, which some servers refuse.
	NoLogProbs bool

	// Prompt makes a text of a conversation, for the server to continue by text
	// completions; nil: it gets the messages, by chat completions. The error ends the
	// request. Many goroutines may call it at once.
	Prompt func(talk []quintain.Message) (string, error)

	// ExtraBody is added to the body of every request. It must not contain fields that
	// the client sets itself, nor "stream", nor "seed", which would make all samples of
	// a group equal. A "top_k" applies to requests without one. For settings that a
	// request leaves out, vLLM and SGLang fall back on the model's
	// generation_config.json; {"top_k": -1} prevents that, as does --generation-config
	// vllm on vLLM's command line.
	ExtraBody map[string]any
}

// check reports the first field of its own that is invalid.
func (c Config) check() error {
	if c.Model == "" {
		return errors.New("model is empty, want the name by which the server knows it")
	}
	for _, name := range []string{
		"model", "messages", "prompt", "n", "temperature", "top_p", "max_tokens", "logprobs",
		"return_token_ids", "stream", "seed",
	} {
		if _, found := c.ExtraBody[name]; found {
			return fmt.Errorf("extra body contains %q, which cannot be set there", name)
		}
	}
	if _, err := jsonform.Marshal(c.ExtraBody); err != nil {
		return fmt.Errorf("extra body: %w", err)
	}
	return nil
}
