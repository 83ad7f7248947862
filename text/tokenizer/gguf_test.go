package tokenizer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

// ggufKeys are the keys of a tokenizer of all bytes and a few merges, with the changed ones.
func ggufKeys(changed ...gguf.Key) []gguf.Key {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string(visibleByte(byte(b))))
	}
	tokens = append(tokens, "12", "123", "1234", "ab", "Ġb", "'L", "'LL", "<|a|>", "<b>", "[PAD1]", "[PAD2]")
	types := slices.Repeat([]int32{1}, len(tokens))
	types[263], types[264], types[265], types[266] = ggufControl, ggufUser, ggufUnused, ggufUnused
	keys := []gguf.Key{
		{Name: "tokenizer.ggml.model", Value: "gpt2"}, {Name: "tokenizer.ggml.pre", Value: "smollm"}, {Name: "tokenizer.ggml.tokens", Value: tokens},
		{Name: "tokenizer.ggml.token_type", Value: types}, {Name: "tokenizer.ggml.merges", Value: []string{"1 2", "12 3", "123 4", "a b", "Ġ b", "' L", "'L L"}},
		{Name: "tokenizer.ggml.bos_token_id", Value: uint32(263)}, {Name: "tokenizer.ggml.eos_token_id", Value: uint32(264)},
	}
	for _, c := range changed {
		keys = slices.DeleteFunc(keys, func(k gguf.Key) bool { return k.Name == c.Name })
		if c.Value != nil {
			keys = append(keys, c)
		}
	}
	return keys
}

