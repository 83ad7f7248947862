package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// palindromeGeneration asks for a palindrome made of given letters.
var palindromeGeneration = task.Spec[palindromeGenerationParams, palindromeGenerationItem]{
	Name:     "palindrome_generation",
	Category: "algorithmic",
	Doc:      "Put letters in an order that reads the same from both ends. The given order never does.",
	Source:   "Letters drawn at random; the settings are those of reasoning-gym.",
	Version:  5,
	Default:  palindromeGenerationParams{MinLength: 3, MaxLength: 10},
	Levels: []palindromeGenerationParams{
		{MinLength: 4, MaxLength: 8},
		{MinLength: 9, MaxLength: 12},
		{MinLength: 14, MaxLength: 20},
		{MinLength: 20, MaxLength: 30},
		{MinLength: 45, MaxLength: 60},
		{MinLength: 100, MaxLength: 130},
	},
	Many: true,
	Few:  slices.Repeat([]string{"It matters only how often each letter occurs: there are few ways to share out so few letters."}, 4),
	Make: makePalindromeGeneration,
	Ask: []string{
		"Make a palindrome out of all of these letters: {letters:, }",
		"Put the following letters in an order that reads the same forward and backward: {letters:, }",
		"Which string uses each of these letters exactly as often as it is listed, and reads the same in both directions? {letters:, }",
		"These letters can be arranged into a palindrome. Give one such arrangement: {letters:, }",
		"Someone took a palindrome apart, and these are its letters. Build a palindrome of all of them: {letters:, }",
		"Arrange all of the letters that follow so that the last letter equals the first, the last but one the second, and so on: {letters:, }",
	},
	Form:  "\nIt need not be a word. Answer with the letters alone, without spaces, for example abcba.",
	Short: "palindrome of {letters}",
}

// palindromeGenerationParams are the settings of one difficulty.
type palindromeGenerationParams struct {
	MinLength int `json:"min_length" want:"3 to 1000"` // letters
	MaxLength int `json:"max_length" want:"min_length to 1000"`
}

// palindromeGenerationItem is one set of letters.
type palindromeGenerationItem struct {
	Letters             []string `json:"letters"`                               // a to z
	GeneratedPalindrome string   `json:"generated_palindrome" want:"1 or more"` // an example of a palindrome of these letters
	Length              int      `json:"length"`
	Phrasing            int      `json:"phrasing,omitempty"`
}

// makePalindromeGeneration draws a palindrome with at least two different letters, and
// shuffles it.
func makePalindromeGeneration(p palindromeGenerationParams, r *rng.Rand) (palindromeGenerationItem, error) {
	n := r.Between(p.MinLength, p.MaxLength)
	text := make([]byte, n)
	for i := range (n + 1) / 2 {
		text[i] = byte('a' + r.Between(0, 25))
		text[n-1-i] = text[i]
	}
	if same := text[0]; strings.Trim(string(text), string(same)) == "" {
		other := 'a' + (same-'a'+byte(r.Between(1, 25)))%26
		text[(n-1)/2], text[n/2] = other, other
	}
	letters := slices.Clone(text)
	rng.Shuffle(r, letters)
	if isPalindrome(string(letters)) {
		k := 1
		for letters[k] == letters[0] {
			k++
		}
		letters[0], letters[k] = letters[k], letters[0] // the last letter still equals the old first one
	}
	item := palindromeGenerationItem{
		Letters: make([]string, n), GeneratedPalindrome: string(text), Length: n,
		Phrasing: r.Between(0, 5),
	}
	const alphabet = "abcdefghijklmnopqrstuvwxyz"
	for i, c := range letters {
		item.Letters[i] = alphabet[c-'a' : c-'a'+1]
	}
	return item, nil
}

// isPalindrome reports whether the code points of text read the same from both
// ends.
func isPalindrome(text string) bool {
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		last, end := utf8.DecodeLastRuneInString(text)
		if first != last {
			return false
		}
		text = text[size:max(size, len(text)-end)]
	}
	return true
}

// Canonical implements [task.Canonicalizer]. The letters and their order do not matter: it says
// how often each of them is there.
func (p palindromeGenerationItem) Canonical() string {
	often := map[string]int{}
	for _, letter := range p.Letters {
		often[letter]++
	}
	return fmt.Sprint(slices.Sorted(maps.Values(often)))
}

// Check refuses a record with a wrong palindrome.
func (p palindromeGenerationItem) Check() error {
	if v := p.Score(p.GeneratedPalindrome); v.Score != 1 {
		return fmt.Errorf("generated_palindrome is %q: %s", p.GeneratedPalindrome, v.Reason)
	}
	return nil
}

func (p palindromeGenerationItem) Solve() string { return p.GeneratedPalindrome }

// Score implements [task.Scorer]. It ignores case, and space around the answer. Anything
// but a palindrome of all the letters earns nothing.
func (p palindromeGenerationItem) Score(text string) quintain.Verdict {
	text = strings.ToLower(answer.Trim(text))
	switch n := utf8.RuneCountInString(text); {
	case text == "":
		return quintain.Malformed("the answer is empty")
	case n != len(p.Letters):
		return quintain.Wrong(fmt.Sprintf("there are %d letters, want %d", n, len(p.Letters)))
	case !isPalindrome(text):
		return quintain.Wrong("it does not read the same backward")
	}
	left := make(map[string]int, 26)
	for _, letter := range p.Letters {
		left[letter]++
	}
	for _, letter := range text {
		left[string(letter)]--
		if left[string(letter)] < 0 {
			return quintain.Wrong(fmt.Sprintf("there are too many %q", letter))
		}
	}
	return quintain.Right()
}
