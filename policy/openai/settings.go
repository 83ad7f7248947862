package openai

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/settings"
)

// Settings are the user's part of a [Config].
type Settings struct {
	Model    string
	KeyFile  string // file with the API key; empty: APIKey is sent
	APIKey   string // no setting; empty: none is sent
	TokenIDs bool
	Extra    map[string]any
	Timeout  time.Duration
	Retries  int // 0: no retries
}

// Defaults returns the default settings.
func Defaults() Settings { return Settings{Timeout: time.Hour, Retries: 9} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Model, "model", "name by which the server knows the model; none: its first one, unless the kind is openai")
	d.Text(&s.KeyFile, "key_file", "file with the API key").Flag("policy-key-file")
	d.Bool(&s.TokenIDs, "token_ids", "ask for exact tokens in chat completions (vLLM 0.10.2 or newer, SGLang)")
	d.Object(&s.Extra, "extra_body", "object that is added to the JSON body of every request")
	d.Duration(&s.Timeout, "timeout", "time limit for one exchange with the server").AtLeast(0)
	d.Int(&s.Retries, "retries", "how often an exchange is retried after a temporary fault").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.Model == "" {
		return errors.New("model: is missing; want the name by which the server knows the model (--model)")
	}
	return nil
}

// Config returns the config of a client, without its URL, with the key from the key file.
func (s *Settings) Config() (Config, error) {
	c := Config{
		Server: remote.Config{APIKey: s.APIKey, Timeout: s.Timeout, Retries: s.Retries},
		Model:  s.Model, TokenIDs: s.TokenIDs, ExtraBody: s.Extra,
	}
	if c.Server.Retries == 0 {
		c.Server.Retries = -1 // 0 would mean the default
	}
	if s.KeyFile == "" {
		return c, nil
	}
	text, err := os.ReadFile(s.KeyFile)
	if err != nil {
		return c, fmt.Errorf("key_file: %w", err)
	}
	if c.Server.APIKey = strings.TrimSpace(string(text)); c.Server.APIKey == "" {
		return c, fmt.Errorf("key_file: %s is empty", s.KeyFile)
	}
	return c, nil
}
