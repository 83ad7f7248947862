package exact

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain/chattemplate"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tokenizer"
)

// ByteTokenizer is the name of [Bytes] in place of a file's.
const ByteTokenizer = "bytes"

// Files name what renders for a model: its tokenizer and its chat template. They are
// settings.
type Files struct {
	Tokenizer  string         // a tokenizer.json, a folder with one, or ByteTokenizer; empty: none
	Config     string         // a tokenizer_config.json; empty: the one beside the tokenizer
	Template   string         // a file with the chat template; empty: the one of the model
	Vars       map[string]any // what else the template reads
	Vocabulary string         // name of the vocabulary; empty: the caller's
}

// Declare implements [settings.Declarer].
func (f *Files) Declare(d *settings.Section) {
	d.Text(&f.Tokenizer, "tokenizer", "tokenizer.json of the model, or its folder; "+ByteTokenizer+": bytes, which quintain fake-server takes")
	d.Text(&f.Config, "tokenizer_config", "tokenizer_config.json of the model; none: the one beside the tokenizer")
	d.Text(&f.Template, "chat_template", "file with the chat template, in place of the one of the model")
	d.Object(&f.Vars, "template_vars", `object with further variables of the chat template, such as {"enable_thinking": false}`)
	d.Text(&f.Vocabulary, "vocabulary", "name of the vocabulary in groups and traces; none: the model's")
}

// Check implements [settings.Checker].
func (f *Files) Check() error {
	switch {
	case f.Tokenizer == "" && (f.Config != "" || f.Template != "" || len(f.Vars) > 0 || f.Vocabulary != ""):
		return errors.New("tokenizer: is missing; tokenizer_config, chat_template, template_vars and vocabulary are for it")
	case f.Tokenizer == ByteTokenizer && (f.Config != "" || f.Template != "" || len(f.Vars) > 0 || f.Vocabulary != ""):
		return errors.New("tokenizer: " + ByteTokenizer + " has a template and a name of its own: leave out tokenizer_config, chat_template, template_vars and vocabulary")
	}
	return nil
}

// Renderer reads the files, and returns what renders by them. Model names the vocabulary
// unless Vocabulary does. Now is what a template is told that asks for the time.
func (f *Files) Renderer(model string, now time.Time) (Renderer, error) {
	if f.Tokenizer == ByteTokenizer {
		return Bytes{}, nil
	}
	path := f.Tokenizer
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, tokenizer.FileName)
	}
	text, err := tokenizer.Load(path, tokenizer.CacheFolder())
	if err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(path), "tokenizer_config.json")
	template, err := chattemplate.Files{Config: cmp.Or(f.Config, beside), Template: f.Template}.Load()
	if err != nil {
		return nil, err
	}
	c := &Chat{Template: template, Tokenizer: text, Model: cmp.Or(f.Vocabulary, model), Now: now}
	for name, value := range f.Vars {
		if err := c.Vars.Set(name, value); err != nil {
			return nil, err
		}
	}
	return c, nil
}
