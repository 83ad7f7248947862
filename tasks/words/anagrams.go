package words

import (
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/lexicon"
)

// anagramSets are the common words that are anagrams of each other.
type anagramSets struct {
	sets  [][]string      // of at least two words, largest first; words in alphabetical order
	least []int           // by number of words: the number of sets at least as large
	in    map[string]bool // all their words
}

var anagrams = sync.OnceValue(func() *anagramSets {
	var shared commonLetters
	for letters := lexicon.MinLetters; letters <= lexicon.MaxLetters; letters++ {
		words := lexicon.Common(letters)
		for i := range words.Len() {
			shared.see(words.At(i))
		}
	}
	byLetters := map[string][]string{}
	for _, word := range shared.words {
		if shared.count[lettersHash(word)] > 1 {
			key := sortedLetters(word)
			byLetters[key] = append(byLetters[key], word)
		}
	}
	all := &anagramSets{in: map[string]bool{}}
	for _, words := range byLetters {
		if len(words) < 2 {
			continue
		}
		all.sets = append(all.sets, words)
		for _, word := range words {
			all.in[word] = true
		}
	}
	slices.SortFunc(all.sets, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a[0], b[0])
	})
	all.least = make([]int, len(all.sets[0])+1)
	for _, words := range all.sets {
		for n := range len(words) + 1 {
			all.least[n]++
		}
	}
	return all
})

// commonLetters counts words by a hash of their letters. So the few words with anagrams are
// found before any letters are sorted.
type commonLetters struct {
	words []string
	count map[uint64]int
}

func (c *commonLetters) see(word string) {
	if c.count == nil {
		c.count = make(map[uint64]int, 1<<16)
	}
	c.words = append(c.words, word)
	c.count[lettersHash(word)]++
}

// lettersHash returns the same number for all anagrams of a word, and almost never for
// another word: the sum of a random number for each letter.
func lettersHash(word string) (sum uint64) {
	for _, letter := range []byte(word) {
		x := uint64(letter) * 0x9e3779b97f4a7c15 // the mixer of SplitMix64
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		sum += x ^ x>>31
	}
	return sum
}

// sortedLetters returns the bytes of word in order: the same for all anagrams.
func sortedLetters(word string) string {
	var room [lexicon.MaxLetters]byte
	b := append(room[:0], word...)
	slices.Sort(b)
	return string(b)
}

// withWords returns the sets of at least n words.
func (a *anagramSets) withWords(n int) [][]string {
	if n >= len(a.least) {
		return nil
	}
	return a.sets[:a.least[n]]
}
