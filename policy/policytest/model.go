package policytest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quintain-rl/quintain/policy"
)

// Chat templates in the form of package policy: [policy.End] closes each message.
const (
	Talk   = head + `m.content` + foot                                                                                     // never rewrites a conversation
	Spaced = head + `m.content + ' '` + foot                                                                               // puts a space after each message, and so realigns every reply
	Shouts = head + `(m.content | upper if m.role == 'assistant' else m.content)` + foot                                   // rewrites every earlier reply
	Moody  = head + `(m.content | upper if m.role == 'assistant' and (m.content | length) % 3 == 0 else m.content)` + foot // rewrites some of them

	head = `{% for m in messages %}{{ '<|' + m.role + '|>' + `
	foot = " }}\x03{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

// ByteModel writes the files of a model without weights into a temporary folder and returns
// it. Its tokens are the byte vocabulary of package policy, with [policy.End] as a special
// token, rotated by a number.
func ByteModel(t testing.TB, template string, rotated int) (folder string) {
	t.Helper()
	vocab := map[string]int{}
	for b := range 256 {
		name := fmt.Sprintf("<0x%02X>", b)
		if b == int(policy.End) {
			name = string(rune(b))
		}
		id := b
		if b != int(policy.End) && b >= 'a' && b <= 'z' {
			id = 'a' + (b-'a'+rotated)%26
		}
		vocab[name] = id
	}
	folder = t.TempDir()
	for name, content := range map[string]any{
		"tokenizer.json": map[string]any{
			"version":      "1.0",
			"added_tokens": []any{map[string]any{"id": policy.End, "content": string(rune(policy.End)), "special": true}},
			"model":        map[string]any{"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []string{}},
			"decoder":      map[string]any{"type": "Sequence", "decoders": []any{map[string]any{"type": "ByteFallback"}, map[string]any{"type": "Fuse"}}},
		},
		"tokenizer_config.json": map[string]any{"chat_template": template},
	} {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
