package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

// The types of tokens in a GGUF file that matter here.
const (
	ggufControl = 3
	ggufUser    = 4
	ggufUnused  = 5
)

// instead is the remedy for a file whose tokenizer is not read.
const instead = "name the tokenizer.json of the model instead"

// FromGGUF builds the tokenizer that a GGUF file holds, if it is a byte-level BPE: the same as from
// the tokenizer.json that the file was made of. The error names the key. The file tells of an added token only
// whether it is special, so none takes the white space around it.
func FromGGUF(g *gguf.File) (*Tokenizer, error) {
	f, err := fileOfGGUF(g)
	if err != nil {
		return nil, err
	}
	return f.tokenizer()
}

// FormOfGGUF returns the tokenizer.json of what [FromGGUF] builds.
func FormOfGGUF(g *gguf.File) ([]byte, error) {
	f, err := fileOfGGUF(g)
	if err != nil {
		return nil, err
	}
	ids, pairs := map[string]int{}, make([][2]string, len(f.merges))
	for id, token := range f.vocabulary.tokens {
		if !f.vocabulary.absent[id] {
			ids[token] = id
		}
	}
	for i, m := range f.merges {
		pairs[i] = [2]string{f.vocabulary.tokens[m.left], f.vocabulary.tokens[m.right]}
	}
	f.settings.Model.Vocab, f.settings.Model.Merges = form(ids), form(pairs)
	return json.Marshal(f.settings)
}

// fileOfGGUF reads what the tokenizer is built of.
func fileOfGGUF(g *gguf.File) (*file, error) {
	model, err := g.Text("tokenizer.ggml.model")
	if err != nil {
		return nil, err
	}
	if model != "gpt2" {
		return nil, fmt.Errorf("tokenizer.ggml.model: %.40q is not read, only gpt2, byte-level BPE: %s", model, instead)
	}
	name, err := g.Text("tokenizer.ggml.pre")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, instead)
	}
	pre, known := ggufPreOf(name)
	if !known {
		return nil, fmt.Errorf("tokenizer.ggml.pre: %.40q is not read, only default, gpt-2, gpt-4o, llama-bpe, qwen2, smollm, starcoder and tekken: %s", name, instead)
	}
	f := &file{settings: settings{
		Version: "1.0", Normalizer: pre.normalizer(), PreTokenizer: pre.splitters(), Decoder: []byte(`{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}`),
		Model: modelForm{Type: "BPE", IgnoreMerges: pre.ignoreMerges},
	}}
	if err := f.readGGUF(g); err != nil {
		return nil, err
	}
	if err := f.frameGGUF(g, pre.bos); err != nil {
		return nil, err
	}
	return f, nil
}

// readGGUF reads the tokens and the merges.
func (f *file) readGGUF(g *gguf.File) error {
	tokens, err := g.Texts("tokenizer.ggml.tokens")
	if err != nil {
		return err
	}
	types, err := g.Ints("tokenizer.ggml.token_type")
	if err != nil {
		return err
	}
	merges, err := g.Texts("tokenizer.ggml.merges")
	if err != nil {
		return err
	}
	if len(types) != len(tokens) || len(tokens) > maxParts || len(merges) > maxParts {
		return fmt.Errorf("tokenizer.ggml.token_type: %d types of %d tokens, and %d merges: want a type for each, and at most %d", len(types), len(tokens), len(merges), maxParts)
	}
	absent := make([]bool, len(tokens))
	for id, token := range tokens {
		if !utf8.ValidString(token) {
			return fmt.Errorf("tokenizer.ggml.tokens: token %d, %.40q, is no valid UTF-8", id, token)
		}
		absent[id] = types[id] == ggufUnused
		if types[id] == ggufControl || types[id] == ggufUser {
			f.settings.AddedTokens = append(f.settings.AddedTokens, addedToken{ID: int32(id), Content: token, Special: types[id] == ggufControl})
		}
	}
	used := len(tokens)
	for used > 0 && absent[used-1] { // only the matrix of the model has these rows
		used--
	}
	f.vocabulary = newVocabulary(slices.Clip(tokens[:used]), absent[:used])
	for id, token := range tokens[:used] {
		if other := f.vocabulary.id(token); !absent[id] && int(other) != id {
			return fmt.Errorf("tokenizer.ggml.tokens: %.40q has the ids %d and %d", token, id, other)
		}
	}
	f.merges = make([]merge, len(merges))
	for i, text := range merges {
		left, right, two := strings.Cut(text, " ")
		m := merge{f.vocabulary.id(left), f.vocabulary.id(right), f.vocabulary.id(left + right)}
		if !two || m.left < 0 || m.right < 0 || m.joined < 0 {
			return fmt.Errorf("tokenizer.ggml.merges: %.40q, number %d, is not two tokens that give one", text, i)
		}
		f.merges[i] = m
	}
	return nil
}

