package tokenizer

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A unigram model splits a word into the tokens with the greatest sum of scores
// (Viterbi's algorithm).
type unigram struct {
	vocabulary   *vocabulary
	pieces       *trie
	scores       []float64 // by token
	unknown      int32     // -1: none
	unknownScore float64
	bytes        [256]int32
	byteFallback bool
}

// unknownPenalty is how much less an unknown character scores than the worst token.
const unknownPenalty = 10

// A path is the best way to an index in a word: its last token and where that begins.
type path struct {
	score float64
	begin int // -1: none yet
	id    int32
}

func (m *unigram) appendWord(dst []int32, word string, s *scratch) ([]int32, error) {
	paths, err := m.search(word, s)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	for end := len(word); end > 0; { // from the end, and each token backwards
		from := paths[end].begin
		if paths[end].id == m.unknown {
			for from > 0 && paths[from].id == m.unknown { // adjacent unknown characters are one
				from = paths[from].begin
			}
		}
		if dst, err = m.appendBackwards(dst, word[from:end]); err != nil {
			return dst[:begin], err
		}
		end = from
	}
	slices.Reverse(dst[begin:])
	return dst, nil
}

// search returns the best path to each index of a word.
func (m *unigram) search(word string, s *scratch) ([]path, error) {
	paths := s.paths[:0]
	for range len(word) + 1 {
		paths = append(paths, path{begin: -1})
	}
	s.paths = paths
	for i, r := range word {
		width := utf8.RuneLen(r)
		single := false
		for end, at := i, int32(0); end < len(word); {
			at = m.pieces.next(at, word[end])
			if at < 0 {
				break
			}
			end++
			if id := m.pieces.ids[at]; id >= 0 {
				paths[end].improve(paths[i].score+m.scores[id], i, id)
				single = single || end == i+width
			}
		}
		if !single {
			if m.unknown < 0 {
				return nil, unknownError(word[i:i+width], "unk_id")
			}
			paths[i+width].improve(paths[i].score+m.unknownScore, i, m.unknown)
		}
	}
	return paths, nil
}

// improve takes a better way.
func (p *path) improve(score float64, begin int, id int32) {
	if p.begin < 0 || score > p.score {
		*p = path{score, begin, id}
	}
}

// appendBackwards appends the tokens of a text that is a token or unknown, last first.
func (m *unigram) appendBackwards(dst []int32, text string) ([]int32, error) {
	if id := m.vocabulary.id(text); id >= 0 {
		return append(dst, id), nil
	}
	if m.byteFallback {
		if longer, all := appendBytes(dst, &m.bytes, text); all {
			slices.Reverse(longer[len(dst):])
			return longer, nil
		}
	}
	if m.unknown < 0 {
		return dst, unknownError(text, "unk_id")
	}
	return append(dst, m.unknown), nil
}

// newUnigram builds the model of a file.
func newUnigram(f *file) (*unigram, error) {
	form := f.settings.Model
	m := &unigram{
		vocabulary: f.vocabulary, pieces: newTrie(), scores: f.scores, unknown: -1,
		bytes: byteTokens(f.vocabulary), byteFallback: form.ByteFallback,
	}
	if len(f.scores) == 0 {
		return nil, errors.New("vocab: is empty")
	}
	if form.UnkID != nil {
		if m.unknown = *form.UnkID; m.unknown < 0 || int(m.unknown) >= len(f.scores) {
			return nil, fmt.Errorf("unk_id: is %d, want one of the %d tokens", m.unknown, len(f.scores))
		}
	}
	m.unknownScore = slices.Min(f.scores) - unknownPenalty
	for id, token := range f.vocabulary.tokens {
		if len(token) > maxKey {
			return nil, fmt.Errorf("vocab[%d]: has %d bytes, want at most %d", id, len(token), maxKey)
		}
		m.pieces.add(token, int32(id))
	}
	return m, nil
}
