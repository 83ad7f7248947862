package tokenizer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An addedToken is found in the text before any splitting.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only where no word continues before or after it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`      // takes the white space after it
	Normalized bool   `json:"normalized"`  // found in the normalized text, and normalized itself
	Special    bool   `json:"special"`     // decoding omits it on request

	text string // its decoded text: the content, or the normalized content
}

// blank reports whether a token is white space alone.
func (t *addedToken) blank() bool { return strings.Trim(t.Content, " \t\r\n▁") == "" }

// addedTokens holds the added tokens of a tokenizer. Two searches find them: one in the
// text as it is, one in the normalized rest.
type addedTokens struct {
	byID       map[int32]addedToken
	byContent  map[string]int32
	special    map[string]bool // by content
	begins     string          // first characters of all that [Tokenizer.Written] looks for
	exact      *search
	normalized *search
	limit      int32 // one more than the greatest number
}

// A search finds the leftmost added token, and the longest among those.
type search struct {
	keys  *trie
	first [256]bool // bytes that begin a key
	list  []addedToken
	word  runeSet
}

// newAddedTokens numbers tokens like the reference: tokens of the model keep its numbers,
// the others follow. It rejects a list with other numbers.
func newAddedTokens(list []addedToken, v *vocabulary, n normalizer) (*addedTokens, error) {
	a := &addedTokens{byID: map[int32]addedToken{}, byContent: map[string]int32{}, special: map[string]bool{}}
	a.exact, a.normalized = newSearch(), newSearch()
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	top := int32(v.count)
	for _, token := range sorted {
		if token.Content == "" {
			continue
		}
		id := v.id(token.Content)
		if id < 0 {
			id = top
		}
		if _, twice := a.byContent[token.Content]; twice || id != token.ID {
			return nil, fmt.Errorf("added_tokens: %q has the id %d, want %d: the ids of the vocabulary, then consecutive ones, each token once",
				token.Content, token.ID, id)
		}
		top = max(top, id+1)
		if err := a.enter(&token, n); err != nil {
			return nil, fmt.Errorf("added_tokens: %q: %w", token.Content, err)
		}
		a.byID[id], a.byContent[token.Content] = token, id
		if token.Special {
			a.special[token.Content] = true
		}
	}
	a.limit = max(top, int32(len(v.tokens)))
	return a, nil
}

// enter adds a token to its search.
func (a *addedTokens) enter(token *addedToken, n normalizer) error {
	token.text = token.Content
	if token.Normalized && n != nil {
		x, err := n.normalize(piece{text: token.Content})
		if err != nil {
			return err
		}
		token.text = x.text
	}
	if first, _ := utf8.DecodeRuneInString(token.text); token.text != "" && (token.Special || !token.blank()) && !strings.ContainsRune(a.begins, first) {
		a.begins += string(first)
	}
	if token.Normalized {
		return a.normalized.add(*token)
	}
	return a.exact.add(*token)
}

func newSearch() *search { return &search{keys: newTrie()} }

// add adds a token; of several with the same normalized text, the first wins.
func (s *search) add(token addedToken) error {
	key := token.text
	if len(key) > maxKey {
		return fmt.Errorf("it has %d bytes, want at most %d", len(key), maxKey)
	}
	if key == "" {
		return nil
	}
	if id, length := s.keys.longest(key); id < 0 || length < len(key) {
		s.keys.add(key, int32(len(s.list)))
		s.first[key[0]] = true
		s.list = append(s.list, token)
	}
	if token.SingleWord && s.word == nil {
		s.word = wordRunes()
	}
	return nil
}

// each calls text for the gaps between the added tokens of x, with their offsets, and found for
// each token, in order. Tokens at the offsets quoted, which ascend, are text.
func (s *search) each(x piece, quoted []int, text func(x piece, at int), found func(id int32)) {
	at := 0
	for i := 0; i < len(x.text); {
		token, end := s.at(x.text, i)
		if token == nil || isIn(quoted, i) {
			i++
			continue
		}
		start := i
		if i = end; token.SingleWord && s.withinWord(x.text, start, end) {
			continue
		}
		if token.LStrip {
			start = max(at, len(strings.TrimRightFunc(x.text[:start], unicode.IsSpace)))
		}
		if token.RStrip {
			end = len(x.text) - len(strings.TrimLeftFunc(x.text[end:], unicode.IsSpace))
		}
		if start > at {
			text(x.part(at, start), at)
		}
		if start < end { // else the token before it took all of it
			found(token.ID)
		}
		at = end
	}
	if at < len(x.text) {
		text(x.part(at, len(x.text)), at)
	}
}

// isIn reports whether i is among the offsets, which ascend.
func isIn(offsets []int, i int) bool {
	_, ok := slices.BinarySearch(offsets, i)
	return ok
}

// at returns the longest token that begins at i, and its end; nil: none.
func (s *search) at(text string, i int) (token *addedToken, end int) {
	if !s.first[text[i]] {
		return nil, 0
	}
	id, length := s.keys.longest(text[i:])
	if id < 0 {
		return nil, 0
	}
	return &s.list[id], i + length
}

// withinWord reports whether a word continues before start or after end.
func (s *search) withinWord(text string, start, end int) bool {
	before, width := utf8.DecodeLastRuneInString(text[:start])
	if width > 0 && s.word.Has(before) {
		return true
	}
	after, width := utf8.DecodeRuneInString(text[end:])
	return width > 0 && s.word.Has(after)
}
