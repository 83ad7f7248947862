package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// fields are the fields of a JSON object.
type fields map[string]string

// formed returns a tokenizer.json: a small BPE model, with the changed fields.
func formed(changed ...fields) string {
	all := fields{
		"version": `"1.0"`, "truncation": "null", "padding": "null", "added_tokens": "[]", "normalizer": "null",
		"pre_tokenizer": "null", "post_processor": "null", "decoder": "null", "model": bpeForm(nil),
	}
	for _, c := range changed {
		maps.Copy(all, c)
	}
	return object(all)
}

func object(all fields) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, fmt.Sprintf("%q: %s", name, all[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// bpeForm returns a BPE model over a few letters, with the changed fields.
func bpeForm(changed fields) string {
	all := fields{
		"type": `"BPE"`, "dropout": "null", "unk_token": "null", "continuing_subword_prefix": "null",
		"end_of_word_suffix": "null", "fuse_unk": "false", "byte_fallback": "false",
		"vocab":  `{"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, " ": 6, "▁": 7, "▁a": 8, "?": 9}`,
		"merges": `["b c", ["a", "b"], "ab c", "▁ a"]`,
	}
	maps.Copy(all, changed)
	return object(all)
}

// added returns added tokens: those of the model with their ids, others with ids from 10
// on.
func added(tokens ...string) fields {
	var list []string
	next := 10
	for _, token := range tokens {
		content, rest, _ := strings.Cut(token, " ")
		id, known := map[string]int{"b": 1, "ab": 3, "bc": 4}[content]
		if !known {
			id = next
			next++
		}
		all := fields{"id": fmt.Sprint(id), "content": fmt.Sprintf("%q", content)}
		for _, name := range []string{"single_word", "lstrip", "rstrip", "normalized", "special"} {
			all[name] = fmt.Sprint(strings.Contains(rest, name))
		}
		list = append(list, object(all))
	}
	return fields{"added_tokens": "[" + strings.Join(list, ",") + "]"}
}

func parsed(t testing.TB, form string) *Tokenizer {
	t.Helper()
	tok, err := Parse([]byte(form))
	if err != nil {
		t.Fatalf("%v in %s", err, form)
	}
	return tok
}

const (
	unigramForm = `{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["aba", -4], ["▁", -2]]}`
	wordForm    = `{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 5,
		"vocab": {"[UNK]": 0, "a": 1, "ab": 2, "##b": 3, "##bc": 4, "##c": 5, "##": 6}}`
	template = `{"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
		{"SpecialToken": {"id": "</s>", "type_id": 0}}], "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]},
		"</s>": {"id": "</s>", "ids": [8, 9], "tokens": ["a", "b"]}}}`
)

func TestEncode(t *testing.T) {
	type list = []int32
	for _, test := range []struct {
		why  string
		form string
		text string
		want list
	}{
		{"nothing", formed(), "", list{}},
		{"the pair that ranks first is joined first", formed(), "abc", list{0, 4}},
		{"the leftmost of equals", formed(), "abab", list{3, 3}},
		{"unknown characters vanish", formed(), "axb", list{3}},
		{"a word equal to a token", formed(fields{"model": bpeForm(fields{"ignore_merges": "true"})}), "abc", list{5}},
		{"a token for each unknown character", formed(fields{"model": bpeForm(fields{"unk_token": `"?"`})}), "axyb", list{0, 9, 9, 1}},
		{"a token for unknown characters in a row", formed(fields{"model": bpeForm(fields{"unk_token": `"?"`, "fuse_unk": "true"})}), "axyb", list{0, 9, 1}},
		{"bytes for unknown characters", formed(fields{"model": bpeForm(fields{"byte_fallback": "true", "merges": "[]", "vocab": `{"a": 0, "<0xC3>": 1, "<0xA9>": 2}`})}), "aé", list{0, 1, 2}},
		{"a prefix and a suffix", formed(fields{"model": bpeForm(fields{"continuing_subword_prefix": `"#"`, "end_of_word_suffix": `"$"`,
			"vocab": `{"a": 0, "#b": 1, "#c$": 2, "ab": 3}`, "merges": `["a #b"]`})}), "abc", list{3, 2}},
		{"added tokens come first, the longest of them", formed(added("bc", "bca")), "abcabc", list{0, 10, 4}},
		{"an added token only as a word", formed(added("ab single_word")), "ab abc ab", list{3, 6, 0, 4, 6, 3}},
		{"an added token takes spaces", formed(added("b lstrip rstrip")), "a  b  a", list{0, 1, 0}},
		{"white space that the token before took", formed(added("b rstrip", "\n lstrip")), "ab\na", list{0, 1, 0}},
		{"an added token is found in normalized text", formed(added("B normalized", "C"), fields{"normalizer": `{"type": "Lowercase"}`}), "aBC", list{0, 10, 11}},
		{"steps before the model", formed(fields{"normalizer": `{"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"String": "x"}, "content": "a"}, {"type": "Prepend", "prepend": "c"}]}`}), "xb", list{2, 3}},
		{"a split", formed(fields{"pre_tokenizer": `{"type": "Split", "pattern": {"Regex": "b"}, "behavior": "MergedWithPrevious", "invert": false}`}), "abc", list{3, 2}},
		{"spaces as another character, cut before it", formed(fields{"pre_tokenizer": `{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false}`}), "ab ab", list{7, 3, 7, 3}},
		{"only the start of the text gets a space", formed(added("b"), fields{"pre_tokenizer": `{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}`}), "aba", list{8, 1, 0}},
		{"the best sum of scores", formed(fields{"model": unigramForm}), "abab", list{3, 3}},
		{"unknown characters in a row are one", formed(fields{"model": unigramForm}), "xya", list{0, 1}},
		{"the longest beginnings", formed(fields{"model": wordForm}), "abc", list{2, 5}},
		{"a word with an unknown part is unknown", formed(fields{"model": wordForm}), "abx", list{0}},
		{"a too long word is unknown", formed(fields{"model": wordForm}), "abcbcb", list{0}},
		{"words equal to tokens", formed(fields{"model": `{"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1}}`, "pre_tokenizer": `{"type": "WhitespaceSplit"}`}), "a b a", list{1, 0, 1}},
	} {
		got, err := parsed(t, test.form).Encode(test.text, false)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, error %v; want %v", test.why, got, err, test.want)
		}
	}
}

func TestEncodeAddsSpecialTokens(t *testing.T) {
	for _, test := range []struct {
		why, post string
		want      []int32
	}{
		{"none", "null", []int32{0}},
		{"a template", template, []int32{7, 0, 8, 9}},
		{"BERT's", `{"type": "BertProcessing", "sep": ["b", 1], "cls": ["c", 2]}`, []int32{2, 0, 1}},
		{"one around the other", `{"type": "Sequence", "processors": [{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true},
			{"type": "RobertaProcessing", "sep": ["b", 1], "cls": ["c", 2], "trim_offsets": true, "add_prefix_space": false}, ` + template + `]}`, []int32{7, 2, 0, 1, 8, 9}},
	} {
		tok := parsed(t, formed(fields{"post_processor": test.post}))
		got, err := tok.Encode("a", true)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, error %v; want %v", test.why, got, err, test.want)
		}
		if got, _ = tok.Encode("a", false); !slices.Equal(got, []int32{0}) {
			t.Errorf("%s: %v without special tokens", test.why, got)
		}
	}
}

