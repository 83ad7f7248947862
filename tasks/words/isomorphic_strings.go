package words

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// isomorphicStrings asks whether a renaming of letters turns one string into another.
var isomorphicStrings = task.Spec[isomorphicStringsParams, isomorphicStringsItem]{
	Name:     "isomorphic_strings",
	Category: "algorithmic",
	Doc: "Tell whether two strings differ only by a one-to-one renaming of their letters. " +
		"Most other pairs still have the same letter counts, up to a renaming. Harder levels ask at which letter the renaming fails.",
	Source:  "A common programming exercise; the settings are those of reasoning-gym and witness.",
	Version: 6,
	Default: isomorphicStringsParams{MinStringLength: 2, MaxStringLength: 10, PSolvable: 0.5},
	Levels: []isomorphicStringsParams{
		{MinStringLength: 6, MaxStringLength: 9, PSolvable: 0.5},
		{MinStringLength: 8, MaxStringLength: 12, PSolvable: 0.1, Witness: true},
		{MinStringLength: 14, MaxStringLength: 20, PSolvable: 0.1, Witness: true},
		{MinStringLength: 30, MaxStringLength: 60, PSolvable: 0.1, Witness: true},
		{MinStringLength: 100, MaxStringLength: 150, PSolvable: 0.1, Witness: true},
		{MinStringLength: 300, MaxStringLength: 500, PSolvable: 0.1, Witness: true},
	},
	Make: makeIsomorphicStrings,
}

// isomorphicStringsParams are the settings of one difficulty.
type isomorphicStringsParams struct {
	MinStringLength int     `json:"min_string_length" want:"2 or more"`
	MaxStringLength int     `json:"max_string_length" want:"min_string_length to 10000"`
	PSolvable       float64 `json:"p_solvable" want:"0 to 1"` // share of isomorphic pairs
	Witness         bool    `json:"witness"`                  // the answer is the letter at which the renaming fails, not True or False
}

