package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHubCache(t *testing.T) {
	for _, test := range []struct {
		why  string
		env  map[string]string
		want string
	}{
		{"below the home folder", map[string]string{"HOME": "h"}, "h/.cache/huggingface/hub"},
		{"below HF_HOME", map[string]string{"HOME": "h", "HF_HOME": "x"}, "x/hub"},
		{"HF_HUB_CACHE", map[string]string{"HF_HOME": "x", "HF_HUB_CACHE": "y"}, "y"},
	} {
		if got := HubCache(func(name string) string { return test.env[name] }); got != filepath.FromSlash(test.want) {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestInHubCache(t *testing.T) {
	cache := t.TempDir()
	for path, text := range map[string]string{
		"models--org--main/refs/main": "b\n", "models--org--main/snapshots/a/tokenizer.json": "{}", "models--org--main/snapshots/b/tokenizer.json": "{}",
		"models--org--other/snapshots/c/tokenizer.json": "{}", "models--org--weights/snapshots/d/model.safetensors": "", "models--alone/snapshots/e/tokenizer.json": "{}",
	} {
		path = filepath.Join(cache, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ why, name, want, fault string }{
		{"the revision main", "org/main", "b", ""},
		{"any, if main is not known", "org/other", "c", ""},
		{"a model of no organisation", "alone", "e", ""},
		{"a model without a tokenizer", "org/weights", "", "hf download org/weights"},
		{"a missing model", "org/none", "", "is not in " + cache},
		{"a path", "org/../main", "", "neither a file"},
		{"a longer path", "a/b/c", "", "neither a file"},
		{"nothing", "", "", "neither a file"},
	} {
		folder, err := InHubCache(cache, test.name)
		if test.fault == "" && (err != nil || filepath.Base(folder) != test.want) || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: folder %q, error %v", test.why, folder, err)
		}
	}
}
