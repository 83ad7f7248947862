package chattemplate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

func TestGGUF(t *testing.T) {
	tokens := gguf.Key{Name: "tokenizer.ggml.tokens", Value: []string{"<s>", "</s>"}}
	plain := gguf.Key{Name: "tokenizer.chat_template", Value: "{{ bos_token }}{{ pad_token }}{{ eos_token }}"}
	for _, test := range []struct {
		why  string
		keys []gguf.Key
		name string
		want string // a text, or an error
	}{
		{"tokens by their ids", []gguf.Key{tokens, plain, {Name: "tokenizer.ggml.bos_token_id", Value: uint32(0)}, {Name: "tokenizer.ggml.padding_token_id", Value: uint32(1)}}, "", "<s></s>"},
		{"several templates", []gguf.Key{tokens, plain, {Name: "tokenizer.chat_templates", Value: []string{"rag"}}, {Name: "tokenizer.chat_template.rag", Value: "r"}}, "rag", "r"},
		{"one of them is missing", []gguf.Key{tokens, {Name: "tokenizer.chat_templates", Value: []string{"rag"}}}, "", "tokenizer.chat_template.rag: is missing"},
		{"no template", []gguf.Key{tokens}, "", "chat_template is missing"},
		{"no tokens", []gguf.Key{plain}, "", "tokenizer.ggml.tokens: is missing"},
		{"a token beyond them", []gguf.Key{tokens, {Name: "tokenizer.ggml.eos_token_id", Value: uint32(2)}}, "", "tokenizer.ggml.eos_token_id: is 2, want one of the 2 tokens"},
	} {
		b := gguf.Append(nil, test.keys, nil)
		g, err := gguf.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if got := rendered(g, test.name); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// rendered returns the text of an empty conversation, or the error.
func rendered(g *gguf.File, name string) string {
	c, err := FromGGUF(g)
	if err != nil {
		return err.Error()
	}
	chat, err := c.Chat(name)
	if err != nil {
		return err.Error()
	}
	vars, err := ParseVars([]byte(`{"messages": []}`))
	if err != nil {
		return err.Error()
	}
	r, err := chat.Render(vars, Options{})
	if err != nil {
		return err.Error()
	}
	return r.Text
}
