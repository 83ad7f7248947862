package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny/gguf"
)

// tokenizerFile examines a tokenizer.json, a folder with one, or a GGUF file.
func tokenizerFile(path string) Finding {
	t, err := tokenizer.Load(path, "")
	if err != nil {
		return ok("tokenizer", "%v", err).as(Fail, "name the model's folder, its tokenizer.json, or its GGUF file; docs/tokenizer.md says which are read")
	}
	return ok("tokenizer", "%s: %s", path, stats.Count(t.Size(), "token"))
}

// maxModels is how many models are told.
const maxModels = 20

// models tells the models that other programs keep on this machine.
func models(getenv func(string) string) (found []Finding) {
	paths := modelPaths(getenv)
	for i, path := range paths {
		if i == maxModels {
			return append(found, ok("model", "and %d more", len(paths)-maxModels))
		}
		read := "--tokenizer reads its tokenizer"
		if _, err := tokenizer.Load(path, ""); err != nil {
			read = fmt.Sprintf("its tokenizer is not read: %v", err)
		}
		found = append(found, ok("model", "%s: %s; %s", path, size(modelSize(path)), read))
	}
	return found
}

// modelPaths lists the GGUF files, and the folders with weights, in the places where Hugging Face's programs, llama.cpp, LM
// Studio and Ollama keep theirs.
func modelPaths(getenv func(string) string) (paths []string) {
	home := getenv("HOME")
	for _, pattern := range []string{
		filepath.Join(tokenizer.HubCache(getenv), "models--*", "snapshots", "*", "*.gguf"),
		filepath.Join(tokenizer.HubCache(getenv), "models--*", "snapshots", "*", "model*.safetensors"),
		filepath.Join(cmp.Or(getenv("LLAMA_CACHE"), filepath.Join(home, ".cache", "llama.cpp")), "*.gguf"),
		filepath.Join(home, ".lmstudio", "models", "*", "*", "*.gguf"),
		filepath.Join(cmp.Or(getenv("OLLAMA_MODELS"), filepath.Join(home, ".ollama", "models")), "blobs", "sha256-*"),
	} {
		list, _ := filepath.Glob(pattern) // else a folder has a bracket in its name
		for _, path := range list {
			if filepath.Ext(path) == ".safetensors" {
				path = filepath.Dir(path)
			} else if !gguf.Is(path) {
				continue // some other blob
			}
			paths = append(paths, path)
		}
	}
	return slices.Compact(paths)
}

// modelSize returns the size of a file, or of the weights in a folder.
func modelSize(path string) (bytes int64) {
	files, _ := filepath.Glob(filepath.Join(path, "model*.safetensors")) // none in a file
	if len(files) == 0 {
		files = []string{path}
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
