package tokenizer

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// A pairTable maps pairs of numbers to numbers, none negative: a hash table without
// deletion that is cheap to fill. Each table hashes differently, so no file can provoke
// collisions.
type pairTable struct {
	keys   []uint64 // 1 more than the pair; 0: free
	values []int32
	used   int
	shift  int
	seed   uint64
}

// newPairTable returns a table with room for n pairs; it grows beyond.
func newPairTable(n int) *pairTable {
	t := &pairTable{seed: rand.Uint64()}
	t.resize(bits.Len(uint(max(n, 8)) * 2))
	return t
}

// resize gives the table 2^width slots.
func (t *pairTable) resize(width int) {
	keys, values := t.keys, t.values
	t.keys, t.values, t.shift = make([]uint64, 1<<width), make([]int32, 1<<width), 64-width
	for i, key := range keys {
		if key != 0 {
			at := t.find(key)
			t.keys[at], t.values[at] = key, values[i]
		}
	}
}

// find returns the slot of a key: its own, or the free one where it belongs.
func (t *pairTable) find(key uint64) int {
	high, low := bits.Mul64(key^t.seed, 0x9e3779b97f4a7c15)
	at := int((high ^ low) * 0xff51afd7ed558ccd >> t.shift)
	for t.keys[at] != key && t.keys[at] != 0 {
		at = (at + 1) & (len(t.keys) - 1)
	}
	return at
}

// pairKey returns the key of a pair.
func pairKey(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) + 1 }

// set maps a pair to a value and replaces any older one.
func (t *pairTable) set(a, b, value int32) {
	if t.used >= len(t.keys)/2 {
		t.resize(65 - t.shift)
	}
	key := pairKey(a, b)
	at := t.find(key)
	if t.keys[at] == 0 {
		t.keys[at] = key
		t.used++
	}
	t.values[at] = value
}

// get returns the value of a pair; -1: none.
func (t *pairTable) get(a, b int32) int32 {
	at := t.find(pairKey(a, b))
	if t.keys[at] == 0 {
		return -1
	}
	return t.values[at]
}

// A trie finds keys at the start of a text.
type trie struct {
	steps *pairTable // node and byte to the next node
	ids   []int32    // of the key that ends at a node; -1: none. Node 0 is the root
}

// maxKey is the greatest length of a key in bytes; it bounds the cost of a search.
const maxKey = 1024

func newTrie() *trie { return &trie{steps: newPairTable(0), ids: []int32{-1}} }

// add adds a key with its number and replaces an older number.
func (t *trie) add(key string, id int32) {
	at := int32(0)
	for i := range len(key) {
		next := t.next(at, key[i])
		if next < 0 {
			next = int32(len(t.ids))
			t.ids = append(t.ids, -1)
			t.steps.set(at, int32(key[i]), next)
		}
		at = next
	}
	t.ids[at] = id
}

// next returns the child of a node; -1: none.
func (t *trie) next(at int32, b byte) int32 { return t.steps.get(at, int32(b)) }

// longest returns the number and the length of the longest key at the start of text; -1 and
// 0: none. It skips the empty key.
func (t *trie) longest(text string) (id int32, length int) {
	id = -1
	for i, at := 0, int32(0); i < len(text); i++ {
		if at = t.next(at, text[i]); at < 0 {
			break
		}
		if t.ids[at] >= 0 {
			id, length = t.ids[at], i+1
		}
	}
	return id, length
}

// A vocabulary numbers the tokens of a model. Once built, it does not change.
type vocabulary struct {
	tokens []string
	absent []bool  // unused numbers; nil: none
	places []int32 // a hash table of the tokens: 1 more than the number; 0: free
	seed   maphash.Seed
	count  int // distinct tokens
}

// newVocabulary numbers tokens by their index and skips absent ones. A repeated token gets
// its last index.
func newVocabulary(tokens []string, absent []bool) *vocabulary {
	v := &vocabulary{tokens: tokens, absent: absent, seed: maphash.MakeSeed()}
	v.places = make([]int32, 1<<bits.Len(uint(len(tokens))*2))
	for i, token := range tokens {
		if absent == nil || !absent[i] {
			at := v.find(token)
			if v.places[at] == 0 {
				v.count++
			}
			v.places[at] = int32(i) + 1
		}
	}
	return v
}

// find returns the slot of a token: its own, or the free one where it belongs.
func (v *vocabulary) find(token string) int {
	at := int(maphash.String(v.seed, token)) & (len(v.places) - 1)
	for v.places[at] != 0 && v.tokens[v.places[at]-1] != token {
		at = (at + 1) & (len(v.places) - 1)
	}
	return at
}

// id returns the number of a token; -1: none.
func (v *vocabulary) id(token string) int32 { return v.places[v.find(token)] - 1 }

// token returns the token with a number.
func (v *vocabulary) token(id int32) (token string, known bool) {
	if id < 0 || int(id) >= len(v.tokens) || v.absent != nil && v.absent[id] {
		return "", false
	}
	return v.tokens[id], true
}
