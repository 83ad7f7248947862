package tokenizer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FileName is the name of a tokenizer's file in the folder of its model.
const FileName = "tokenizer.json"

// HubCache returns the download cache of Hugging Face's programs: from the variables
// HF_HUB_CACHE and HF_HOME, or else below the home folder.
func HubCache(getenv func(string) string) string {
	home := cmp.Or(getenv("HF_HOME"), filepath.Join(getenv("HOME"), ".cache", "huggingface"))
	return cmp.Or(getenv("HF_HUB_CACHE"), filepath.Join(home, "hub"))
}

// InHubCache returns the folder with the tokenizer.json of a model in a Hugging Face cache,
// by its name, such as "org/model": of the revision main, if present. It downloads nothing.
// The error says how to get a missing model.
func InHubCache(cache, name string) (folder string, err error) {
	org, model, _ := strings.Cut(name, "/")
	if org == "" || strings.ContainsAny(model, `/\`) || strings.Contains(name, "..") {
		return "", fmt.Errorf("%q is neither a file, nor a folder, nor the name of a model such as org/model", name)
	}
	root := filepath.Join(cache, "models--"+strings.ReplaceAll(name, "/", "--"))
	revision, _ := os.ReadFile(filepath.Join(root, "refs", "main")) // else any revision will do
	first := filepath.Join(root, "snapshots", filepath.Base(strings.TrimSpace(string(revision))), FileName)
	others, err := filepath.Glob(filepath.Join(root, "snapshots", "*", FileName))
	if err != nil {
		return "", err
	}
	for _, path := range append([]string{first}, others...) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		return filepath.Dir(path), nil
	}
	return "", fmt.Errorf("the tokenizer of %s is not in %s: get it by\n  hf download %s --include 'tokenizer*' --include 'chat_template*' --include 'additional_chat_templates/*'\nor name a folder that has it", name, cache, name)
}
