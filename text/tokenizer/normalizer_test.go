package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// normalized normalizes text by the normalizer of a file.
func normalized(t testing.TB, form, text string) piece {
	t.Helper()
	steps, err := component{"normalizer", []byte(form)}.normalizers()
	if err != nil {
		t.Fatal(err)
	}
	x, err := normalizers(steps).normalize(piece{text, true})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestNormalize(t *testing.T) {
	long := "e" + strings.Repeat("\u0301\u0323", 20)
	for _, test := range []struct {
		why, form, text, want string
		first                 bool
	}{
		{"composed", `{"type": "NFC"}`, "e\u0301\u1100\u1161", "é가", true},
		{"composed, after marks that stand between", `{"type": "NFC"}`, "e\u0323\u0302", "ệ", true},
		{"decomposed", `{"type": "NFD"}`, "é가", "e\u0301\u1100\u1161", true},
		{"a long run of marks gets none added", `{"type": "NFC"}`, long, "\u1eb9" + strings.Repeat("\u0323", 19) + strings.Repeat("\u0301", 20), true},
		{"compatible", `{"type": "NFKC"}`, "ﬁ①", "fi1", true},
		{"newer characters stay", `{"type": "NFKC"}`, "㋿ﬁ", "㋿fi", true},
		{"the newest characters stay", `{"type": "NFKD"}`, "\U0001e030", "\U0001e030", true},
		{"newer marks stay in place", `{"type": "NFC"}`, "a\u0301\u08d2\u0323", "á\u08d2\u0323", true},
		{"lower case", `{"type": "Lowercase"}`, "AÉİ\u1c89\U00010d50Σ", "aéi̇\u1c8a\U00010d70σ", true},
		{"accents", `{"type": "StripAccents"}`, "e\u0301\u0301a", "ea", true},
		{"accents at the start", `{"type": "StripAccents"}`, "\u0301a", "a", false},
		{"for machine translation", `{"type": "Nmt"}`, "a\u0001b\u200bc\ufeff", "ab c ", true},
		{"spaces at the ends", `{"type": "Strip", "strip_left": true, "strip_right": true}`, " \u00a0a \n", "a", false},
		{"spaces at the right", `{"type": "Strip", "strip_left": false, "strip_right": true}`, " a \n", " a", true},
		{"a text before", `{"type": "Prepend", "prepend": "▁"}`, "a", "▁a", true},
		{"nothing before nothing", `{"type": "Prepend", "prepend": "▁"}`, "", "", true},
		{"a text in place of another", `{"type": "Replace", "pattern": {"String": " "}, "content": "▁"}`, " a b", "▁a▁b", true},
		{"nothing in place of the start", `{"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": ""}`, "abc", "c", false},
		{"bytes as characters", `{"type": "ByteLevel"}`, "é \n", "Ã©ĠĊ", true},
		{"BERT's", `{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`, "É\u0000\t漢x", "e  漢 x", true},
		{"BERT's, with case", `{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": false, "strip_accents": null, "lowercase": false}`, "É漢", "É漢", true},
	} {
		if got := normalized(t, test.form, test.text); got != (piece{test.want, test.first}) {
			t.Errorf("%s: %+q, first %v; want %+q, %v", test.why, got.text, got.first, test.want, test.first)
		}
	}
}

// The slow normal form equals that of package norm, where that has one.
func FuzzNormalFormSlowly(f *testing.F) {
	f.Add("e\u0323\u0302\u0301 \u1100\u1161\u11a8 ﬁ①")
	f.Add("a\u0315\u0300\u05ae\u0300\u0062 \u0344\u1e9b\u0323")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if strings.ContainsRune(text, 0x34f) || strings.ContainsRune(norm.NFKD.String(text), 0x34f) {
			return // package norm adds to long runs of marks
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			if got, want := normalForm(form).slowly(text), form.String(text); got != want {
				t.Errorf("form %d of %+q: %+q, want %+q", form, text, got, want)
			}
		}
	})
}

// mapped writes a charsmap: each node has a block of 256 units, indexed by the next byte.
func mapped(to map[string]string) string {
	units := make([]uint32, 1<<13)
	nodes := map[string]uint32{"": 256} // blocks by prefix
	units[0] = 256 << 10
	texts := ""
	for _, key := range slices.Sorted(maps.Keys(to)) {
		last := uint32(0)
		for i := range len(key) {
			c := uint32(key[i])
			last = nodes[key[:i]] ^ c
			if nodes[key[:i+1]] == 0 {
				nodes[key[:i+1]] = 256 * uint32(len(nodes)+1)
			}
			units[last] = units[last]&(1<<8) | c | (last^nodes[key[:i+1]])<<10
		}
		units[last] |= 1 << 8 // the key ends here
		units[nodes[key]] = 1<<31 | uint32(len(texts))
		texts += to[key] + "\x00"
	}
	raw := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		raw = binary.LittleEndian.AppendUint32(raw, u)
	}
	return base64.StdEncoding.EncodeToString(append(raw, texts...))
}

func TestCharsmap(t *testing.T) {
	form := `{"type": "Precompiled", "precompiled_charsmap": "` + mapped(map[string]string{"A": "a", "e\xcc\x81": "é", "\r\n": " ", "\x01": ""}) + `"}`
	for _, test := range []struct{ why, text, want string }{
		{"nothing", "", ""},
		{"a character", "xAx", "xax"},
		{"a pair", "e\u0301x", "éx"},
		{"a pair that begins a short cluster stands for all of it", "e\u0301\u0301", "é"},
		{"a pair within a longer cluster does not count", "e\u0301\u0301\u0301", "e\u0301\u0301\u0301"},
		{"a character in a cluster", "A\u0301", "a"},
		{"a line end of two", "x\r\ny", "x y"},
		{"a character mapped to nothing", "\x01x", "x"},
	} {
		if got := normalized(t, form, test.text); got != (piece{test.want, true}) {
			t.Errorf("%s: %+q, first %v; want %+q", test.why, got.text, got.first, test.want)
		}
	}
}

func TestClusterLength(t *testing.T) {
	for _, test := range []struct {
		why, text string
		want      int
	}{
		{"a letter", "ab", 1},
		{"a mark", "a\u0301b", 3},
		{"a line end", "\r\nx", 2},
		{"a control character takes no mark", "\n\u0301", 1},
		{"a joiner", "a\u200db", 4},
		{"a spacing mark", "a\u0903b", 4},
		{"a spacing mark that begins", "a\u102b", 1},
		{"a sign before a number", "\u06001", 3},
		{"a sign before a line end", "\u0600\n", 2},
		{"a tone of skin", "a\U0001f3fbx", 5},
		{"a mark after a filler", "\u3164\u0301", 5},
		{"a zero-width space", "a\u200b", 1},
	} {
		if got := clusterLength(test.text); got != test.want {
			t.Errorf("%s: %d, want %d", test.why, got, test.want)
		}
	}
}
