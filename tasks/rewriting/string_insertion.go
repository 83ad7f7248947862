package rewriting

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// stringInsertion asks for a string with letters inserted after some patterns.
var stringInsertion = task.Spec[stringInsertionParams, stringInsertionItem]{
	Name:     "string_insertion",
	Category: "algorithmic",
	Doc: "Scan a string and insert a letter after each occurrence of five patterns of four letters. " +
		"Strings have runs of letters in which patterns overlap, and every string has at least one insertion.",
	Source:  "A common programming exercise; the settings are those of reasoning-gym.",
	Version: 2,
	Default: stringInsertionParams{MinStringLength: 5, MaxStringLength: 20},
	Levels: []stringInsertionParams{
		{MinStringLength: 5, MaxStringLength: 8},
		{MinStringLength: 9, MaxStringLength: 14},
		{MinStringLength: 18, MaxStringLength: 30},
		{MinStringLength: 40, MaxStringLength: 70},
		{MinStringLength: 100, MaxStringLength: 160},
		{MinStringLength: 300, MaxStringLength: 500},
	},
	Make: makeStringInsertion,
}

// stringInsertionParams are the settings of one difficulty.
type stringInsertionParams struct {
	MinStringLength int `json:"min_string_length"`
	MaxStringLength int `json:"max_string_length"`
}

// Check implements [task.Params].
func (p stringInsertionParams) Check() error {
	switch {
	case p.MinStringLength < 5:
		return fmt.Errorf("min_string_length is %d, want 5 or more", p.MinStringLength)
	case p.MaxStringLength < p.MinStringLength || p.MaxStringLength > 10_000:
		return fmt.Errorf("max_string_length is %d, want min_string_length (%d) to 10000", p.MaxStringLength, p.MinStringLength)
	}
	return nil
}

// stringInsertionItem is one string, before and after.
type stringInsertionItem struct {
	String       string `json:"string"` // of the letters A to E
	Solution     string `json:"solution"`
	StringLength int    `json:"string_length"`
	Phrasing     int    `json:"phrasing,omitempty"`
}

// patternLength is the number of letters of a pattern: four that follow one another
// in the circle ABCDE. The letter that is inserted is the first of them.
const patternLength = 4

// makeStringInsertion strings together single letters and runs along the circle of
// letters, in which patterns overlap.
func makeStringInsertion(p stringInsertionParams, r *rng.Rand) (stringInsertionItem, error) {
	n := r.Between(p.MinStringLength, p.MaxStringLength)
	text := make([]byte, 0, 64)
	for len(text) < n {
		run := 1
		if r.Chance(0.2) {
			run = r.Between(3, 9)
		}
		first := r.Between(0, 4)
		for i := range min(run, n-len(text)) {
			text = append(text, 'A'+byte((first+i)%5))
		}
	}
	solution := insertLetters(string(text))
	if len(solution) == n {
		first, at := r.Between(0, 4), r.Between(0, n-patternLength)
		for i := range patternLength {
			text[at+i] = 'A' + byte((first+i)%5)
		}
		solution = insertLetters(string(text))
	}
	return stringInsertionItem{String: string(text), Solution: solution, StringLength: n, Phrasing: r.Between(0, len(stringInsertionPhrasings)-1)}, nil
}

// insertLetters scans text from the left, inserts a letter after each pattern, and
// goes on after it.
func insertLetters(text string) string {
	b := make([]byte, 0, 64)
	run := 0 // letters just copied that follow one another, since the last insertion
	for i := range len(text) {
		c := text[i]
		if run > 0 && (c-text[i-1]+5)%5 == 1 {
			run++
		} else {
			run = 1
		}
		b = append(b, c)
		if run == patternLength {
			b, run = append(b, text[i-patternLength+1]), 0
		}
	}
	return string(b)
}

// stringInsertionPhrasings are the wordings of the question, before the patterns.
var stringInsertionPhrasings = []string{
	"Go through the string below from left to right. Whenever one of these patterns comes up, insert a letter right after it:",
	"Five patterns of four letters each call for a letter to be inserted directly after them:",
	"Copy a string from left to right, and insert a letter after every pattern that you meet:",
}

// Prompt implements [task.Instance].
func (s stringInsertionItem) Prompt() string {
	return stringInsertionPhrasings[s.Phrasing] + "\n\nafter ABCD insert A\nafter BCDE insert B\nafter CDEA insert C\nafter DEAB insert D\nafter EABC insert E\n\n" +
		"After an insertion, the search continues after the inserted letter: neither the pattern nor that letter is part of another match. " +
		"What does this string become?\n\n" + s.String + "\n\nAnswer with the new string alone. For example, DABCDEA becomes DABCDAEA."
}

// Short implements [task.Shortener].
func (s stringInsertionItem) Short() string {
	return "ABCD+A BCDE+B CDEA+C DEAB+D EABC+E: " + s.String
}

// Check refuses a record whose solution is not that of its string.
func (s stringInsertionItem) Check() error {
	if s.String == "" || strings.Trim(s.String, "ABCDE") != "" {
		return fmt.Errorf("string is %.80q, want letters from A to E", s.String)
	}
	if want := insertLetters(s.String); s.Solution != want {
		return fmt.Errorf("solution is %.80q, want %.80q", s.Solution, want)
	}
	return task.CheckPhrasing(s.Phrasing, len(stringInsertionPhrasings))
}

// Solve implements [task.Instance].
func (s stringInsertionItem) Solve() string { return s.Solution }

// Score implements [task.Instance]. The right string in quotes, or cut into a list
// of texts in quotes, earns a tenth, as in reasoning-gym, which evaluates it.
func (s stringInsertionItem) Score(text string) quintain.Verdict {
	switch {
	case text == s.Solution:
		return quintain.Right()
	case text == "":
		return quintain.Malformed("the answer is empty")
	case joinQuoted(text, s.Solution):
		return quintain.Partial(0.1, "the string is right, and its letters alone were asked for")
	}
	return quintain.Wrong(fmt.Sprintf("want %.80q", s.Solution))
}

// joinQuoted reports whether text is a string in quotation marks, or a list of such
// strings, which put together are want.
func joinQuoted(text, want string) bool {
	text = answer.Trim(text)
	for _, brackets := range []string{"[]", "()"} {
		if inner, opened := strings.CutPrefix(text, brackets[:1]); opened {
			inner, closed := strings.CutSuffix(inner, brackets[1:])
			if !closed {
				return false
			}
			text = answer.Trim(inner)
		}
	}
	for text != "" {
		quote := text[:1]
		if quote != `"` && quote != "'" {
			return false
		}
		piece, rest, closed := strings.Cut(text[1:], quote)
		if want, closed = cutPrefix(want, piece, closed); !closed {
			return false
		}
		rest, _ = strings.CutPrefix(answer.Trim(rest), ",")
		text = answer.Trim(rest)
	}
	return want == ""
}

// cutPrefix cuts prefix off s if and holds; it reports whether all did.
func cutPrefix(s, prefix string, and bool) (rest string, cut bool) {
	rest, cut = strings.CutPrefix(s, prefix)
	return rest, cut && and
}
