package tokenizer

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// llama3 and o200k are the split patterns of Llama 3 and of OpenAI's newer models.
const (
	llama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	o200k  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// matches returns the matches of a pattern.
func matches(t *testing.T, text, in string) (found []string) {
	t.Helper()
	p, err := parsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Find(in, func(start, end int) { found = append(found, in[start:end]) }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFind(t *testing.T) {
	for _, test := range []struct{ why, pattern, text, want string }{
		{"words with the space before them", llama3, "I'll go  on", "I|'ll| go| | on"},
		{"a contraction with a long s", llama3, "it'ſ", "it|'ſ"},
		{"digits by threes", llama3, "1234567", "123|456|7"},
		{"the last space of a run belongs to the word", llama3, "a   b", "a|  | b"},
		{"spaces at the end stay together", llama3, "a   ", "a|   "},
		{"the last line end ends a run", llama3, " \n \n  x", " \n \n| | x"},
		{"signs take line ends with them", llama3, "ok!\n\nx", "ok|!\n\n|x"},
		{"letters since Unicode 16", llama3, "a\U00013c73b", "a\U00013c73b"},
		{"case divides words", o200k, "camelCaseHTMLParser", "camel|Case|HTMLParser"},
		{"a repeat gives back a character of both classes", o200k, "漢字X", "漢字|X"},
		{"a contraction belongs to its word", o200k, "DON'T x", "DON'T| x"},
		{"the first alternative wins, not the longest", "a|ab", "ab", "a"},
		{"repeats give back", "[ab]*b", "aabba", "aabb"},
		{"an optional group", "a(?:bc)?d?", "abcd ab", "abcd|a"},
		{"counts", "a{2,3}", "aaaaa", "aaa|aa"},
		{"a count of at most", "xa{,2}", "xaaa", "xaa"},
		{"looking ahead for a character", "a(?=b)", "aab", "a"},
		{"looking ahead at the end", "a(?!b)", "aba", "a"},
		{"an intersection", `[\p{L}&&[^a-c]]+`, "abcdefc", "def"},
		{"an escaped class", `[\]\-x]+`, "a]-x", "]-x"},
		{"code points", `[\x41-\x{43}\u0044]+`, "ABCDE", "ABCD"},
		{"the dot does not match a line end", ".+", "ab\ncd", "ab|cd"},
		{"a negated property", `\P{L}+`, "a12b", "12"},
		{"a superscript is part of a word", `\w+`, "x² ½", "x²|½"},
		{"white space is Unicode's", `\s+`, "a\u0085\u2003b", "\u0085\u2003"},
	} {
		if got := strings.Join(matches(t, test.pattern, test.text), "|"); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestParsePatternRefuses(t *testing.T) {
	for _, test := range []struct{ why, pattern, want string }{
		{"nothing", "", "empty text"},
		{"a match of the empty text", "a*", "empty text"},
		{"an empty alternative", "a|", "empty text"},
		{"a look behind", "(?<!a)b", "(?<!"},
		{"a longer look ahead", "a(?!bc)", "look ahead"},
		{"a repeated group", "(?:ab)+", "repeated group"},
		{"a lazy repeat", "a+?", "lazy"},
		{"a possessive repeat", "a++", "lazy, possessive"},
		{"an anchor", "^a", `'^'`},
		{"a word boundary", `\ba`, `\\b`},
		{"a reference back", `(a)\1`, `\\1`},
		{"a property that we did not compare", `\p{Greek}`, "property"},
		{"marks apart: one of them moved", `\p{Mn}`, "property"},
		{"a class without an end", "[a", "without an end"},
		{"a class of POSIX", "[[:alpha:]]", "[:alpha:]"},
		{"a range backwards", "[b-a]", "range"},
		{"a range of a class", `[\d-z]`, ""},
		{"a ligature may match", "(?i:office)", `"ff"`},
		{"other letters without case", "(?i:é)", "ignores case"},
		{"a class without case", "(?i:[ab])", "ignores case"},
		{"an unmatched parenthesis", "a)", "unmatched"},
		{"a group without an end", "(?:a", "without an end"},
		{"nothing after a look ahead", "(?!", "without an end"},
		{"a backslash at the end", `a\`, "backslash"},
		{"a count without an end", "a{2", "repeat"},
		{"counts backwards", "a{3,2}", "repeat"},
		{"an invalid byte", `\x80`, `\\x80`},
		{"deep groups", strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40), "nesting"},
		{"deep classes", strings.Repeat("[", 40) + "a" + strings.Repeat("]", 40), "nesting"},
		{"many classes", "abcdefghijklmnopqrstuvwxyz0123456789", "classes"},
		{"a long pattern", strings.Repeat("a", maxPattern+1), "at most"},
		{"invalid UTF-8", "a\xff", "UTF-8"},
	} {
		_, err := parsePattern(test.pattern)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: error %v", test.why, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

// A pattern built to take quadratic time, or more, gives up.
func TestFindGivesUp(t *testing.T) {
	for _, pattern := range []string{"a*a*a*a*a*b", strings.Repeat("(?:a|a?)", 30) + "b", strings.Repeat("(?:(?=a)|(?!b))", 30) + "b", "a*b"} {
		p, err := parsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Find(strings.Repeat("a", 20_000), func(int, int) {}); err == nil || !strings.Contains(err.Error(), "takes too long") {
			t.Errorf("%s: error %v", pattern, err)
		}
	}
}

// The tables of other editions are differences from those of this one.
func TestUnicodeIsTheEditionThatTheTablesCompleted(t *testing.T) {
	if unicode.Version != "15.0.0" && unicode.Version != "17.0.0" {
		t.Errorf("Go's tables are now of Unicode %s: complete those of pattern and tokenizer anew; conformance/tokenizer.py tells what differs", unicode.Version)
	}
	for _, name := range []string{"L", "N", "P", "S"} {
		set, known := categoryRunes(name)
		want := map[string]int{"L": 141028, "N": 1911, "P": 855, "S": 8514}[name] // in Unicode 16
		count := 0
		for r := range slices.Chunk(set, 2) {
			count += int(r[1]-r[0]) + 1
		}
		if !known || count != want {
			t.Errorf("%s has %d characters, want %d", name, count, want)
		}
	}
}

// twins lists patterns that Go's regexp reads in the same way.
var twins = []string{
	`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^ \p{L}\p{N}]+[\r\n]*| *[\r\n]+| +`,
	`[A-Z]*[a-z]+(?:'s|'ll)?|[A-Z]+[a-z]*|[0-9]`,
	`(?:a|ab)(?:c|bcd)?d?`,
	`[ab]*b|[^a]{2,3}a?`,
	`a(?:b|(?:c|d)e)?f?|x.`,
}

func FuzzFindAgreesWithRegexp(f *testing.F) {
	f.Add("Hello, World's 1234 \r\n\n x  y")
	f.Add("aabbababcd abcdefx\nxy  ADefG'll")
	f.Add("é漢字́1½ \U00013c73\u00a0")
	var ours []*pattern
	var theirs []*regexp.Regexp
	for _, text := range twins {
		p, err := parsePattern(text)
		if err != nil {
			f.Fatal(err)
		}
		ours, theirs = append(ours, p), append(theirs, regexp.MustCompile(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Map(func(r rune) rune {
			if r > 0xffff { // here the editions of Unicode differ
				return 'x'
			}
			return r
		}, strings.ToValidUTF8(text[:min(len(text), 256)], "?")) // for long ones, Find may give up
		if strings.ContainsFunc(text, func(r rune) bool { return newer["Lo"].Has(r) || r > 0x800 && !unicode.IsLetter(r) }) {
			return
		}
		for i, p := range ours {
			var got [][]int
			if err := p.Find(text, func(start, end int) { got = append(got, []int{start, end}) }); err != nil {
				t.Fatal(err)
			}
			want := theirs[i].FindAllStringIndex(text, -1)
			if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("%s in %q: %v, want %v", twins[i], text, got, want)
			}
		}
	})
}

// Any pattern is rejected or matches, in order and within bounds.
func FuzzParsePattern(f *testing.F) {
	f.Add(llama3, "I'll go  on\n")
	f.Add(o200k, "camelCase 12")
	f.Add(`[\p{L}&&[^a-c]]{2,}(?!x)|(?i:a(b|)c)`, "abcdex")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := parsePattern(pattern)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		last := 0
		_ = p.Find(text, func(start, end int) {
			if start < last || end <= start || end > len(text) {
				t.Errorf("a match from %d to %d after %d", start, end, last)
			}
			last = end
		})
	})
}

func TestSet(t *testing.T) {
	letters := runeSet{'a', 'f', 'x', 'z'}
	for _, test := range []struct {
		why       string
		got, want runeSet
	}{
		{"ranges that touch are joined", letters.Or(runeSet{'g', 'w'}), runeSet{'a', 'z'}},
		{"ranges that overlap", letters.And(runeSet{'e', 'y'}), runeSet{'e', 'f', 'x', 'y'}},
		{"the rest", letters.Not().And(runeSet{'a', 'z'}), runeSet{'g', 'w'}},
		{"nothing", letters.And(letters.Not()), runeSet{}},
		{"everything", runeSet{}.Not(), runeSet{0, unicode.MaxRune}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %q, want %q", test.why, test.got, test.want)
		}
	}
	for r := range rune(0x300) {
		if runesOf(unicode.Lu).Has(r) != unicode.Is(unicode.Lu, r) {
			t.Errorf("%q", r)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("func (t *Tokenizer) Encode(text string) — 1234 naïve 漢字 words,\n\tand more of them\n", 100)
	for name, pattern := range map[string]string{"llama3": llama3, "o200k": o200k} {
		b.Run(name, func(b *testing.B) {
			p, err := parsePattern(pattern)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = p.Find(text, func(int, int) {})
			}
		})
	}
}
