package engines

import (
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/remote"
)

// The forms of completions.
const (
	Chat = "chat" // the server gets messages, and renders them
	Text = "text" // the server gets a text, rendered here, and continues it
)

// OpenAISettings is the user's part of a [OpenAIConfig].
type OpenAISettings struct {
	Model    string
	Form     string // Chat or Text; empty: Chat. With Text, the caller sets Config.Prompt
	KeyFile  string // file with the API key; empty: APIKey applies
	APIKey   string // not a setting; empty: none
	TokenIDs bool
	Extra    map[string]any
	Timeout  time.Duration
	Retries  int // 0: no retries
}

// OpenAIDefaults returns the default settings.
func OpenAIDefaults() OpenAISettings {
	return OpenAISettings{Form: Chat, Timeout: time.Hour, Retries: 9}
}

// Declare implements [settings.Declarer].
func (s *OpenAISettings) Declare(d *settings.Section) {
	d.Text(&s.Model, "model", "the server's name for the model; none: its first model, except for kind openai").Flag("model")
	d.Text(&s.Form, "completions", "prompts for servers without token IDs: messages, or a text to continue").OneOf(Chat, Text)
	d.Text(&s.KeyFile, "key_file", "file with the API key")
	d.Bool(&s.TokenIDs, "token_ids", "ask for exact tokens in chat completions (vLLM 0.10.2 or newer, SGLang)")
	d.Object(&s.Extra, "extra_body", "object added to the JSON body of every request")
	d.Duration(&s.Timeout, "timeout", "time limit of one request to the server").AtLeast(0)
	d.Int(&s.Retries, "retries", "retries of a request after temporary faults").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *OpenAISettings) Check() error {
	if s.Model == "" {
		return errors.New("model: is missing; want the server's name for the model (--model)")
	}
	return nil
}

// OpenAIConfig returns a client's config with the key from the key file, but without a URL.
func (s *OpenAISettings) Config() (OpenAIConfig, error) {
	c := OpenAIConfig{
		Server: remote.Config{APIKey: s.APIKey, Timeout: s.Timeout, Retries: s.Retries},
		Model:  s.Model, TokenIDs: s.TokenIDs, ExtraBody: s.Extra,
	}
	if c.Server.Retries == 0 {
		c.Server.Retries = -1 // 0 would mean the default
	}
	if s.KeyFile == "" {
		return c, nil
	}
	var err error
	if c.Server.APIKey, err = remote.ReadKey(s.KeyFile); err != nil {
		return c, fmt.Errorf("key_file: %w", err)
	}
	return c, nil
}
