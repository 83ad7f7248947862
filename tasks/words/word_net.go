package words

import (
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/internal/lexicon"
)

// A wordNet connects the words of one length that differ in one letter. A word is an index
// in words. The net never changes, so many goroutines may use it.
type wordNet struct {
	words  lexicon.Words
	near   [][]uint16 // neighbors of each word, in alphabetical order
	joined []uint16   // the largest connected set of words
}

// rungNets and knownNets are the nets of 3, 4 and 5 letters: of the words in our ladders,
// and of all words allowed in answers.
var (
	rungNets  = netsOf(lexicon.Rungs)
	knownNets = netsOf(lexicon.Known)
)

// netsOf returns constructors of the nets by number of letters; each runs once.
func netsOf(words func(letters int) lexicon.Words) (nets [6]func() *wordNet) {
	for letters := 3; letters <= 5; letters++ {
		nets[letters] = sync.OnceValue(func() *wordNet { return newWordNet(words(letters)) })
	}
	return nets
}

// newWordNet connects the words. Two are neighbors if they agree after removing one letter
// at the same place.
func newWordNet(words lexicon.Words) *wordNet {
	type gap struct{ before, after string }
	alike := map[gap][]uint16{}
	each := func(do func(word uint16, without gap)) {
		for i := range words.Len() {
			word := words.At(i)
			for cut := range word {
				do(uint16(i), gap{word[:cut], word[cut+1:]})
			}
		}
	}
	each(func(word uint16, without gap) { alike[without] = append(alike[without], word) })
	net := &wordNet{words: words, near: make([][]uint16, words.Len())}
	each(func(word uint16, without gap) {
		for _, other := range alike[without] {
			if other != word {
				net.near[word] = append(net.near[word], other)
			}
		}
	})
	for _, near := range net.near {
		slices.Sort(near)
	}
	net.joined = net.largest()
	return net
}

// largest finds the largest connected set of words.
func (n *wordNet) largest() []uint16 {
	var best []uint16
	done := make([]bool, len(n.near))
	for word := range n.near {
		if done[word] {
			continue
		}
		reached, _ := n.reach(uint16(word))
		for _, other := range reached {
			done[other] = true
		}
		if len(reached) > len(best) {
			best = reached
		}
	}
	slices.Sort(best)
	return best
}

// reach lists all words within reach of start, nearest first, and the number of them within
// a ladder of 0, 1, 2 … words, start included.
func (n *wordNet) reach(start uint16) (reached []uint16, within []int) {
	seen := make([]bool, len(n.near))
	seen[start] = true
	reached = append(make([]uint16, 0, len(n.near)), start)
	for from := 0; from < len(reached); {
		within = append(within, from)
		for to := len(reached); from < to; from++ {
			reached = appendNew(reached, n.near[reached[from]], seen)
		}
	}
	return reached, append(within, len(reached))
}

// appendNew appends the unseen words to reached, and marks them.
func appendNew(reached, words []uint16, seen []bool) []uint16 {
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			reached = append(reached, word)
		}
	}
	return reached
}

// ladder returns a shortest ladder between two words, or nil if there is none.
func (n *wordNet) ladder(start, end string) (rungs []string) {
	from, ok := n.words.Find(start)
	to, too := n.words.Find(end)
	if !ok || !too {
		return nil
	}
	// The search starts at the end, so that each word knows the next one.
	const unseen = -1
	next := slices.Repeat([]int32{unseen}, len(n.near))
	next[to] = int32(to)
	queue := append(make([]uint16, 0, len(n.near)), uint16(to))
	for ; len(queue) > 0 && next[from] == unseen; queue = queue[1:] {
		for _, word := range n.near[queue[0]] {
			if next[word] == unseen {
				next[word] = int32(queue[0])
				queue = append(queue, word)
			}
		}
	}
	if next[from] == unseen {
		return nil
	}
	for word := from; word != to; word = int(next[word]) {
		rungs = append(rungs, n.words.At(word))
	}
	return append(rungs, end)
}
