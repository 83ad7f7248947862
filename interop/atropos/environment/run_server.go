package environment

import (
	"cmp"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// ServerOf returns the settings of the inference servers. If files name no tokenizer, it is
// the one of the settings: a folder, a file, or the name of a model in the cache of Hugging
// Face, located by the variables of getenv. Without a tokenizer, the servers play by chat
// completions.
func ServerOf(of *Settings, files exact.Files, getenv func(string) string) (server.Settings, error) {
	s, first := server.Defaults(), of.Servers[0]
	if first.ServerType != OpenAI {
		s.Kind = engines.Kind(first.ServerType)
	}
	s.Pool.URLs, s.Pool.MaxInFlight = of.Servers.URLs(), of.Servers.Requests()*of.Env.GroupSize
	s.Chat.APIKey, s.Chat.Timeout = first.APIKey, seconds(first.Timeout)
	if first.ModelName != AnyModel {
		s.Chat.Model = first.ModelName
	}
	s.Files = files
	if files.Tokenizer != "" {
		return s, nil
	}
	name := of.Env.TokenizerName
	if first.Tokenizer != "" && first.Tokenizer != NoTokenizer {
		name = first.Tokenizer
	}
	if name == "" || name == NoTokenizer {
		s.Kind, s.Chat.Model = engines.KindOpenAI, cmp.Or(s.Chat.Model, AnyModel)
		return s, nil
	}
	s.Files.Tokenizer = name
	_, err := os.Stat(name)
	if err != nil {
		s.Files.Tokenizer, err = tokenizer.InHubCache(tokenizer.HubCache(getenv), name)
	}
	if err != nil {
		return s, fmt.Errorf("env.tokenizer_name: %w (--tokenizer FOLDER)", err)
	}
	return s, nil
}
