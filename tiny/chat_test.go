package tiny_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// chat returns the vocabulary of a model whose tokens are bytes, with a template. Its replies end
// with the byte of [policy.End], or with an exclamation mark.
func chat(t testing.TB, template string) tiny.Chat {
	t.Helper()
	files := exact.Files{Tokenizer: policytest.ByteModel(t, template, 0)}
	by, err := files.Renderer("bytes:1", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return tiny.Chat{Chat: by.(*exact.Chat), Closing: []quintain.Token{policy.End, '!'}}
}

// TestChatKeepsThePromises plays with the template of a model.
func TestChatKeepsThePromises(t *testing.T) {
	t.Parallel()
	c := transformer.Config{Vocab: 272, Context: 2000, Layers: 1, Width: 16, Heads: 1, Hidden: 16}
	m, err := transformer.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	by := chat(t, policytest.Talk)
	policytest.Suite{New: func(t *testing.T) quintain.Policy { return start(t, m, tiny.Options{Seed: 3, Vocabulary: by}) }, Deterministic: true}.Run(t)
}

func TestChatContinuesConversations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, template string
		token         quintain.Token // that all replies have
		text          string         // of the first reply
		finish        quintain.Finish
		read          string // of the second reply
		fork          bool
	}{
		{"a reply that closes itself", policytest.Talk, policy.End, "", quintain.Stop, "<|user|>b\x03<|assistant|>", false},
		{"a reply that another token closes", policytest.Talk, '!', "!", quintain.Stop, "\x03<|user|>b\x03<|assistant|>", false},
		{"a reply that was cut", policytest.Talk, 'x', "xxx", quintain.Length, "\x03<|user|>b\x03<|assistant|>", false},
		{"a reply that ends in half a character", policytest.Talk, 0xc3, "\uFFFD\uFFFD\uFFFD", quintain.Length, "\x03<|user|>b\x03<|assistant|>", false},
		{"a template that rewrites replies", policytest.Shouts, 'x', "xxx", quintain.Length, "<|user|>a\x03<|assistant|>XXX\x03<|user|>b\x03<|assistant|>", true},
	} {
		m := newModel(t, transformer.Config{Vocab: 265, Context: 200, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1, 0)
		m.Tensors()[1].Data[int(test.token)*16] = 50
		by := chat(t, test.template)
		p := start(t, m, tiny.Options{Vocabulary: by})
		r := quintain.Request{Key: "a", N: 2, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 3}, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "a"}}}
		first := sample(t, p, r)[0]
		if first.Text != test.text || first.Finish != test.finish || first.Vocabulary != "bytes:1" || text(by, first.Read) != "<|user|>a\x03<|assistant|>" {
			t.Errorf("%s: the first reply is %+v", test.why, first)
		}
		next := follow(r, first)
		next.Messages[2].Role, next.Messages[2].Content, next.Wrote = quintain.RoleUser, "b", len(first.Wrote)
		second := sample(t, p, next)[0]
		if got := text(by, second.Read); got != test.read || second.Fork != test.fork || second.Text != first.Text {
			t.Errorf("%s: the second reply is %+v after %q, want after %q", test.why, second, got, test.read)
		}
		again := start(t, m, tiny.Options{Vocabulary: by})
		if fresh := sample(t, again, next)[0]; !slices.Equal(fresh.LogProbs, second.LogProbs) {
			t.Errorf("%s: log-probabilities %v, and without the slot of the first turn %v", test.why, second.LogProbs, fresh.LogProbs)
		}
	}
}

// text returns the text of tokens.
func text(by tiny.Chat, tokens []quintain.Token) string { return by.Whole(tokens, false) }

func TestChatRefusesModelsWithoutItsTokens(t *testing.T) {
	t.Parallel()
	m, err := transformer.New(transformer.Config{Vocab: 200, Context: 20, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tiny.New(m, 0, tiny.Options{Vocabulary: chat(t, policytest.Talk)}); err == nil || !strings.Contains(err.Error(), "the model has 200 tokens, but the vocabulary bytes:1 has 256") {
		t.Errorf("error %v", err)
	}
}
