package exact

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/tiny/gguf"
)

// TemplateFiles names the files of a chat template.
type TemplateFiles struct {
	Config   string // the tokenizer_config.json of the model, or its GGUF file; empty, with Template: no special tokens
	Template string // a file with the template; empty: the model's own
	Name     string // of the template, for a model with several; empty: see [chattemplate.Config.Chat]
}

// Load reads and compiles the template: Template, or else the file chat_template.jinja beside the
// configuration, or else the one in it. The files of the folder additional_chat_templates beside the
// configuration are further templates, by their names. A GGUF file has all of its own. The error names the file.
func (f TemplateFiles) Load() (*chattemplate.Chat, error) {
	config, err := f.read()
	if err != nil {
		return nil, err
	}
	chat, err := config.Chat(f.Name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(f.Template, f.Config), err)
	}
	return chat, nil
}

// hash returns a hash of all templates and special tokens.
func (f TemplateFiles) hash() (string, error) {
	config, err := f.read()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(config.Templates); err != nil {
		return "", err
	}
	tokens, err := config.Tokens.Text()
	fmt.Fprint(sum, tokens)
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), err
}

// readConfig reads the configuration.
func (f TemplateFiles) readConfig() (*chattemplate.Config, error) {
	if f.Config == "" && f.Template != "" {
		return &chattemplate.Config{}, nil
	}
	if gguf.Is(f.Config) {
		g, err := gguf.Open(f.Config)
		if err != nil {
			return nil, err
		}
		defer g.Close()
		config, err := chattemplate.FromGGUF(g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Config, err)
		}
		return config, nil
	}
	text, err := os.ReadFile(f.Config)
	if err != nil {
		return nil, err
	}
	config, err := chattemplate.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Config, err)
	}
	return config, nil
}

// read reads the configuration, and the template to use.
func (f TemplateFiles) read() (*chattemplate.Config, error) {
	config, err := f.readConfig()
	if err != nil {
		return nil, err
	}
	if f.Template == "" && gguf.Is(f.Config) {
		return config, nil
	}
	folder := filepath.Dir(f.Config)
	source, err := os.ReadFile(cmp.Or(f.Template, filepath.Join(folder, "chat_template.jinja")))
	if err == nil {
		config.Templates = []chattemplate.NamedTemplate{{Name: "default", Source: string(source)}}
	}
	if f.Template != "" || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return config, err
	}
	more, err := os.ReadDir(filepath.Join(folder, "additional_chat_templates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range more {
		name, ok := strings.CutSuffix(file.Name(), ".jinja")
		if !ok {
			continue
		}
		source, err := os.ReadFile(filepath.Join(folder, "additional_chat_templates", file.Name()))
		if err != nil {
			return nil, err
		}
		config.Templates = slices.DeleteFunc(config.Templates, func(t chattemplate.NamedTemplate) bool { return t.Name == name })
		config.Templates = append(config.Templates, chattemplate.NamedTemplate{Name: name, Source: string(source)})
	}
	return config, nil
}
