package pool

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings is the user's part of a [Config].
type Settings struct {
	URLs        []string
	File        string
	MaxInFlight int // 0: the caller decides
	Control     bool
}

// Defaults returns the default settings.
func Defaults() Settings { return Settings{Control: true} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Texts(&s.URLs, "url", "address of the server, such as http://127.0.0.1:8001; for kind openai the base URL of its API, which ends with /v1; may be given several times, for servers of one model").Flag("url")
	d.Text(&s.File, "urls_file", "file of server addresses, one per line; it is watched: servers may come and go")
	d.Int(&s.MaxInFlight, "max_in_flight", "most samples in flight on all servers together; 0: as many as run.parallel").AtLeast(0)
	d.Bool(&s.Control, "control", "fit the samples in flight on vLLM and SGLang to their reported cache use")
}

// ErrNoURL says that no server is named.
var ErrNoURL = errors.New("url: is missing; want the server's address, such as http://127.0.0.1:8001/v1 (--url), or a file of addresses (policy.urls_file)")

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if len(s.URLs) == 0 && s.File == "" {
		return ErrNoURL
	}
	return nil
}

// Addresses returns the addresses of the settings and those now in the file, each once.
func (s *Settings) Addresses() ([]string, error) {
	urls, err := addresses(s.URLs, s.File)
	if err != nil {
		return nil, fmt.Errorf("urls_file: %w", err)
	}
	if len(urls) == 0 {
		return nil, errors.New("urls_file: has no server address")
	}
	return urls, nil
}