func TestEncodeFails(t *testing.T) {
	for _, test := range []struct{ why, form, text, want string }{
		{"invalid UTF-8", formed(), "a\xff", "not valid UTF-8"},
		{"an unknown token missing from the vocabulary", formed(fields{"model": bpeForm(fields{"unk_token": `"<unk>"`})}), "x", `"<unk>"`},
		{"an unknown character", formed(fields{"model": strings.Replace(unigramForm, `"unk_id": 0, `, "", 1)}), "x", "unk_id"},
		{"an unknown word", formed(fields{"model": `{"type": "WordLevel", "vocab": {"a": 1}}`}), "b", `"b"`},
		{"a hostile pattern", formed(fields{"pre_tokenizer": `{"type": "Split", "pattern": {"Regex": "a*a*a*a*b"}, "behavior": "Isolated", "invert": false}`}), strings.Repeat("a", 5000), "takes too long"},
	} {
		ids, err := parsed(t, test.form).Encode(test.text, true)
		if err == nil || ids != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, error %v; want %s", test.why, ids, err, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	nested := `{"type": "NFC"}`
	for range 20 {
		nested = `{"type": "Sequence", "normalizers": [` + nested + `]}`
	}
	for _, test := range []struct{ why, form, want string }{
		{"no JSON", "{", "the JSON ends too early"},
		{"another version", formed(fields{"version": `"2.0"`}), "version"},
		{"an unknown field", formed(fields{"extra": "1"}), "extra"},
		{"an unknown model", formed(fields{"model": `{"type": "Lattice", "vocab": {}}`}), `model: the type "Lattice"`},
		{"dropout", formed(fields{"model": bpeForm(fields{"dropout": "0.1"})}), "model: dropout"},
		{"a negative id", formed(fields{"model": bpeForm(fields{"vocab": `{"a": -1}`})}), "model.vocab: \"a\" has the id -1"},
		{"a huge id", formed(fields{"model": bpeForm(fields{"vocab": `{"a": 1000000000}`})}), "model.vocab"},
		{"an id twice", formed(fields{"model": bpeForm(fields{"vocab": `{"a": 0, "b": 0}`})}), "same id"},
		{"a merge of an unknown token", formed(fields{"model": bpeForm(fields{"merges": `["a b", "x a"]`})}), `model.merges[1]: "x"`},
		{"a merge of three", formed(fields{"model": bpeForm(fields{"merges": `["a b c"]`})}), "model.merges[0]"},
		{"a merge of one", formed(fields{"model": bpeForm(fields{"merges": `[["a"]]`})}), "model.merges[0]"},
		{"a part without the prefix", formed(fields{"model": bpeForm(fields{"continuing_subword_prefix": `"#"`, "merges": `["a b"]`})}), "prefix"},
		{"no scores", formed(fields{"model": `{"type": "Unigram", "unk_id": 0, "vocab": []}`}), "vocab: is empty"},
		{"a token without a score", formed(fields{"model": `{"type": "Unigram", "unk_id": 0, "vocab": [["a"]]}`}), "model.vocab: [0]"},
		{"an unknown token missing from the vocabulary", formed(fields{"model": `{"type": "Unigram", "unk_id": 3, "vocab": [["a", 0]]}`}), "unk_id"},
		{"a long token", formed(fields{"model": `{"type": "Unigram", "vocab": [["` + strings.Repeat("a", 2000) + `", 0]]}`}), "vocab[0]"},
		{"an unknown normalizer", formed(fields{"normalizer": `{"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Rot13"}]}`}), `normalizer.normalizers[1]: the type "Rot13"`},
		{"an unknown setting", formed(fields{"normalizer": `{"type": "NFC", "strength": 2}`}), `normalizer: json: unknown field "strength"`},
		{"deep nesting", formed(fields{"normalizer": nested}), "nests more than"},
		{"a truncated charsmap", formed(fields{"normalizer": `{"type": "Precompiled", "precompiled_charsmap": "AAQAAA=="}`}), "precompiled_charsmap"},
		{"an unknown pre-tokenizer", formed(fields{"pre_tokenizer": `{"type": "UnicodeScripts"}`}), `pre_tokenizer: the type "UnicodeScripts"`},
		{"an unknown behavior", formed(fields{"pre_tokenizer": `{"type": "Punctuation", "behavior": "Doubled"}`}), "behavior"},
		{"an unsupported pattern", formed(fields{"pre_tokenizer": `{"type": "Split", "pattern": {"Regex": "(?<=a)b"}, "behavior": "Isolated", "invert": false}`}), `pre_tokenizer: pattern "(?<=a)b"`},
		{"an empty pattern", formed(fields{"pre_tokenizer": `{"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated", "invert": false}`}), "pre_tokenizer: pattern"},
		{"two settings that disagree", formed(fields{"pre_tokenizer": `{"type": "Metaspace", "replacement": "▁", "add_prefix_space": false, "prepend_scheme": "first"}`}), "add_prefix_space"},
		{"an unknown scheme", formed(fields{"pre_tokenizer": `{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "f"}`}), "prepend_scheme"},
		{"an unknown decoder", formed(fields{"decoder": `{"type": "Sequence", "decoders": [{"type": "Magic"}]}`}), `decoder.decoders[0]: the type "Magic"`},
		{"a decoder that strips two characters", formed(fields{"decoder": `{"type": "Strip", "content": "ab", "start": 1, "stop": 0}`}), "one character"},
		{"a template without the text", formed(fields{"post_processor": `{"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}`}), "sequence A"},
		{"a template with an unknown token", formed(fields{"post_processor": strings.Replace(template, `"</s>": {"id"`, `"x": {"id"`, 1)}), `single[2]: "</s>"`},
		{"an added token with the id of another", formed(fields{"added_tokens": `[{"id": 0, "content": "<s>"}]`}), `added_tokens: "<s>" has the id 0, want 10`},
		{"an added token twice", formed(added("<s>", "<s>")), "added_tokens"},
		{"a long added token", formed(added(strings.Repeat("x", 2000))), "at most 1024"},
	} {
		_, err := Parse([]byte(test.form))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

// byteVocabulary returns a vocabulary of all visible bytes and a few tokens.
func byteVocabulary() string {
	ids := map[string]int{}
	for b := range 256 {
		ids[string(visibleByte(byte(b)))] = b
	}
	ids["Ġthe"], ids["å¥"] = 256, 257
	return asJSON(ids)
}

// asJSON encodes a value as JSON.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// byteForm returns a byte-level tokenizer.
func byteForm() string {
	return formed(fields{
		"model":         bpeForm(fields{"vocab": byteVocabulary(), "merges": `["å ¥"]`}),
		"pre_tokenizer": `{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}`,
		"decoder":       `{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}`,
		"added_tokens":  `[{"id": 258, "content": "<｜end｜>", "special": true}, {"id": 259, "content": "ok", "special": false}]`,
	})
}

func TestDecode(t *testing.T) {
	word := fields{"model": wordForm}
	fallback := fields{"model": bpeForm(fields{"vocab": `{"▁a": 0, "<0xE4>": 1, "<0xBD>": 2, "<0xA0>": 3, "b": 4, "▁": 5, "<0x41>": 6}`, "merges": "[]"})}
	for _, test := range []struct {
		why  string
		form string
		ids  []int32
		want string
	}{
		{"no tokens", formed(), nil, ""},
		{"without a decoder, spaces between", formed(), []int32{0, 99, 3, -1}, "a ab"},
		{"characters of several tokens", byteForm(), []int32{0xe4, 0xbd, 0xa0, 257, 0xbd}, "你好"},
		{"a token in another spelling", byteForm(), []int32{258, 259, 256}, "<｜end｜>ok the"},
		{"invalid bytes, one sign for each start", byteForm(), []int32{0xe4, 0xbd, 'a', 0xff, 0xff, 0xf0, 0x9f}, "�a���"},
		{"runs of bytes", formed(fallback, fields{"decoder": `{"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}`}),
			[]int32{0, 1, 2, 3, 0, 1, 2, 4, 6}, "a你 a��bA"},
		{"the first space is the tokenizer's own", formed(fallback, fields{"decoder": `{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}`}), []int32{0, 0, 5}, "a a "},
		{"parts of words", formed(word, fields{"decoder": `{"type": "WordPiece", "prefix": "##", "cleanup": false}`}), []int32{1, 4, 2, 5}, "abc abc"},
		{"ends of words", formed(fields{"decoder": `{"type": "BPEDecoder", "suffix": "c"}`}), []int32{4, 5, 2}, "b ab "},
		{"repeats", formed(fields{"decoder": `{"type": "CTC", "pad_token": "?", "word_delimiter_token": "▁", "cleanup": true}`}), []int32{0, 0, 9, 0, 7, 1}, "aa b"},
		{"stripped ends", formed(fields{"decoder": `{"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": "a", "start": 1, "stop": 2}]}`}), []int32{0, 0, 1, 0, 1, 0, 0, 0}, "ababa"},
		{"a pattern", formed(fields{"decoder": `{"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": "x"}`}), []int32{5, 9, 3}, "xc?x"},
		{"a text across pieces", formed(fields{"decoder": `{"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "aab"}, "content": "x"}]}`}), []int32{0, 0, 0, 1, 0, 0, 2, 0}, "axaaca"},
	} {
		tok := parsed(t, test.form)
		if got := tok.Decode(test.ids, false); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
		if got := streamed(t, tok, test.ids, false); got != test.want {
			t.Errorf("%s: %q as a stream, want %q", test.why, got, test.want)
		}
	}
}

// streamed decodes ids one by one.
func streamed(t *testing.T, tok *Tokenizer, ids []int32, skipSpecial bool) string {
	t.Helper()
	s := tok.Stream(skipSpecial)
	var all strings.Builder
	for _, id := range ids {
		next := s.Next(id)
		if !utf8.ValidString(next) {
			t.Errorf("%v: %q is not whole characters", ids, next)
		}
		all.WriteString(next)
	}
	all.WriteString(s.Flush())
	return all.String()
}

// A stream returns a character as soon as it is complete, and no sooner.
func TestStreamIsPrompt(t *testing.T) {
	s := parsed(t, byteForm()).Stream(true)
	for i, test := range []struct {
		id   int32
		want string
	}{{'a', "a"}, {0xe4, ""}, {0xbd, ""}, {0xa0, "你"}, {258, ""}, {257, ""}, {'b', "�b"}, {0xf0, ""}} {
		if got := s.Next(test.id); got != test.want {
			t.Errorf("token %d: %q, want %q", i, got, test.want)
		}
	}
	if got := s.Flush(); got != "�" {
		t.Errorf("at the end: %q", got)
	}
}

func TestTokens(t *testing.T) {
	tok := parsed(t, byteForm())
	if id, known := tok.ID("Ġthe"); id != 256 || !known {
		t.Errorf("the id is %d, %v", id, known)
	}
	if token, known := tok.Token(258); token != "<｜end｜>" || !known {
		t.Errorf("the token is %q, %v", token, known)
	}
	if _, known := tok.Token(260); known || !slices.Equal(tok.Special(), []int32{258}) || tok.Size() != 260 {
		t.Errorf("special %v, size %d", tok.Special(), tok.Size())
	}
	if _, known := tok.ID("nothing"); known {
		t.Error("a token that there is not")
	}
}

// Sparse ids have tokens only where the file lists them.
func TestSparseIDs(t *testing.T) {
	tok := parsed(t, formed(fields{"model": bpeForm(fields{"vocab": `{"a": 0, "": 2, "b": 5}`, "merges": "[]"})}))
	if _, known := tok.Token(1); known || tok.Size() != 6 || tok.Decode([]int32{0, 1, 5}, false) != "a b" {
		t.Errorf("size %d, %q", tok.Size(), tok.Decode([]int32{0, 1, 5}, false))
	}
}

func TestLossy(t *testing.T) {
	for _, test := range []struct{ why, bytes, want string }{
		{"text", "aé漢\U0001f600", "aé漢\U0001f600"},
		{"the start of a character", "\xe4\xbdx", "�x"},
		{"two starts", "\xe4\xbd\xe4\xbd", "��"},
		{"a continuation without a start", "\x80\x80", "��"},
		{"a start that no character has", "\xff\xc0\xaf", "���"},
		{"an overlong character", "\xe0\x80\x80", "���"},
		{"half a surrogate", "\xed\xa0\x80", "���"},
		{"three of four bytes", "\xf0\x9f\x98", "�"},
		{"beyond Unicode", "\xf4\x90\x80\x80", "����"},
	} {
		if got := lossy([]byte(test.bytes)); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	path, cache := filepath.Join(folder, "tokenizer.json"), filepath.Join(folder, "cache", "deep")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, byteForm())
	check := func(why, path, cache string) {
		tok, err := Load(path, cache)
		if err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		if ids, err := tok.Encode("好 the", false); err != nil || !slices.Equal(ids, []int32{257, 0xbd, ' ', 't', 'h', 'e'}) {
			t.Errorf("%s: %v, error %v", why, ids, err)
		}
	}
	check("no cache", path, "")
	check("the model's folder", folder, "")
	check("an empty cache", path, cache)
	kept, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %v, error %v", kept, err)
	}
	check("a cache", path, cache)
	form, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	write(kept[0], "damaged")
	check("a damaged cache", path, cache)
	if again, err := os.ReadFile(kept[0]); err != nil || string(again) != string(form) {
		t.Errorf("the damaged file is not made anew, error %v", err)
	}
	write(filepath.Join(folder, "file"), "")
	check("a cache that cannot be made", path, filepath.Join(folder, "file"))

	write(path, "{}")
	if _, err := Load(path, cache); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("an invalid file: %v", err)
	}
	if _, err := Load(filepath.Join(folder, "none"), cache); err == nil {
		t.Error("a missing file is read")
	}
}

// Each binary form reads back the same.
func TestBinaryForm(t *testing.T) {
	for _, form := range []string{formed(), formed(fields{"model": unigramForm}), formed(fields{"model": wordForm}), byteForm(),
		formed(fields{"model": bpeForm(fields{"vocab": `{"a": 0, "": 2, "b": 5}`, "merges": "[]"})})} {
		f, err := parseFile([]byte(form))
		if err != nil {
			t.Fatal(err)
		}
		binary := f.binary()
		again, err := parseBinary(binary)
		if err != nil {
			t.Fatalf("%v: %s", err, form)
		}
		if string(again.binary()) != string(binary) || !slices.Equal(again.merges, f.merges) || !slices.Equal(again.vocabulary.tokens, f.vocabulary.tokens) {
			t.Errorf("not the same: %s", form)
		}
	}
}

// Many goroutines load through one cache and share one tokenizer.
func TestConcurrency(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "tokenizer.json")
	if err := os.WriteFile(path, []byte(byteForm()), 0o600); err != nil {
		t.Fatal(err)
	}
	shared := parsed(t, byteForm())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			own, err := Load(path, folder)
			if err != nil {
				t.Error(err)
				return
			}
			for j := range 50 {
				text := strings.Repeat(fmt.Sprint("the 漢字 ", i*j%7), j)
				a, _ := shared.Encode(text, true)
				b, _ := own.Encode(text, true)
				if !slices.Equal(a, b) || shared.Decode(a, false) != text {
					t.Errorf("%q: %v and %v", text, a, b)
				}
			}
		})
	}
	all.Wait()
}

