package tokenizer

import (
	"math"
	"unicode/utf8"
)

// A bpe model starts with the characters of a word and repeatedly merges the pair with the
// lowest rank, leftmost first, until no pair merges.
type bpe struct {
	vocabulary *vocabulary
	merges     *pairTable // pair of tokens to its rank
	joined     []int32    // the token of the pair of each rank

	raw          bool       // words are raw bytes, each a symbol, instead of the characters that stand for them
	bytes        [256]int32 // tokens of single bytes, if raw or with byte fallback; -1: none
	byteFallback bool
	whole        bool // a word that is itself a token stays whole
	prefix       string
	suffix       string

	single [smallRunes]int32 // tokens of characters, without a prefix or suffix; -1: none

	unknown     int32   // -1: none
	unknownName *string // nil: unknown characters vanish
	fuseUnknown bool    // merge runs of unknown characters into one token
}

// A symbol is a token in a word, and the rank of its pair with the next. In a list it also
// links to its neighbours.
type symbol struct {
	id       int32
	rank     int32 // noRank: the pair does not merge
	previous int32 // -1: none
	next     int32 // -1: none
}

const (
	noRank     = math.MaxInt32
	smallRunes = 0x800 // tables hold the characters below
)

func (m *bpe) appendWord(dst []int32, word string, s *scratch) ([]int32, error) {
	if m.whole {
		if id := m.vocabulary.id(m.spelling(word)); id >= 0 {
			return append(dst, id), nil
		}
	}
	begin := len(dst)
	dst, err := m.split(dst, word)
	if err != nil {
		return dst[:begin], err
	}
	const short = 48 // up to this many symbols, a search beats a heap
	ids := dst[begin:]
	if len(ids) <= short {
		return dst[:begin+m.joinShort(ids, s)], nil
	}
	return dst[:begin+m.joinLong(ids, s)], nil
}

// spelling returns the vocabulary's spelling of a word.
func (m *bpe) spelling(word string) string {
	if m.raw {
		return visible(word)
	}
	return word
}

// split appends the tokens of the characters of a word.
func (m *bpe) split(dst []int32, word string) ([]int32, error) {
	if m.raw {
		if longer, all := appendBytes(dst, &m.bytes, word); all {
			return longer, nil
		}
		word = visible(word)
	}
	pending := false // an unknown token that the next may join
	for i, r := range word {
		text := word[i : i+utf8.RuneLen(r)]
		id := m.char(r, &text, i == 0, i+len(text) == len(word))
		if id >= 0 {
			if pending {
				dst = append(dst, m.unknown)
			}
			dst, pending = append(dst, id), false
			continue
		}
		if m.byteFallback {
			longer, all := appendBytes(dst, &m.bytes, text)
			if dst = longer; all {
				continue
			}
		}
		switch {
		case m.unknownName == nil:
			continue
		case m.unknown < 0:
			return dst, unknownError(text, *m.unknownName)
		case pending && !m.fuseUnknown:
			dst = append(dst, m.unknown)
		}
		pending = true
	}
	if pending {
		dst = append(dst, m.unknown)
	}
	return dst, nil
}

// char returns the token of a character, which is at text, and respells text as that
// token; -1: none.
func (m *bpe) char(r rune, text *string, first, last bool) int32 {
	if m.prefix == "" && m.suffix == "" && r < smallRunes {
		return m.single[r]
	}
	if !first {
		*text = m.prefix + *text
	}
	if last {
		*text += m.suffix
	}
	return m.vocabulary.id(*text)
}

// rank returns the rank of a pair.
func (m *bpe) rank(a, b int32) int32 {
	if rank := m.merges.get(a, b); rank >= 0 {
		return rank
	}
	return noRank
}

