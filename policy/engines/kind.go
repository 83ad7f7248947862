package engines

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Kind is a kind of server.
type Kind string

// The kinds.
const (
	KindVLLM       Kind = "vllm"
	KindVLLMNative Kind = "vllm-native" // vLLM by /inference/v1/generate; see [VLLMConfig]
	KindSGLang     Kind = "sglang"
	KindLlamaCpp   Kind = "llamacpp"
	KindOpenAI     Kind = "openai" // it speaks chat completions, or text completions; nothing else is known of it
)

// Traits are the ways of a kind of server.
type Traits struct {
	Kind Kind

	// Client returns its client by tokens; nil: it takes none.
	Client func(cfg remote.Config, model string) (pool.Tokens, error)

	// Partial: it reports log-probabilities, but none of a token that ends within a character.
	Partial bool

	// OneByOne: the samples of one request may have log-probabilities that are not the model's.
	OneByOne bool

	// Tokenize returns the body of the request that has it tokenize a text.
	Tokenize func(model, text string) map[string]any

	found finding // nil: that a server is of the kind is not found out
}

// A finding asks a server for what only its kind answers, and returns the version that it says.
// Owner is who its first model is of. What ask gets from a path is added to info.
type finding func(owner string, ask func(path string) bool, info *info) (version string, found bool)

// info is what servers say of themselves.
type info struct {
	Version  string          `json:"version"`
	Model    string          `json:"model_path"`
	Weights  json.RawMessage `json:"weight_version"`
	Build    string          `json:"build_info"`
	Settings json.RawMessage `json:"default_generation_settings"`
}

// kinds lists all kinds. They are tried in this order.
func kinds() []Traits {
	return []Traits{
		{Kind: KindVLLM, Client: vLLM(false), Tokenize: tokenize, found: isVLLM},
		{Kind: KindVLLMNative, Client: vLLM(true), Tokenize: tokenize},
		{Kind: KindSGLang, Client: sGLang, Tokenize: tokenize, found: isSGLang},
		{
			Kind: KindLlamaCpp, Client: llamaCpp, Tokenize: tokenizeContent, found: isLlamaCpp, Partial: true,
			OneByOne: true, // conformance/servers.py has found them off by up to 0.6
		},
		{Kind: KindOpenAI, Tokenize: tokenize},
	}
}

// Kinds lists all kinds.
func Kinds() (list []Kind) {
	for _, k := range kinds() {
		list = append(list, k.Kind)
	}
	return list
}

// Traits returns the ways of k, a kind of [Kinds]; of any other, those of [KindOpenAI].
func (k Kind) Traits() (t Traits) {
	for _, t = range kinds() {
		if t.Kind == k {
			break
		}
	}
	return t
}

// Generator returns the client of a server of a kind, which must take tokens. The error
// names the setting that is invalid.
func Generator(kind Kind, cfg remote.Config, model string) (pool.Tokens, error) {
	var want []string
	for _, k := range kinds() {
		if k.Kind == kind && k.Client != nil {
			return k.Client(cfg, model)
		}
		if k.found != nil {
			want = append(want, string(k.Kind))
		}
	}
	last := len(want) - 1
	return nil, fmt.Errorf("a server of kind %q takes no tokens, want %s or %s", kind, strings.Join(want[:last], ", "), want[last])
}

// vLLM returns the clients of vLLM, by its native route or by completions.
func vLLM(native bool) func(cfg remote.Config, model string) (pool.Tokens, error) {
	return func(cfg remote.Config, model string) (pool.Tokens, error) {
		return NewVLLM(VLLMConfig{Server: cfg, Model: model, Native: native})
	}
}

func sGLang(cfg remote.Config, _ string) (pool.Tokens, error) { return NewSGLang(cfg) }

func llamaCpp(cfg remote.Config, _ string) (pool.Tokens, error) { return NewLlamaCPP(cfg) }

// tokenize is the request of vLLM and SGLang.
func tokenize(model, text string) map[string]any {
	return map[string]any{"model": model, "prompt": text, "add_special_tokens": false}
}

// tokenizeContent is the request of llama.cpp.
func tokenizeContent(_, text string) map[string]any {
	return map[string]any{"content": text, "add_special": false, "parse_special": true}
}

func isVLLM(owner string, ask func(path string) bool, i *info) (version string, found bool) {
	if owner != "vllm" || !ask("version") || i.Version == "" {
		return "", false
	}
	version = i.Version
	ask("weight_info")
	return version, true
}

func isSGLang(_ string, ask func(path string) bool, i *info) (version string, found bool) {
	if !ask("get_model_info") || i.Model == "" {
		return "", false
	}
	ask("server_info")
	return i.Version, true
}

func isLlamaCpp(_ string, ask func(path string) bool, i *info) (version string, found bool) {
	found = ask("props") && i.Settings != nil
	return i.Build, found
}