// An added token at a quoted offset is text; one that the tokenizer cannot write as text is an
// error if it is special, and found as always if not. Every token but "cb" is a tag.
func TestEncodeQuoted(t *testing.T) {
	for _, test := range []struct {
		why     string
		form    string
		text    string
		written []int
		quoted  []int
		want    []int32 // nil: an error
	}{
		{"not quoted", formed(added("ca special")), "bcabca", []int{1, 4}, nil, []int32{1, 10, 1, 10}},
		{"the first", formed(added("ca special")), "bcabca", []int{1, 4}, []int{1}, []int32{4, 3, 10}},
		{"both", formed(added("ca special")), "bcabca", []int{1, 4}, []int{1, 4}, []int32{4, 0, 4, 0}},
		{"elsewhere", formed(added("ca special")), "bcabca", []int{1, 4}, []int{0, 2}, []int32{1, 10, 1, 10}},
		{"an ordinary tag", formed(added("ca")), "bcabca", []int{1, 4}, []int{4}, []int32{1, 10, 4, 0}},
		{"an ordinary token that is no tag", formed(added("cb")), "acb", nil, nil, []int32{0, 10}},
		{"white space is no tag", formed(added("▁▁")), "a▁▁", nil, nil, []int32{0, 10}},
		{"one that is found after the normalizer", formed(added("ca special normalized")), "bcab", []int{1}, []int{1}, []int32{4, 3}},
		{"the last, behind other tokens", formed(added("ca special", "bb normalized")), "bbcabb", []int{0, 2, 4}, []int{4}, []int32{11, 10, 1, 1}},
		{"after a normalizer that changes the text", formed(added("ca special normalized"), fields{"normalizer": `{"type": "Lowercase"}`}), "Bca", []int{1}, []int{1}, nil},
		{"a tag, after one that does", formed(added("ca normalized"), fields{"normalizer": `{"type": "Lowercase"}`}), "Bca", []int{1}, []int{1}, []int32{1, 10}},
		{"one of the model's vocabulary", formed(added("ab special")), "ab", []int{0}, []int{0}, nil},
	} {
		tok := parsed(t, test.form)
		if got := tok.Written(test.text, func(token string) bool { return token != "cb" }); !slices.Equal(got, test.written) {
			t.Errorf("%s: written at %v, want %v", test.why, got, test.written)
		}
		got, err := tok.EncodeQuoted(test.text, false, test.quoted)
		if (err != nil) != (test.want == nil) || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, error %v, want %v", test.why, got, err, test.want)
		}
	}
}
