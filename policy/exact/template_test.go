package exact_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/chattemplate"
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
