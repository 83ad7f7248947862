package words

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestWordLadderScore(t *testing.T) {
	item := wordLadderItem{StartWord: "COLD", EndWord: "WARM", WordLength: 4, ChainLength: 5}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"COLD,CORD,CARD,WARD,WARM", 1, ""},
		{" cold, cord, word, worm,\nwarm ", 1, "case and space are free"},
		{"COLD,CORD,COLD,CORD,CARD,WARD,WARM", 1, "a longer way is a way"},
		{"COLD,CORD,WORD,WORM,WARM", 1, "another way"},
		{"COLD,WARM", 0, "four letters at once"},
		{"COLD,CORD,WARD,WARM", 0, "two at once"},
		{"CORD,CARD,WARD,WARM", 0, "the first word is left out"},
		{"COLD,CORD,CARD,WARD", 0, "so is the last"},
		{"COLD,WOLD,WALD,WARD,WARM", 1, "old and rare words are words"},
		{"COLD,CORD,CARD,CARM,WARM", 0, "CARM is not a word; reasoning-gym pays half"},
		{"COLD,WOLD,WALD,WALM,WARM", 0, "nor is WALM"},
		{"COLD,CORD,CORD,CARD,WARD,WARM", 0, "a step that changes nothing"},
		{"COLD,CORD,CARD,WARD,WARM,", 0, "an empty step"},
		{"COLD CORD CARD WARD WARM", 0, "no commas"},
		{"COLD,COLDS,CORDS,CARDS,WARDS,WARMS,WARM", 0, "another length"},
		{"COLD", 0, "one word"},
		{",,,,", 0, "no words"},
	})
	for _, bad := range []wordLadderItem{
		{StartWord: "COLD", EndWord: "COLD"}, {StartWord: "cold", EndWord: "WARM"}, {StartWord: "COLD", EndWord: "HOT"},
		{StartWord: "AB", EndWord: "CD"}, {StartWord: "SPRING", EndWord: "WINTER"}, {},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestWordLadderParams(t *testing.T) {
	tasktest.Refused(t, wordLadder.Task(), map[string]string{
		`{"min_word_length":2}`:                         "min_word_length",
		`{"min_word_length":6,"max_word_length":6}`:     "min_word_length",
		`{"max_word_length":6}`:                         "max_word_length",
		`{"min_word_length":5}`:                         "max_word_length",
		`{"min_chain_length":2,"max_chain_length":4}`:   "min_chain_length",
		`{"min_chain_length":0,"max_chain_length":4}`:   "min_chain_length",
		`{"min_chain_length":12,"max_chain_length":14}`: "min_chain_length",
		`{"min_chain_length":5}`:                        "max_chain_length",
		`{"min_chain_length":5,"max_chain_length":4}`:   "max_chain_length",
		`{"max_chain_length":2}`:                        "max_chain_length",
		`{"max_chain_length":-2}`:                       "max_chain_length",
	})
}

// Every start has the longest ladders that Check allows.
func TestWordLadderLongest(t *testing.T) {
	for letters, chain := range longestChains {
		if chain == 0 {
			continue
		}
		own := tasktest.With(t, wordLadder.Task(), fmt.Sprintf(`{"min_word_length":%d,"max_word_length":%[1]d,"min_chain_length":%d,"max_chain_length":99}`, letters, chain))
		tasktest.Second(t, own, 300, func(item wordLadderItem, _, got string) error {
			if n := strings.Count(got, ",") + 1; n < chain || n != item.ChainLength {
				return fmt.Errorf("%s has %d words", got, n)
			}
			return nil
		})
	}
}

// A record of reasoning-gym may have known but uncommon ends, or no solution.
func TestWordLadderForeign(t *testing.T) {
	for _, test := range []struct{ start, end string }{{"BUSK", "TRAP"}, {"LIBS", "MOOS"}, {"AALII", "ROUGH"}, {"EMU", "OWL"}} {
		item := wordLadderItem{StartWord: test.start, EndWord: test.end}
		if got := item.Solve(); got != "" && item.Score(got).Score != 1 {
			t.Errorf("%v: %s gets %+v", test, got, item.Score(got))
		}
	}
	if got := (wordLadderItem{StartWord: "XQXQ", EndWord: "COLD"}).Solve(); got != "" {
		t.Errorf("a ladder from no word: %s", got)
	}
}

var wordLadderRE = regexp.MustCompile(`(?:Change|from|game,|with) ([A-Z]+) (?:into|to|has to become|and end with) ([A-Z]+)`)

// The second solver reads the two words from the prompt and widens the set of words within
// reach, from both ends in turn, until the sets meet.
func TestWordLadderSecond(t *testing.T) {
	memory := map[string][]string{}
	tasktest.Second(t, wordLadder.Task(), 1002, func(item wordLadderItem, prompt, got string) error {
		asked := wordLadderRE.FindStringSubmatch(prompt)
		steps := strings.Split(strings.ToLower(got), ",")
		if asked == nil || steps[0] != strings.ToLower(asked[1]) || steps[len(steps)-1] != strings.ToLower(asked[2]) {
			return fmt.Errorf("%s does not answer %q", got, prompt)
		}
		words := lexicon.Rungs(item.WordLength)
		for i, step := range steps {
			if _, found := words.Find(step); !found || i > 0 && changed(steps[i-1], step) != 1 {
				return fmt.Errorf("%s is not a step of %s", step, got)
			}
		}
		want := 1
		a, b := map[string]bool{steps[0]: true}, map[string]bool{steps[len(steps)-1]: true}
		for ; !meet(a, b); want++ {
			a, b = b, widen(a, words, memory)
		}
		if len(steps) != want || item.ChainLength != want {
			return fmt.Errorf("%s has %d words, chain_length is %d, want %d", got, len(steps), item.ChainLength, want)
		}
		return nil
	})
}

func meet(a, b map[string]bool) bool {
	for word := range a {
		if b[word] {
			return true
		}
	}
	return false
}

// widen adds every word one letter away, caching neighbors in memory.
func widen(set map[string]bool, words lexicon.Words, memory map[string][]string) map[string]bool {
	wider := maps.Clone(set)
	for word := range set {
		near, kept := memory[word]
		if !kept {
			near = alphabet(word, words)
			memory[word] = near
		}
		for _, other := range near {
			wider[other] = true
		}
	}
	return wider
}

// alphabet tries every letter at every place.
func alphabet(word string, words lexicon.Words) (found []string) {
	for i := range len(word) {
		for c := 'a'; c <= 'z'; c++ {
			other := word[:i] + string(c) + word[i+1:]
			if _, ok := words.Find(other); ok {
				found = append(found, other)
			}
		}
	}
	return found
}

func TestWordLadderKeys(t *testing.T) {
	tasktest.Variant(t, wordLadder.Task(), "the ends exchanged", func(w *wordLadderItem, _ *rng.Rand) func(string) string {
		w.StartWord, w.EndWord = w.EndWord, w.StartWord
		return func(answer string) string {
			words := strings.Split(answer, ",")
			slices.Reverse(words)
			return strings.Join(words, ",")
		}
	})
}
