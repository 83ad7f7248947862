package words

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// wordLadder asks for a chain of words from one to another, one letter at a time.
var wordLadder = task.Spec[wordLadderParams, wordLadderItem]{
	Name:     "word_ladder",
	Category: "algorithmic",
	Doc: "Change one word into another, one letter at a time, by way of English words. " +
		"Any ladder is right, however long, but a step that is not a word spoils it.",
	Source:  "Lewis Carroll's Doublets (1879); words of package lexicon, from SCOWL (its own permissive licence).",
	Version: 4,
	List:    ",",
	Default: wordLadderParams{MinWordLength: 4, MaxWordLength: 4, MinChainLength: anyChain, MaxChainLength: anyChain},
	Levels: []wordLadderParams{
		{MinWordLength: 3, MaxWordLength: 3, MinChainLength: 3, MaxChainLength: 3},
		{MinWordLength: 3, MaxWordLength: 4, MinChainLength: 3, MaxChainLength: 4},
		{MinWordLength: 4, MaxWordLength: 4, MinChainLength: 4, MaxChainLength: 6},
		{MinWordLength: 4, MaxWordLength: 5, MinChainLength: 5, MaxChainLength: 8},
		{MinWordLength: 5, MaxWordLength: 5, MinChainLength: 8, MaxChainLength: 11},
		{MinWordLength: 5, MaxWordLength: 5, MinChainLength: 12, MaxChainLength: 16},
	},
	Make: makeWordLadder,
	Many: true,
	Ask: []string{
		"Change {start_word} into {end_word} one letter at a time.",
		"Climb the word ladder from {start_word} to {end_word}: each step changes exactly one letter.",
		"Find a chain of words that leads from {start_word} to {end_word} and replaces a single letter in each step.",
		"In a word game, {start_word} has to become {end_word} by replacing single letters.",
		"Two words are neighbors if they differ in exactly one letter. Find a way from {start_word} to {end_word} along neighbors.",
		"Start with {start_word} and end with {end_word}. Each word in between differs from the one before in a single letter.",
	},
	Form: " Every step must be an English word of the same length. Answer with all the words from the first to the last, in capital letters and separated by commas, for example CAT,COT,DOT,DOG.",
}

// wordLadderParams are the settings of one difficulty.
type wordLadderParams struct {
	MinWordLength  int `json:"min_word_length" want:"3 to 5"` // letters of each word
	MaxWordLength  int `json:"max_word_length" want:"min_word_length to 5"`
	MinChainLength int `json:"min_chain_length"` // words of a shortest ladder, both ends included; anyChain: any number
	MaxChainLength int `json:"max_chain_length"`
}

const (
	anyChain      = -1
	shortestChain = 3 // so that at least one word must be found
)

// longestChains limit, by length of the words, the words that a shortest ladder may be
// required to have: most words have such a ladder.
var longestChains = [...]int{3: 8, 4: 11, 5: 17}

// Check refuses what no tag does.
func (p wordLadderParams) Check() error {
	most := longestChains[p.MinWordLength]
	switch {
	case p.MinChainLength != anyChain && (p.MinChainLength < shortestChain || p.MinChainLength > most):
		return fmt.Errorf("min_chain_length is %d, want %d for any, or %d to %d for words of %d letters",
			p.MinChainLength, anyChain, shortestChain, most, p.MinWordLength)
	case p.MaxChainLength == anyChain && p.MinChainLength != anyChain:
		return fmt.Errorf("max_chain_length is %d for any, but min_chain_length is %d", p.MaxChainLength, p.MinChainLength)
	case p.MaxChainLength != anyChain && p.MaxChainLength < max(shortestChain, p.MinChainLength):
		return fmt.Errorf("max_chain_length is %d, want %d for any, or %d and min_chain_length (%d) or more",
			p.MaxChainLength, anyChain, shortestChain, p.MinChainLength)
	}
	return nil
}