// isomorphicStringsItem is one pair of strings.
type isomorphicStringsItem struct {
	Words        [2]string `json:"words"`
	Solution     bool      `json:"solution"` // same as Solvable
	Solvable     bool      `json:"solvable"`
	StringLength int       `json:"string_length"` // in letters; in reasoning-gym, sometimes 1 more
	Witness      bool      `json:"witness,omitempty"`
	Phrasing     int       `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeIsomorphicStrings draws a string and renames its letters. For a pair that is not
// isomorphic, it exchanges two letters of the second string, which keeps the counts, or
// merges two of its letters into one.
func makeIsomorphicStrings(p isomorphicStringsParams, r *rng.Rand) (isomorphicStringsItem, error) {
	n := r.Between(p.MinStringLength, p.MaxStringLength)
	solvable := r.Chance(p.PSolvable)
	kinds := r.Between(1, 2) // number of different letters in the first string
	if n > 2 {
		kinds = r.Between(2, min(n-1, 20))
	} else if !solvable {
		kinds = 2
	}
	both := make([]byte, 2*n)
	one, two := both[:n:n], both[n:]
	letters := smallLetters
	rng.ToFront(r, letters[:], kinds)
	for i := range one {
		if i >= kinds {
			one[i] = letters[r.Between(0, kinds-1)]
		} else {
			one[i] = letters[i]
		}
	}
	var image [26]byte
	others := smallLetters
	rng.ToFront(r, others[:], kinds)
	for i, c := range letters[:kinds] {
		image[c-'a'] = others[i]
	}
	rng.Shuffle(r, one)
	for i, c := range one {
		two[i] = image[c-'a']
	}
	if !solvable {
		spoil(two, r)
	}
	if r.Chance(0.5) {
		one, two = two, one
	}
	return isomorphicStringsItem{
		Words: [2]string{string(one), string(two)}, Solution: solvable, Solvable: solvable,
		StringLength: n, Witness: p.Witness, Phrasing: r.Between(0, len(isomorphicStringsPhrasings)-1),
	}, nil
}

// smallLetters are the letters in order.
var smallLetters = [26]byte([]byte("abcdefghijklmnopqrstuvwxyz"))

// spoil changes a string with at least two different letters so that it is no longer
// isomorphic to the original.
func spoil(text []byte, r *rng.Rand) {
	i := r.Between(0, len(text)-1)
	j := r.Between(0, len(text)-1)
	for text[j] == text[i] {
		j = (j + 1) % len(text)
	}
	repeated := bytes.Count(text, text[i:i+1]) > 1 || bytes.Count(text, text[j:j+1]) > 1
	if repeated && r.Chance(0.75) {
		text[i], text[j] = text[j], text[i] // a letter that occurs elsewhere too now has two matches
		return
	}
	all, into := text[i], text[j]
	for k := range text {
		if text[k] == all {
			text[k] = into
		}
	}
}

// apart returns the first place, counted from 1, at which every one-to-one renaming of a
// into b fails; 0 if none fails.
func apart(a, b string) int {
	var to, from [256]byte // 0: none yet
	n := min(len(a), len(b))
	for i := range n {
		c, d := a[i], b[i]
		if to[c] == 0 && from[d] == 0 {
			to[c], from[d] = d, c
		}
		if to[c] != d || from[d] != c {
			return i + 1
		}
	}
	if len(a) != len(b) {
		return n + 1
	}
	return 0
}

// isomorphicStringsPhrasings are the wordings of the question, before the strings.
var isomorphicStringsPhrasings = []string{
	"Two strings are isomorphic if the second results from replacing each letter of the first, the same letter always by the same one " +
		"and different letters by different ones. Are these two isomorphic?",
	"Is there a one-to-one renaming of letters that turns the first of these strings into the second, so that the two are isomorphic? A letter may keep its name.",
	"Two strings are isomorphic if they have the same pattern: wherever two letters of one are equal, so are the letters of the other in the same places, " +
		"and wherever they differ, so do those. Are the strings below isomorphic?",
	"A code replaces every letter by one letter, and never two different letters by the same. Two strings are isomorphic if there is a code that turns the first into the second. Is that so here?",
	"Number the letters of each string in the order in which they first occur. If the two rows of numbers are equal, the strings are isomorphic. Are these two?",
	"Is there a table with one letter for each letter, all of them different, that maps the first of these strings to the second? In other words, are the two isomorphic?",
}

func (i isomorphicStringsItem) Prompt() string {
	wanted := "Answer with True if they are isomorphic, and with False if not."
	if i.Witness {
		wanted = "Answer with 0 if they are isomorphic. If they are not, answer with the smallest number n such that the first n letters of the two are not isomorphic."
	}
	return isomorphicStringsPhrasings[i.Phrasing] + "\n\n" + i.Words[0] + "\n" + i.Words[1] + "\n\n" + wanted
}

func (i isomorphicStringsItem) Short() string {
	return [...]string{"isomorphic? ", "isomorphic up to? "}[task.Bit(i.Witness)] + i.Words[0] + " " + i.Words[1]
}

func (i isomorphicStringsItem) Choices() int {
	if i.Witness {
		return 0 // not equally likely
	}
	return 2
}

// Canonical implements [task.Canonicalizer]. The letters of either string do not matter, and the
// strings may be exchanged, since a renaming can be undone, and read from the end, if no letter is asked for.
func (i isomorphicStringsItem) Canonical() string {
	best := ""
	for _, read := range []func(string) string{strings.Clone, backward} {
		one, two := shape(read(i.Words[0])), shape(read(i.Words[1]))
		if text := fmt.Sprintf("%q %q %t", min(one, two), max(one, two), i.Witness); best == "" || text < best && !i.Witness {
			best = text
		}
	}
	return best
}

// Check refuses a record with a wrong solution, or with words of anything but visible
// ASCII.
func (i isomorphicStringsItem) Check() error {
	if strings.ContainsFunc(i.Words[0]+i.Words[1], func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fmt.Errorf("words has %q, want ASCII letters", i.Words)
	}
	if want := apart(i.Words[0], i.Words[1]) == 0; i.Solution != want || i.Words[0] == "" {
		return fmt.Errorf("solution of %q is %t, want %t", i.Words, i.Solution, want)
	}
	return nil
}

func (i isomorphicStringsItem) Solve() string {
	if i.Witness {
		return strconv.Itoa(apart(i.Words[0], i.Words[1]))
	}
	return task.TrueOrFalse(i.Solution)
}

func (i isomorphicStringsItem) Score(answer string) quintain.Verdict {
	if i.Witness {
		return task.MatchWhole(answer, i.Solve())
	}
	return task.Match(answer, i.Solve())
}