// frameGGUF sets the tokens at the ends of a text. Bos says whether one begins it if the file does not say.
func (f *file) frameGGUF(g *gguf.File, bos bool) error {
	single := []map[string]any{{"Sequence": map[string]any{"id": "A", "type_id": 0}}}
	tokens := map[string]any{}
	for _, end := range []struct {
		key, id string
		add     bool
		at      int
	}{{"tokenizer.ggml.add_bos_token", "tokenizer.ggml.bos_token_id", bos, 0}, {"tokenizer.ggml.add_eos_token", "tokenizer.ggml.eos_token_id", false, 1}} {
		if g.Has(end.key) {
			var err error
			if end.add, err = g.Bool(end.key); err != nil {
				return err
			}
		}
		if !end.add {
			continue
		}
		id, err := g.Int(end.id)
		if err != nil {
			return err
		}
		token, known := f.vocabulary.token(int32(min(max(id, -1), maxID)))
		if !known {
			return fmt.Errorf("%s: is %d, want one of the %d tokens", end.id, id, len(f.vocabulary.tokens))
		}
		tokens[token] = map[string]any{"id": token, "ids": []int{id}, "tokens": []string{token}}
		single = slices.Insert(single, min(end.at, 1)*len(single), map[string]any{"SpecialToken": map[string]any{"id": token, "type_id": 0}})
	}
	if len(tokens) == 0 {
		return nil
	}
	f.settings.PostProcessor = form(map[string]any{"type": "TemplateProcessing", "single": single, "pair": []any{}, "special_tokens": tokens})
	return nil
}

// form returns the JSON of a component.
func form(component any) json.RawMessage {
	text, err := json.Marshal(component)
	if err != nil {
		panic("tokenizer: " + err.Error()) // texts and numbers
	}
	return text
}

// A ggufPre is what tokenizer.ggml.pre stands for.
type ggufPre struct {
	splits       []string // each splits what the ones before it left
	nfc          bool
	ignoreMerges bool
	bos          bool // a text begins with that token unless the file says otherwise
}

// ggufPreOf returns what a name stands for: the steps of the tokenizer.json of the model it is named after. The
// default is llama.cpp's, which is no model's.
func ggufPreOf(name string) (p ggufPre, known bool) {
	const (
		clitics = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
		signs   = `| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		upper   = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
		lower   = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
		opens   = `[^\r\n\p{L}\p{N}]?`
		slashes = `| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	)
	switch name {
	case "gpt-2":
		return ggufPre{splits: []string{gpt2}}, true
	case "smollm", "starcoder":
		return ggufPre{splits: []string{`\p{N}`, gpt2}}, true
	case "default":
		return ggufPre{splits: []string{`[\p{P}\$\+<=>\^~\|]+`, gpt2, `\p{N}+`, `[0-9][0-9][0-9]`}}, true
	case "llama-bpe", "llama3", "llama-v3":
		return ggufPre{splits: []string{clitics + `|` + opens + `\p{L}+|\p{N}{1,3}` + signs}, ignoreMerges: true, bos: true}, true
	case "qwen2":
		return ggufPre{splits: []string{clitics + `|` + opens + `\p{L}+|\p{N}` + signs}, nfc: true}, true
	case "gpt-4o":
		return ggufPre{splits: []string{opens + upper + `*` + lower + `+` + clitics + `?|` + opens + upper + `+` + lower + `*` + clitics + `?|\p{N}{1,3}` + slashes}, ignoreMerges: true}, true
	case "tekken":
		return ggufPre{splits: []string{opens + upper + `*` + lower + `+|` + opens + upper + `+` + lower + `*|\p{N}` + slashes}, ignoreMerges: true, bos: true}, true
	}
	return ggufPre{}, false
}

// normalizer returns the component before the splitters.
func (p ggufPre) normalizer() json.RawMessage {
	if p.nfc {
		return json.RawMessage(`{"type": "NFC"}`)
	}
	return nil
}

// splitters returns the component that splits a text.
func (p ggufPre) splitters() json.RawMessage {
	var steps []any
	for _, split := range p.splits {
		steps = append(steps, map[string]any{"type": "Split", "pattern": map[string]string{"Regex": split}, "behavior": "Isolated", "invert": false})
	}
	steps = append(steps, map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})
	return form(map[string]any{"type": "Sequence", "pretokenizers": steps})
}
