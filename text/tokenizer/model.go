package tokenizer

import (
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// A model turns a nonempty word into tokens.
type model interface {
	// appendWord appends the tokens of a word. It uses s as scratch memory.
	appendWord(dst []int32, word string, s *scratch) ([]int32, error)
}

// A scratch is reusable memory of models. It is not safe for concurrent use.
type scratch struct {
	symbols []symbol
	heap    []candidate
	paths   []path
}

// byteToken returns the byte-fallback token of a byte.
func byteToken(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// byteTokens returns the tokens of all bytes; -1: not in the vocabulary.
func byteTokens(v *vocabulary) (ids [256]int32) {
	for b := range ids {
		ids[b] = v.id(byteToken(byte(b)))
	}
	return ids
}

// appendBytes appends the tokens of the bytes of text, unless one has none.
func appendBytes(dst []int32, ids *[256]int32, text string) (longer []int32, all bool) {
	longer = dst
	for i := range len(text) {
		id := ids[text[i]]
		if id < 0 {
			return dst, false
		}
		longer = append(longer, id)
	}
	return longer, true
}

// A cache maps recent words to their tokens: each slot keeps its last word. It is safe
// for concurrent use.
type cache struct {
	seed   maphash.Seed
	places [1 << cacheBits]atomic.Pointer[cached]
}

const (
	cacheBits = 16
	maxCached = 64 // longest word in the cache, in bytes
)

// A cached word does not change.
type cached struct {
	word string
	ids  []int32
}

// get returns the tokens of a word, and its slot; nil: not in the cache.
func (c *cache) get(word string) (known *cached, at uint64) {
	at = maphash.String(c.seed, word) & (1<<cacheBits - 1)
	if known = c.places[at].Load(); known == nil || known.word != word {
		return nil, at
	}
	return known, at
}

// put stores copies of a word and its tokens.
func (c *cache) put(at uint64, word string, ids []int32) {
	c.places[at].Store(&cached{strings.Clone(word), append([]int32(nil), ids...)})
}

// A wordPiece model takes the longest token at the start of a word, then repeatedly the
// longest continuation token.
type wordPiece struct {
	begin, within *trie
	unknown       int32  // -1: none
	unknownName   string // for the error
	maxLength     int    // more characters make a word unknown
}

func (m *wordPiece) appendWord(dst []int32, word string, _ *scratch) ([]int32, error) {
	longer, rest, from := dst, word, m.begin
	if runeCountAbove(word, m.maxLength) {
		rest, from = word, newTrie()
	}
	for rest != "" {
		id, length := from.longest(rest)
		if length == 0 {
			if m.unknown < 0 {
				return dst, unknownError(word, m.unknownName)
			}
			return append(dst, m.unknown), nil
		}
		longer = append(longer, id)
		rest, from = rest[length:], m.within
	}
	return longer, nil
}

// runeCountAbove reports whether text has more than n characters.
func runeCountAbove(text string, n int) bool {
	for range text {
		if n--; n < 0 {
			return true
		}
	}
	return false
}

// unknownError returns the error for a word without tokens, if the vocabulary lacks the
// unknown token too.
func unknownError(word, name string) error {
	return fmt.Errorf("%.20q is not in the vocabulary, nor is the unknown token %q", word, name)
}

// A wordLevel model has a token for each word.
type wordLevel struct {
	vocabulary  *vocabulary
	unknown     int32 // -1: none
	unknownName string
}

func (m *wordLevel) appendWord(dst []int32, word string, _ *scratch) ([]int32, error) {
	id := m.vocabulary.id(word)
	if id < 0 {
		id = m.unknown
	}
	if id < 0 {
		return dst, unknownError(word, m.unknownName)
	}
	return append(dst, id), nil
}

// newWordPiece builds the model of a file.
func newWordPiece(f *file) (*wordPiece, error) {
	form := f.settings.Model
	m := &wordPiece{begin: newTrie(), within: newTrie(), unknownName: "[UNK]", maxLength: 100}
	if form.UnkToken != nil {
		m.unknownName = *form.UnkToken
	}
	m.unknown = f.vocabulary.id(m.unknownName)
	if form.MaxInputChars != nil {
		m.maxLength = *form.MaxInputChars
	}
	prefix := "##"
	if form.WordPrefix != nil {
		prefix = *form.WordPrefix
	}
	for id, token := range f.vocabulary.tokens {
		if _, known := f.vocabulary.token(int32(id)); !known {
			continue
		}
		if len(token) > maxKey {
			return nil, fmt.Errorf("vocab: %.20q has %d bytes, want at most %d", token, len(token), maxKey)
		}
		m.begin.add(token, int32(id))
		if rest, ok := strings.CutPrefix(token, prefix); ok {
			m.within.add(rest, int32(id))
		}
	}
	return m, nil
}
