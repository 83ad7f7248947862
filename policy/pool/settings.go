package pool

import (
	"errors"

	"github.com/quintain-rl/quintain/settings"
)

// Settings are the user's part of a [Config].
type Settings struct {
	URLs        []string
	File        string
	MaxInFlight int // 0: as many as the caller has
	Control     bool
}

// Defaults returns the default settings.
func Defaults() Settings { return Settings{Control: true} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Texts(&s.URLs, "url", "address of the server, such as http://127.0.0.1:8001; of the kind openai the base of its API, which ends with /v1; may be given several times, for servers of one model")
	d.Text(&s.File, "urls_file", "file with addresses of servers, one a line, which is watched: servers may come and go")
	d.Int(&s.MaxInFlight, "max_in_flight", "samples that all servers together are asked for at once; 0: as many as run.parallel").AtLeast(0)
	d.Bool(&s.Control, "control", "ask vLLM and SGLang for as many samples at once as their caches hold, by what they say of themselves")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if len(s.URLs) == 0 && s.File == "" {
		return errors.New("url: is missing; want the server's address, such as http://127.0.0.1:8001/v1 (--url), or a file of addresses (--urls-file)")
	}
	return nil
}

// Addresses are those of the settings, each once, with those that the file has now.
func (s *Settings) Addresses() ([]string, error) {
	urls, err := addresses(s.URLs, s.File)
	if err == nil && len(urls) == 0 {
		err = errors.New("urls_file: has no address of a server")
	}
	return urls, err
}