// joinShort merges ids in place and returns how many are left. It searches all pairs
// before each merge.
func (m *bpe) joinShort(ids []int32, s *scratch) int {
	if len(ids) == 0 {
		return 0
	}
	list := s.symbols[:0]
	for i, id := range ids {
		rank := int32(noRank)
		if i+1 < len(ids) {
			rank = m.rank(id, ids[i+1])
		}
		list = append(list, symbol{id: id, rank: rank})
	}
	s.symbols = list
	for {
		best := 0
		for i := range list {
			if list[i].rank < list[best].rank {
				best = i
			}
		}
		if list[best].rank == noRank {
			break
		}
		list[best].id = m.joined[list[best].rank]
		list = append(list[:best+1], list[best+2:]...)
		list[best].rank = noRank
		if best+1 < len(list) {
			list[best].rank = m.rank(list[best].id, list[best+1].id)
		}
		if best > 0 {
			list[best-1].rank = m.rank(list[best-1].id, list[best].id)
		}
	}
	for i := range list {
		ids[i] = list[i].id
	}
	return len(list)
}

// A candidate is a pair that could merge when found: the symbol at an index and the next.
type candidate struct{ rank, at int32 }

// before orders candidates by rank, then from left to right.
func (a candidate) before(b candidate) bool {
	return a.rank < b.rank || a.rank == b.rank && a.at < b.at
}

// joinLong is joinShort for many ids: it keeps a list of symbols and a heap of pairs, and
// skips stale pairs.
func (m *bpe) joinLong(ids []int32, s *scratch) int {
	list, heap := s.symbols[:0], candidates(s.heap[:0])
	for i, id := range ids {
		list = append(list, symbol{id: id, rank: noRank, previous: int32(i) - 1, next: int32(i) + 1})
	}
	list[len(list)-1].next = -1
	meet := func(at int32) {
		one := &list[at]
		one.rank = noRank
		if one.next >= 0 {
			one.rank = m.rank(one.id, list[one.next].id)
		}
		if one.rank != noRank {
			heap.push(candidate{one.rank, at})
		}
	}
	for i := range list {
		meet(int32(i))
	}
	for len(heap) > 0 {
		pair := heap.pop()
		left := &list[pair.at]
		if left.rank != pair.rank {
			continue
		}
		right := &list[left.next]
		left.id, left.next = m.joined[pair.rank], right.next
		right.rank = noRank
		if left.next >= 0 {
			list[left.next].previous = pair.at
		}
		meet(pair.at)
		if left.previous >= 0 {
			meet(left.previous)
		}
	}
	s.symbols, s.heap = list, heap
	n := 0
	for at := int32(0); at >= 0; at = list[at].next {
		ids[n] = list[at].id
		n++
	}
	return n
}

// candidates is a binary heap.
type candidates []candidate

func (h *candidates) push(m candidate) {
	*h = append(*h, m)
	list := *h
	i := len(list) - 1
	for i > 0 && m.before(list[(i-1)/2]) {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = m
}

func (h *candidates) pop() candidate {
	list := *h
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	i := 0
	for child := 1; child < len(list); child = 2*i + 1 {
		if child+1 < len(list) && list[child+1].before(list[child]) {
			child++
		}
		if !list[child].before(last) {
			break
		}
		list[i] = list[child]
		i = child
	}
	if len(list) > 0 {
		list[i] = last
	}
	return first
}

// newBPE builds the model of a file.
func newBPE(f *file) *bpe {
	form := f.settings.Model
	m := &bpe{
		vocabulary: f.vocabulary, merges: newPairTable(len(f.merges)), joined: make([]int32, len(f.merges)),
		byteFallback: form.ByteFallback, whole: form.IgnoreMerges, fuseUnknown: form.FuseUnk,
		prefix: orEmpty(form.WordPrefix), suffix: orEmpty(form.WordSuffix),
		unknown: -1, unknownName: form.UnkToken, bytes: byteTokens(f.vocabulary),
	}
	for r := range m.single {
		m.single[r] = f.vocabulary.id(string(rune(r)))
	}
	for rank, pair := range f.merges {
		m.merges.set(pair.left, pair.right, int32(rank))
		m.joined[rank] = pair.joined
	}
	if form.UnkToken != nil {
		m.unknown = f.vocabulary.id(*form.UnkToken)
	}
	return m
}

// takeBytes makes the model take words as raw bytes.
func (m *bpe) takeBytes() {
	m.raw, m.byteFallback = true, false
	for b := range m.bytes {
		m.bytes[b] = m.vocabulary.id(string(visibleByte(byte(b))))
	}
}

// orEmpty returns the text, or "" for nil.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
