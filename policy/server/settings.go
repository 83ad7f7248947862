package server

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/pool"
)

// Any is the kind of a server yet to be probed.
const Any engines.Kind = "server"

// Kinds lists the kinds for settings.
func Kinds() []engines.Kind { return append([]engines.Kind{Any}, engines.Kinds()...) }

// Settings says which server samples, and how it gets tokens.
type Settings struct {
	Kind  engines.Kind // one of Kinds; the caller's setting
	Pool  pool.Settings
	Chat  engines.OpenAISettings
	Files exact.Files
	Drift exact.Settings
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{Kind: Any, Pool: pool.Defaults(), Chat: engines.OpenAIDefaults(), Drift: exact.Defaults()}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	s.Pool.Declare(d)
	s.Chat.Declare(d)
	s.Files.Declare(d)
	s.Drift.Declare(d)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if err := s.Pool.Check(); err != nil {
		return err
	}
	text := s.Chat.Form == engines.Text
	switch {
	case text && s.Kind != Any && s.Kind != engines.KindOpenAI:
		return fmt.Errorf("completions: %s takes tokens; choose the kind server or openai (--policy) for completions", s.Kind)
	case text:
		if err := s.Files.CheckPrompt(); err != nil || s.Kind == Any {
			return err
		}
		return s.Chat.Check()
	case s.Kind == engines.KindOpenAI && s.Files.Tokenizer != "":
		return errors.New("tokenizer: the kind openai plays by completions, which take no tokens; choose the kind server (--policy server)")
	case s.Kind == engines.KindOpenAI:
		return s.Chat.Check()
	case s.Kind != Any && s.Files.Tokenizer == "":
		return fmt.Errorf("tokenizer: is missing; %s takes tokens: want the model's folder, its tokenizer.json or its GGUF file (--tokenizer), or the kind server", s.Kind)
	case s.Files.Tokenizer != "" && len(s.Chat.Extra) > 0:
		return errors.New("extra_body: is for completions only; leave it out, or the tokenizer")
	}
	return s.Files.Check()
}

// inFlight is how many requests are under way at once, of parallel samples or a teacher's scores:
// as many as the process may have connections for.
func (s *Settings) inFlight(scores bool, parallel int) int {
	n := web.FilesForCalls(cmp.Or(s.Pool.MaxInFlight, parallel, 1024))
	if scores {
		n = max(1, n/2)
	}
	return n
}

// Connections is how many connections a policy and its teacher, if there is one, have at most.
func (s *Settings) Connections(t *TeacherSettings, parallel int) int {
	n := s.inFlight(false, parallel)
	if len(t.URLs) > 0 {
		of := t.Server(*s)
		n += of.inFlight(true, parallel)
	}
	return n
}
