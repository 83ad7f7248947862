package tokenizer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Any file is rejected or works, and so does its binary form.
func FuzzParse(f *testing.F) {
	for _, form := range []string{
		formed(), byteForm(), formed(fields{"model": unigramForm}), formed(fields{"model": wordForm}), formed(fields{"post_processor": template}),
		formed(added("b lstrip rstrip", "x single_word normalized"), fields{"normalizer": `{"type": "BertNormalizer"}`, "pre_tokenizer": `{"type": "BertPreTokenizer"}`}),
		formed(fields{"pre_tokenizer": `{"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true}, {"type": "Metaspace", "replacement": "▁"}]}`}),
		formed(fields{"decoder": `{"type": "Sequence", "decoders": [{"type": "Strip", "content": "a", "start": 1, "stop": 1}, {"type": "CTC", "pad_token": "b", "word_delimiter_token": "c", "cleanup": true}]}`}),
		formed(fields{"normalizer": `{"type": "Precompiled", "precompiled_charsmap": "` + mapped(map[string]string{"A": "a"}) + `"}`}),
	} {
		f.Add([]byte(form), "a ab\u0301 cabA 12 b")
	}
	f.Fuzz(func(t *testing.T, form []byte, text string) {
		read, err := parseFile(form)
		if err != nil {
			return
		}
		tok, err := read.tokenizer()
		if err != nil {
			return
		}
		ids, err := tok.Encode(text, true)
		if err != nil {
			return
		}
		if got, want := streamed(t, tok, ids, false), tok.Decode(ids, false); got != want {
			t.Errorf("%v: %q as a stream, want %q", ids, got, want)
		}
		again, err := parseBinary(read.binary())
		if err != nil {
			t.Fatal(err)
		}
		other, err := again.tokenizer()
		if err != nil {
			t.Fatal(err)
		}
		if same, err := other.Encode(text, true); err != nil || !slices.Equal(same, ids) {
			t.Errorf("%q: %v from the binary form, error %v; want %v", text, same, err, ids)
		}
	})
}

// A tampered binary form is rejected or works.
func FuzzParseBinary(f *testing.F) {
	for _, form := range []string{formed(), byteForm(), formed(fields{"model": unigramForm})} {
		read, err := parseFile([]byte(form))
		if err != nil {
			f.Fatal(err)
		}
		binary := read.binary()
		f.Add(binary[:len(binary)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := checksum(body)
		read, err := parseBinary(append(slices.Clone(body), byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)))
		if err != nil {
			return
		}
		tok, err := read.tokenizer()
		if err != nil {
			return
		}
		_, _ = tok.Encode("a ab\u0301 cabA 12 b", true)
	})
}

// A byte-level tokenizer loses nothing of any text.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{"", "the 漢字 1234  \n", "<｜end｜>ok", strings.Repeat("x", 200), "\x00\u0301\ufeff"} {
		f.Add(text)
	}
	tok := parsed(f, byteForm())
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		ids, err := tok.Encode(text, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Decode(ids, false); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := streamed(t, tok, ids, true); got != tok.Decode(ids, true) {
			t.Errorf("%q: %q as a stream", text, got)
		}
	})
}

// All ways to merge symbols give the same tokens: searching all pairs, keeping a heap, and
// cutting the text first.
func FuzzJoin(f *testing.F) {
	f.Add("aabbccabcabc▁▁ab▁a▁abc")
	f.Add("▁a▁▁▁ab▁x▁")
	tok := parsed(f, formed(fields{"model": bpeForm(fields{
		"vocab":  `{"a": 0, "b": 1, "c": 2, "▁": 3, "ab": 4, "bc": 5, "abc": 6, "▁a": 7, "▁▁": 8, "cab": 9, "c▁": 10, "▁▁a": 11, "aa": 12}`,
		"merges": `["▁ ▁", "a a", "b c", "a b", "ab c", "▁ a", "c ab", "c ▁", "▁▁ a"]`})}))
	m := tok.model.(*bpe)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		ids, err := m.split(nil, text)
		if err != nil || len(ids) == 0 {
			return
		}
		short, long := slices.Clone(ids), slices.Clone(ids)
		short = short[:m.joinShort(short, new(scratch))]
		long = long[:m.joinLong(long, new(scratch))]
		if !slices.Equal(short, long) {
			t.Errorf("%q: %v by a heap, want %v", text, long, short)
		}
		if cut, err := tok.Encode(text, false); err != nil || !slices.Equal(cut, short) {
			t.Errorf("%q: %v cut, error %v; want %v", text, cut, err, short)
		}
	})
}

// largeForm returns a byte-level tokenizer with as many merges as a language model.
func largeForm(merges int) string {
	vocabulary := map[string]int{}
	var list []string
	letters := "etaoinshrdlcumwfgypbvkxjqz"
	for b := range 256 {
		vocabulary[string(visibleByte(byte(b)))] = b
	}
	tokens := []string{"Ġ"}
	for _, r := range letters {
		tokens = append(tokens, string(r))
	}
	for i := 0; len(list) < merges; i++ {
		for _, r := range letters {
			token := tokens[i] + string(r)
			if _, known := vocabulary[token]; !known {
				vocabulary[token] = len(vocabulary)
				tokens = append(tokens, token)
				list = append(list, tokens[i]+" "+string(r))
			}
		}
	}
	return formed(fields{
		"model":         bpeForm(fields{"vocab": asJSON(vocabulary), "merges": asJSON(list)}),
		"pre_tokenizer": `{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}`,
		"decoder":       `{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}`,
	})
}

// benchText returns text like that of documents and programs.
func benchText() string {
	return strings.Repeat("func (t *Tokenizer) Encode(text string) — 1234 naïve 漢字 words,\n\tand more of them, which are not always the same\n", 2000)
}

func BenchmarkEncode(b *testing.B) {
	text := benchText()
	for _, bench := range []struct{ name, form string }{{"bytes", largeForm(50_000)}, {"unigram", formed(fields{"model": unigramForm})}, {"words", formed(fields{"model": wordForm, "pre_tokenizer": `{"type": "BertPreTokenizer"}`})}} {
		b.Run(bench.name, func(b *testing.B) {
			tok := parsed(b, bench.form)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tok.Encode(text, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	tok := parsed(b, largeForm(50_000))
	text := benchText()
	ids, err := tok.Encode(text, false)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tok.Decode(ids, true)
	}
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(largeForm(100_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, cache string }{{"cold", ""}, {"cached", b.TempDir()}} {
		b.Run(bench.name, func(b *testing.B) {
			if _, err := Load(path, bench.cache); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Load(path, bench.cache); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
