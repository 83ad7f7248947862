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
)

// TemplateFiles names the files of a chat template.
type TemplateFiles struct {
	Config   string // the tokenizer_config.json of the model; empty, with Template: no special tokens
	Template string // a file with the template; empty: the model's own
	Name     string // of the template, for a model with several; empty: see [chattemplate.Config.Chat]
}

// Load reads and compiles the template: Template, or else the file chat_template.jinja beside the
// configuration, or else the one in it. The files of the folder additional_chat_templates beside the
// configuration are further templates, by their names. The error names the file.
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

// read reads the configuration, and the template to use.
func (f TemplateFiles) read() (*chattemplate.Config, error) {
	text := []byte("{}")
	if f.Config != "" || f.Template == "" {
		var err error
		if text, err = os.ReadFile(f.Config); err != nil {
			return nil, err
		}
	}
	config, err := chattemplate.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Config, err)
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
