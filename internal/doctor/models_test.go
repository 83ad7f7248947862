package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

func TestModels(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bytes := make([]string, 256)
	for b := range bytes {
		bytes[b] = fmt.Sprint("t", b)
	}
	named := func(pre string) string {
		return string(gguf.Append(nil, []gguf.Key{
			{Name: "tokenizer.ggml.model", Value: "gpt2"}, {Name: "tokenizer.ggml.pre", Value: pre}, {Name: "tokenizer.ggml.tokens", Value: bytes},
			{Name: "tokenizer.ggml.token_type", Value: make([]int32, 256)}, {Name: "tokenizer.ggml.merges", Value: []string{}},
		}, nil))
	}
	const json = `{"version":"1.0","model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`
	for path, text := range map[string]string{
		".cache/huggingface/hub/models--a--b/snapshots/1/model-1.safetensors": strings.Repeat("x", 1<<20), ".cache/huggingface/hub/models--a--b/snapshots/1/model-2.safetensors": strings.Repeat("x", 1<<20),
		".cache/huggingface/hub/models--a--b/snapshots/1/tokenizer.json": json, ".cache/huggingface/hub/models--a--c/snapshots/1/tokenizer.json": json,
		".cache/llama.cpp/m.gguf": named("viking"), ".lmstudio/models/p/q/m.gguf": named("qwen2"), "o/blobs/sha256-1": named("smollm"), "o/blobs/sha256-2": "{}",
	} {
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": home, "OLLAMA_MODELS": filepath.Join(home, "o")}
	var got []string
	for _, f := range models(func(name string) string { return env[name] }) {
		got = append(got, strings.ReplaceAll(f.Found, home, "~"))
	}
	for i, want := range []string{
		"~/.cache/huggingface/hub/models--a--b/snapshots/1: 2 MiB; --tokenizer reads", "~/.cache/llama.cpp/m.gguf: 0 MiB; its tokenizer is not read: ",
		"~/.lmstudio/models/p/q/m.gguf: 0 MiB; --tokenizer reads", "~/o/blobs/sha256-1: 0 MiB; --tokenizer reads",
	} {
		if len(got) != 4 || !strings.HasPrefix(got[i], filepath.FromSlash(want)) {
			t.Fatalf("found\n%s\nwant 4, and %d to be %s", strings.Join(got, "\n"), i, want)
		}
	}
	if f := tokenizerFile(filepath.Join(home, "o", "blobs", "sha256-1")); f.Level != OK || !strings.HasSuffix(f.Found, ": 256 tokens") {
		t.Errorf("tokenizer: %+v", f)
	}
	if f := tokenizerFile(filepath.Join(home, ".cache", "llama.cpp", "m.gguf")); f.Level != Fail || !strings.Contains(f.Found, "tokenizer.ggml.pre") {
		t.Errorf("tokenizer: %+v", f)
	}
}