func openGGUF(t *testing.T, keys []gguf.Key) *gguf.File {
	t.Helper()
	b := gguf.Append(nil, keys, nil)
	g, err := gguf.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGGUF(t *testing.T) {
	for _, test := range []struct {
		why, pre string
		changed  []gguf.Key
		want     string // of tokens
	}{
		{"digits in a row", "gpt-2", nil, "ab|1234|Ġb|'|L|L|<|a|>|<b>|1"},
		{"each digit alone", "smollm", nil, "ab|1|2|3|4|Ġb|'|L|L|<|a|>|<b>|1"},
		{"the same", "starcoder", nil, "ab|1|2|3|4|Ġb|'|L|L|<|a|>|<b>|1"},
		{"three digits from the left", "default", nil, "ab|123|4|Ġb|'|L|L|<|a|>|<b>|1"},
		{"three digits, endings in any case, and a token at the beginning", "llama-bpe", nil, "<|a|>|ab|123|4|Ġb|'LL|<|a|>|<b>|1"},
		{"not if the file says so", "llama3", []gguf.Key{{Name: "tokenizer.ggml.add_bos_token", Value: false}}, "ab|123|4|Ġb|'LL|<|a|>|<b>|1"},
		{"digits alone, endings in any case", "qwen2", nil, "ab|1|2|3|4|Ġb|'LL|<|a|>|<b>|1"},
		{"three digits", "gpt-4o", nil, "ab|123|4|Ġb|'LL|<|a|>|<b>|1"},
		{"no endings", "tekken", nil, "<|a|>|ab|1|2|3|4|Ġb|'LL|<|a|>|<b>|1"},
		{"tokens at both ends", "gpt-2", []gguf.Key{{Name: "tokenizer.ggml.add_bos_token", Value: true}, {Name: "tokenizer.ggml.add_eos_token", Value: true}}, "<|a|>|ab|1234|Ġb|'|L|L|<|a|>|<b>|1|<b>"},
	} {
		tok, err := FromGGUF(openGGUF(t, ggufKeys(append(test.changed, gguf.Key{Name: "tokenizer.ggml.pre", Value: test.pre})...)))
		if err != nil {
			t.Fatalf("%s: %v", test.pre, err)
		}
		ids, err := tok.Encode("ab1234 b'LL<|a|><b>1", true)
		if err != nil {
			t.Fatal(err)
		}
		var tokens []string
		for _, id := range ids {
			token, _ := tok.Token(id)
			tokens = append(tokens, token)
		}
		if got := strings.Join(tokens, "|"); got != test.want {
			t.Errorf("%s: %s: %s, want %s", test.pre, test.why, got, test.want)
		}
	}
	tok, err := FromGGUF(openGGUF(t, ggufKeys()))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d %v %q %q", tok.Size(), tok.Special(), tok.Decode([]int32{263, 264, 260, 265}, true), tok.Decode([]int32{263, 264, 260}, false))
	if want := `265 [263] "<b> b" "<|a|><b> b"`; got != want {
		t.Errorf("size, special tokens and texts %s, want %s", got, want)
	}
}

func TestGGUFRefused(t *testing.T) {
	tokens := func(change func(tokens []string)) gguf.Key {
		list := slices.Clone(ggufKeys()[2].Value.([]string))
		change(list)
		return gguf.Key{Name: "tokenizer.ggml.tokens", Value: list}
	}
	for _, test := range []struct {
		why     string
		changed gguf.Key
		want    string
	}{
		{"no model", gguf.Key{Name: "tokenizer.ggml.model"}, "tokenizer.ggml.model: is missing in the GGUF file"},
		{"another kind", gguf.Key{Name: "tokenizer.ggml.model", Value: "llama"}, `tokenizer.ggml.model: "llama" is not read, only gpt2, byte-level BPE: name the tokenizer.json`},
		{"no name", gguf.Key{Name: "tokenizer.ggml.pre"}, "tokenizer.ggml.pre: is missing in the GGUF file, want a text: name the tokenizer.json"},
		{"another name", gguf.Key{Name: "tokenizer.ggml.pre", Value: "viking"}, `tokenizer.ggml.pre: "viking" is not read, only default, gpt-2`},
		{"no merges", gguf.Key{Name: "tokenizer.ggml.merges"}, "tokenizer.ggml.merges: is missing"},
		{"a merge of one token", gguf.Key{Name: "tokenizer.ggml.merges", Value: []string{"ab"}}, `tokenizer.ggml.merges: "ab", number 0, is not two tokens`},
		{"a merge into none", gguf.Key{Name: "tokenizer.ggml.merges", Value: []string{"b a"}}, `tokenizer.ggml.merges: "b a", number 0`},
		{"too few types", gguf.Key{Name: "tokenizer.ggml.token_type", Value: []int32{1}}, "tokenizer.ggml.token_type: 1 types of 267 tokens"},
		{"a token twice", tokens(func(list []string) { list[7] = "ab" }), `tokenizer.ggml.tokens: "ab" has the ids 7 and 259`},
		{"no text", tokens(func(list []string) { list[7] = "\xff" }), "tokenizer.ggml.tokens: token 7"},
		{"a beginning beyond the tokens", gguf.Key{Name: "tokenizer.ggml.bos_token_id", Value: uint32(1 << 31)}, "tokenizer.ggml.bos_token_id: is 2147483648, want one of the 265 tokens"},
	} {
		_, err := FromGGUF(openGGUF(t, ggufKeys(test.changed, gguf.Key{Name: "tokenizer.ggml.add_bos_token", Value: true})))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

func TestLoadGGUF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blob") // by its content, not its name
	for _, test := range []struct {
		why, pre, want string
	}{{"known", "smollm", ""}, {"unknown", "x", path + ": tokenizer.ggml.pre"}} {
		if err := os.WriteFile(path, gguf.Append(nil, ggufKeys(gguf.Key{Name: "tokenizer.ggml.pre", Value: test.pre}), nil), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, t.TempDir()); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.why, err)
		}
	}
	if err := os.WriteFile(path, []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, ""); err == nil || !strings.Contains(err.Error(), path+": GGUF: version") {
		t.Errorf("cut short: %v", err)
	}
}

func FuzzGGUF(f *testing.F) {
	f.Add(gguf.Append(nil, ggufKeys(), nil), "ab1234 <|a|>")
	f.Add(gguf.Append(nil, ggufKeys(gguf.Key{Name: "tokenizer.ggml.add_bos_token", Value: true}), nil), "é")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		g, err := gguf.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		tok, err := FromGGUF(g)
		if err != nil {
			return
		}
		if ids, err := tok.Encode(text, true); err == nil {
			tok.Decode(ids, false)
		}
	})
}
