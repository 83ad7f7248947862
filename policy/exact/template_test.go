package exact_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/tiny/gguf"
)

func TestFilesOfAModel(t *testing.T) {
	const tools, plain = `{"messages": [], "tools": [1]}`, `{"messages": []}`
	old := `{"eos_token": "E", "chat_template": [{"name": "default", "template": "old"}, {"name": "tool_use", "template": "old tools"}]}`
	for _, test := range []struct {
		why   string
		files map[string]string
		name  string
		vars  string
		want  string
	}{
		{"all in the configuration", map[string]string{}, "", tools, "old tools"},
		{"a file, and nothing of the configuration", map[string]string{"chat_template.jinja": "new{{ eos_token }}"}, "", tools, "newE"},
		{"a file for tools", map[string]string{"chat_template.jinja": "new", "additional_chat_templates/tool_use.jinja": "new tools{{ eos_token }}"}, "", tools, "new toolsE"},
		{"the other one", map[string]string{"chat_template.jinja": "new", "additional_chat_templates/tool_use.jinja": "new tools"}, "", plain, "new"},
		{"a file for tools alone", map[string]string{"additional_chat_templates/tool_use.jinja": "new tools"}, "", tools, "new tools"},
		{"the other one, of the configuration", map[string]string{"additional_chat_templates/tool_use.jinja": "new tools"}, "", plain, "old"},
		{"by its name", map[string]string{"chat_template.jinja": "new", "additional_chat_templates/rag.jinja": "rag", "additional_chat_templates/README.md": "no"}, "rag", plain, "rag"},
		{"an unknown name", map[string]string{"chat_template.jinja": "new", "additional_chat_templates/rag.jinja": "rag"}, "cot", plain, `there is no chat template "cot", want default or rag`},
	} {
		folder := t.TempDir()
		test.files["tokenizer_config.json"] = old
		for name, text := range test.files {
			path := filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		var got string
		chat, err := exact.TemplateFiles{Config: filepath.Join(folder, "tokenizer_config.json"), Name: test.name}.Load()
		if err == nil {
			var vars chattemplate.Vars
			if vars, err = chattemplate.ParseVars([]byte(test.vars)); err != nil {
				t.Fatal(err)
			}
			var r chattemplate.Rendering
			r, err = chat.Render(vars, chattemplate.Options{})
			got = r.Text
		}
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), "tokenizer_config.json: ")
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q (error %v)", test.why, got, test.want, err)
		}
	}
}

func TestFilesOfAGGUF(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "m.gguf")
	keys := []gguf.Key{{Name: "tokenizer.ggml.tokens", Value: []string{"E"}}, {Name: "tokenizer.ggml.eos_token_id", Value: uint32(0)}, {Name: "tokenizer.chat_template", Value: "own{{ eos_token }}"}}
	other := filepath.Join(folder, "chat_template.jinja")
	if err := errors.Join(os.WriteFile(path, gguf.Append(nil, keys, nil), 0o600), os.WriteFile(other, []byte("other{{ eos_token }}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ why, template, want string }{{"its own, not the one beside it", "", "ownE"}, {"a named one, with its tokens", other, "otherE"}} {
		chat, err := exact.TemplateFiles{Config: path, Template: test.template}.Load()
		if err != nil {
			t.Fatal(err)
		}
		vars, err := chattemplate.ParseVars([]byte(`{"messages": []}`))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := chat.Render(vars, chattemplate.Options{}); err != nil || r.Text != test.want {
			t.Errorf("%s: %q, want %q (error %v)", test.why, r.Text, test.want, err)
		}
	}
	files := exact.Files{Tokenizer: path}
	if h := files.Hashes(); len(h["policy.tokenizer"]) != len("sha256:")+64 || h["policy.chat_template"] == "" {
		t.Errorf("hashes %v", h)
	}
}