// wordLadderItem is one ladder to climb.
type wordLadderItem struct {
	StartWord   string `json:"start_word" want:"3 to 5" chars:"A-Z"` // A to Z, as EndWord
	EndWord     string `json:"end_word" want:"start_word" chars:"A-Z"`
	WordLength  int    `json:"word_length"`
	ChainLength int    `json:"chain_length"` // words of a shortest ladder, both ends included
	Phrasing    int    `json:"phrasing,omitempty"`
}

// makeWordLadder draws the first word, then the length of the ladder, then the last word.
// If any length will do, it only draws the last word.
func makeWordLadder(p wordLadderParams, r *rng.Rand) (wordLadderItem, error) {
	letters := r.Between(p.MinWordLength, p.MaxWordLength)
	net := rungNets[letters]()
	for range 1000 { // a few words are too close to all others for a long ladder
		start := rng.Pick(r, net.joined)
		reached, within := net.reach(start)
		low, high := max(shortestChain, p.MinChainLength), len(within)-1
		if p.MaxChainLength != anyChain {
			high = min(high, p.MaxChainLength)
		}
		if high < low {
			continue
		}
		if p.MaxChainLength != anyChain {
			low = r.Between(low, high)
			high = low
		}
		at := r.Between(within[low-1], within[high]-1)
		return wordLadderItem{
			StartWord:   strings.ToUpper(net.words.At(int(start))),
			EndWord:     strings.ToUpper(net.words.At(int(reached[at]))),
			WordLength:  letters,
			ChainLength: sort.SearchInts(within, at+1),
			Phrasing:    r.Between(0, 5),
		}, nil
	}
	return wordLadderItem{}, errors.New("no ladder is that long")
}

// Canonical implements [task.Canonicalizer]. A ladder read backward leads the other way.
func (w wordLadderItem) Canonical() string {
	return min(w.StartWord, w.EndWord) + " and " + max(w.StartWord, w.EndWord)
}

// Check refuses a record unless its two ends are different words in capitals.
func (w wordLadderItem) Check() error {
	if w.StartWord == w.EndWord {
		return fmt.Errorf("start_word and end_word are both %q", w.StartWord)
	}
	return nil
}

// Solve implements [task.Instance]. It returns a shortest ladder of common words. For
// uncommon ends, as in foreign records, it takes all known words, and returns "" if there
// is no ladder.
func (w wordLadderItem) Solve() string {
	start, end := strings.ToLower(w.StartWord), strings.ToLower(w.EndWord)
	ladder := rungNets[len(start)]().ladder(start, end)
	if ladder == nil {
		ladder = knownNets[len(start)]().ladder(start, end)
	}
	return strings.ToUpper(strings.Join(ladder, ","))
}

// Score implements [task.Scorer]. It ignores case, and space around the words. The two
// ends count as words in any case.
func (w wordLadderItem) Score(text string) quintain.Verdict {
	if !strings.Contains(text, ",") {
		return quintain.Malformed("the answer is not a list of words separated by commas")
	}
	known, last := lexicon.Known(len(w.EndWord)), ""
	for step := range strings.SplitSeq(strings.ToUpper(text), ",") {
		step = answer.Trim(step)
		if last == "" && step != w.StartWord {
			return quintain.Wrong("the ladder does not begin with " + w.StartWord)
		}
		if last != "" && changed(last, step) != 1 {
			return quintain.Wrong(fmt.Sprintf("from %s to %.20q is not one letter changed", last, step))
		}
		if _, ok := known.Find(strings.ToLower(step)); !ok && step != w.StartWord && step != w.EndWord {
			return quintain.Wrong(fmt.Sprintf("%s is not a word we know", step))
		}
		last = step
	}
	if last != w.EndWord {
		return quintain.Wrong("the ladder does not end with " + w.EndWord)
	}
	return quintain.Right()
}

// changed counts the letters in which two words differ; words of different lengths differ
// in every letter.
func changed(a, b string) (n int) {
	if len(a) != len(b) {
		return max(len(a), len(b))
	}
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
