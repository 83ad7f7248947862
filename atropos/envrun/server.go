package envrun

import (
	"cmp"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/atropos/environment"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// Server is the settings of the inference servers. Files name the tokenizer; if they do not,
// it is the one of the settings: a folder, a file, or the name of a model that is in the
// cache of Hugging Face, which is found by the variables of getenv. Without a tokenizer the
// servers are asked by chat completions.
func Server(of *environment.Settings, files exact.Files, getenv func(string) string) (server.Settings, error) {
	s, first := server.Defaults(), of.Servers[0]
	if first.ServerType != environment.OpenAI {
		s.Kind = probe.Kind(first.ServerType)
	}
	s.Pool.URLs, s.Pool.MaxInFlight = of.Servers.URLs(), of.Servers.Requests()*of.Env.GroupSize
	s.Chat.APIKey, s.Chat.Timeout = first.APIKey, seconds(first.Timeout)
	if first.ModelName != environment.AnyModel {
		s.Chat.Model = first.ModelName
	}
	s.Files = files
	if files.Tokenizer != "" {
		return s, nil
	}
	name := of.Env.TokenizerName
	if first.Tokenizer != "" && first.Tokenizer != environment.NoTokenizer {
		name = first.Tokenizer
	}
	if name == "" || name == environment.NoTokenizer {
		s.Kind, s.Chat.Model = probe.OpenAI, cmp.Or(s.Chat.Model, environment.AnyModel)
		return s, nil
	}
	s.Files.Tokenizer = name
	if _, err := os.Stat(name); err == nil {
		return s, nil
	}
	var err error
	if s.Files.Tokenizer, err = tokenizer.InHubCache(tokenizer.HubCache(getenv), name); err != nil {
		return s, fmt.Errorf("env.tokenizer_name: %w (--tokenizer FOLDER)", err)
	}
	return s, nil
}
