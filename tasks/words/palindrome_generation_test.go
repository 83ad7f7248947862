package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPalindromeGenerationScore(t *testing.T) {
	item := palindromeGenerationItem{Letters: []string{"b", "a", "a", "b", "c"}, GeneratedPalindrome: "abcba", Length: 5}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"abcba", 1, ""},
		{" BACAB\n", 1, "another one, in capitals"},
		{"abcab", 0, "no palindrome; reasoning-gym pays 0.02"},
		{"abba", 0, "a letter is left over, where it pays 0.05"},
		{"abacaba", 0, "two letters too many"},
		{"racar", 0, "other letters"},
		{"aabaa", 0, "the same letters, not as often"},
		{"a b c b a", 0, "spaces"},
		{"baabc", 0, "the letters as they were given"},
		{"aabbc", 0, "by alphabet"},
		{"abcba.", 0, "a full stop"},
		{`"abcba"`, 0, "quotation marks"},
		{"ábcbá", 0, "other letters that look alike"},
		{" ", 0, "space"},
	})
	for _, bad := range []palindromeGenerationItem{
		{},
		{Letters: []string{"a", "b"}, GeneratedPalindrome: "ab"},
		{Letters: []string{"a", "b"}, GeneratedPalindrome: "aa"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver reads the letters from the prompt and pairs them off, inward.
func TestPalindromeGenerationSecond(t *testing.T) {
	check := func(item palindromeGenerationItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		letters := strings.Split(question[strings.LastIndexAny(question, ":?")+2:], ", ")
		given := strings.Join(letters, "")
		left := slices.Clone(letters)
		for i := range len(got) / 2 {
			if got[i] != got[len(got)-1-i] {
				return fmt.Errorf("%s is not a palindrome", got)
			}
		}
		for _, c := range got {
			at := slices.Index(left, string(c))
			if at < 0 {
				return fmt.Errorf("%s has too many %c", got, c)
			}
			left = slices.Delete(left, at, at+1)
		}
		if len(left) > 0 || len(letters) != item.Length {
			return fmt.Errorf("%s leaves %q over", got, left)
		}
		slices.Reverse(letters)
		if strings.Join(letters, "") == given {
			return fmt.Errorf("%s is a palindrome as it stands", given)
		}
		return nil
	}
	tasktest.Second(t, palindromeGeneration.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, palindromeGeneration.Task(), `{"max_length":4}`), 1000, check)
}

func TestPalindromeGenerationKeys(t *testing.T) {
	tasktest.Variant(t, palindromeGeneration.Task(), "other letters in another order", func(p *palindromeGenerationItem, r *rng.Rand) func(string) string {
		other := relettered(r)
		rng.Shuffle(r, p.Letters)
		for i, letter := range p.Letters {
			p.Letters[i] = other.Replace(letter)
		}
		p.GeneratedPalindrome = other.Replace(p.GeneratedPalindrome)
		return other.Replace
	})
	tasktest.Translated(t, palindromeGeneration.Task(), func(solution string, from, to palindromeGenerationItem) string {
		var pairs []string
		other := byFrequency(to.Letters)
		for i, letter := range byFrequency(from.Letters) {
			pairs = append(pairs, letter, other[i])
		}
		return strings.NewReplacer(pairs...).Replace(solution)
	})
	tasktest.Same(t, palindromeGeneration.Task(), "the letters may be in any order", func(p *palindromeGenerationItem) { slices.Reverse(p.Letters) })
}

// byFrequency returns the different letters, the rarest first.
func byFrequency(letters []string) []string {
	often := func(letter string) (n int) {
		for _, other := range letters {
			n += task.Bit(other == letter)
		}
		return n
	}
	different := slices.Compact(slices.Sorted(slices.Values(letters)))
	slices.SortStableFunc(different, func(a, b string) int { return often(a) - often(b) })
	return different
}
