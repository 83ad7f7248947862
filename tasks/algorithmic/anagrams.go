package algorithmic

import (
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/lexicon"
)

// anagramSets are the common words that are anagrams of each other.
type anagramSets struct {
	sets  [][]string      // of two words or more, the largest first; the words by alphabet
	least []int           // by number of words: how many sets have so many or more
	in    map[string]bool // the words of all sets
}

var anagrams = sync.OnceValue(func() *anagramSets {
	byLetters := map[string][]string{}
	for letters := lexicon.MinLetters; letters <= lexicon.MaxLetters; letters++ {
		words := lexicon.Common(letters)
		for i := range words.Len() {
			key := sortedLetters(words.At(i))
			byLetters[key] = append(byLetters[key], words.At(i))
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

// sortedLetters returns the bytes of word in order: the same for all anagrams.
func sortedLetters(word string) string {
	var room [lexicon.MaxLetters]byte
	b := append(room[:0], word...)
	slices.Sort(b)
	return string(b)
}

// withWords returns the sets that have n words or more.
func (a *anagramSets) withWords(n int) [][]string {
	if n >= len(a.least) {
		return nil
	}
	return a.sets[:a.least[n]]
}
