package player

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

// TestIdentity: what makes other tokens is told apart, and what only says where and how long is not.
func TestIdentity(t *testing.T) {
	model := func(tokenizer, template, config string) string {
		folder := t.TempDir()
		for name, text := range map[string]string{"tokenizer.json": tokenizer, "chat_template.jinja": template, "tokenizer_config.json": config} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	one := model("{}", "{{ messages }}", `{"eos_token": "a", "tokenizer_class": "x"}`)
	tools := model("{}", "{{ messages }}", `{"eos_token": "a"}`)
	if err := os.MkdirAll(filepath.Join(tools, "additional_chat_templates"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "additional_chat_templates", "tool_use.jinja"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(text string) Identity {
		s := Default(Server)
		s.Server.Pool.URLs = []string{"http://127.0.0.1:9"}
		if err := settings.New(&s).Load(settings.Sources{File: "file", Data: []byte(text)}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		of, err := s.Identity()
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	for _, test := range []struct{ run, worker, says string }{
		{"tokenizer: " + one, "tokenizer: " + one, ""},
		{"tokenizer: " + one, "tokenizer: " + model("{}", "{{ messages }}", `{"eos_token": "a"}`) + "\nurl: [http://127.0.0.1:1]\ntimeout: 1s\nretries: 1\nmax_in_flight: 3\nkind: vllm", ""},
		{"tokenizer: " + one, "tokenizer: " + model("{ }", "{{ messages }}", `{"eos_token": "a"}`), "policy.tokenizer is"},
		{"tokenizer: " + one, "tokenizer: " + model("{}", "{{ messages }} ", `{"eos_token": "a"}`), "policy.chat_template is"},
		{"tokenizer: " + one, "tokenizer: " + model("{}", "{{ messages }}", `{"eos_token": "b"}`), "policy.chat_template is"},
		{"tokenizer: " + one, "tokenizer: " + tools, "policy.chat_template is"},
		{"tokenizer: " + one, "tokenizer: bytes", "policy.chat_template is \"\""},
		{"tokenizer: " + one, "", "policy.chat_template is \"\""},
		{"tokenizer: /not/here/either", "tokenizer: " + one, ""},
		{"tokenizer: " + one, "tokenizer: " + one + "\ntemplate_vars: {enable_thinking: false}", "policy.template_vars is"},
		{"tokenizer: " + one, "tokenizer: " + one + "\ntrust_messages: true", "policy.trust_messages is"},
		{"tokenizer: " + one, "tokenizer: " + one + "\ntool_format: hermes", "policy.tool_format is"},
		{"tokenizer: " + one, "tokenizer: " + one + "\nvocabulary: v", "policy.vocabulary is"},
		{"", "extra_body: {min_p: 0.1}", "policy.extra_body is"},
		{"", "sampling: {temperature: 0.5}", "policy.sampling is"},
		{"", "completions: text", "policy.completions is \"text\""},
		{"model: a", "model: b", `policy.model is "b", and that of the run "a"`},
		{"", "model: b", ""},
		{"kind: script", "kind: server", `policy.kind is "server", and that of the run "script"`},
		{"kind: script", "kind: script\naccuracy: 1", "policy.accuracy is"},
		{"kind: script", "kind: script\ndelay: 1s", ""},
		{"kind: tiny", "kind: tiny", ""},
	} {
		run, worker := load(test.run), load(test.worker)
		if got := run.Differs(worker); !strings.HasPrefix(got, test.says) || (got == "") != (test.says == "") {
			t.Errorf("%q and %q: %q, want %q", test.run, test.worker, got, test.says)
		} else if got == "" {
			if all := run.Complete(worker); all.Differs(worker) != "" || worker.Differs(all) != "" {
				t.Errorf("%q and %q complete each other to %+v", test.run, test.worker, all)
			}
		}
	}
}
