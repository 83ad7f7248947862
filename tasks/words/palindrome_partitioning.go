package words

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// palindromePartitioning asks for all ways to cut a string into palindromes.
var palindromePartitioning = task.Spec[palindromePartitioningParams, palindromePartitioningItem]{
	Name:     "palindrome_partitioning",
	Category: "algorithmic",
	Doc: "Find all ways to cut a string into palindromes. There are at least two, " +
		"and rarely many more than 100: once a string has that many, only letters that add few or none are appended.",
	Source:  "A classic exercise in backtracking; the settings are those of reasoning-gym.",
	Version: 5,
	List:    answer.AsLists,
	Default: palindromePartitioningParams{MinStringLen: 5, MaxStringLen: 15, MinSubstringPalindromeLen: 1, MaxSubstringPalindromeLen: 5},
	Levels: []palindromePartitioningParams{
		{MinStringLen: 4, MaxStringLen: 6, MinSubstringPalindromeLen: 1, MaxSubstringPalindromeLen: 2},
		{MinStringLen: 6, MaxStringLen: 8, MinSubstringPalindromeLen: 1, MaxSubstringPalindromeLen: 3},
		{MinStringLen: 8, MaxStringLen: 11, MinSubstringPalindromeLen: 1, MaxSubstringPalindromeLen: 4},
		{MinStringLen: 11, MaxStringLen: 14, MinSubstringPalindromeLen: 1, MaxSubstringPalindromeLen: 5},
		{MinStringLen: 14, MaxStringLen: 18, MinSubstringPalindromeLen: 2, MaxSubstringPalindromeLen: 7},
		{MinStringLen: 20, MaxStringLen: 26, MinSubstringPalindromeLen: 3, MaxSubstringPalindromeLen: 10},
	},
	Few:  slices.Repeat([]string{"There are few strings so short, whatever the letters are called."}, 2),
	Make: makePalindromePartitioning,
	Ask: []string{
		`Find all ways to cut the string "{string}" into pieces that are palindromes.`,
		`In which ways can the string "{string}" be divided into substrings that each read the same forward and backward?`,
		`List every partition of "{string}" into palindromes.`,
		`Put bars between the letters of "{string}", or none at all, so that whatever stands between two bars is a palindrome. What are all the ways to do so?`,
		`Someone cuts a strip of paper with the letters "{string}" into strips that look the same from both ends. Which sets of strips, from left to right, can result?`,
		`The string "{string}" can be written as a sequence of palindromes, one after the other. Give all such sequences.`,
	},
	Form: ` A single letter is a palindrome. Answer with a JSON list of all the ways, each a list of the pieces from left to right, for example [["a", "a", "b"], ["aa", "b"]] for "aab". ` +
		"The ways may be in any order.",
}

// palindromePartitioningParams are the settings of one difficulty.
type palindromePartitioningParams struct {
	MinStringLen              int `json:"min_string_len" want:"3 to 40"` // letters
	MaxStringLen              int `json:"max_string_len" want:"min_string_len to 40"`
	MinSubstringPalindromeLen int `json:"min_substring_palindrome_len" want:"1 to max_string_len"` // letters of each palindrome in the string
	MaxSubstringPalindromeLen int `json:"max_substring_palindrome_len" want:"min_substring_palindrome_len to max_string_len and at least 2: single letters can be cut in only one way"`
}

// palindromePartitioningItem is one string.
type palindromePartitioningItem struct {
	String    string     `json:"string" want:"1 to 64"` // a to z
	Solution  [][]string `json:"solution"`              // every way to cut it
	StringLen int        `json:"string_len"`
	Phrasing  int        `json:"phrasing,omitempty"`
}

// mostPartitions is the number of ways that ends the appending of palindromes.
const mostPartitions = 100

// makePalindromePartitioning joins palindromes.
func makePalindromePartitioning(p palindromePartitioningParams, r *rng.Rand) (palindromePartitioningItem, error) {
	n := r.Between(p.MinStringLen, p.MaxStringLen)
	text := make([]byte, 0, n)
	for len(text) < n {
		size := min(r.Between(p.MinSubstringPalindromeLen, p.MaxSubstringPalindromeLen), n-len(text))
		longer := appendPalindrome(text, size, r)
		if countPartitions(longer) > mostPartitions {
			longer = appendQuietLetter(text, r)
		}
		text = longer
	}
	if countPartitions(text) < 2 {
		at := r.Between(1, n-1)
		text[at] = text[at-1]
	}
	return palindromePartitioningItem{
		String: string(text), Solution: partitions(string(text)), StringLen: n,
		Phrasing: r.Between(0, 5),
	}, nil
}

// appendPalindrome appends a palindrome of size random letters.
func appendPalindrome(text []byte, size int, r *rng.Rand) []byte {
	for range (size + 1) / 2 {
		text = append(text, byte('a'+r.Between(0, 25)))
	}
	for i := range size / 2 {
		text = append(text, text[len(text)-1-size%2-2*i])
	}
	return text
}

// appendQuietLetter appends the letter that adds the fewest ways to cut the string; among
// several, a random one.
func appendQuietLetter(text []byte, r *rng.Rand) []byte {
	start, best, least := r.Between(0, 25), byte(0), uint64(0)
	for k := range 26 {
		letter := byte('a' + (start+k)%26)
		if n := countPartitions(append(text, letter)); best == 0 || n < least {
			best, least = letter, n
		}
	}
	return append(text, best)
}

// longestCut limits the strings to cut, in letters.
const longestCut = 64

// palindromeEnds returns, for each index, the beginnings of the palindromes that end before
// it: bit i of the number at j is set if text[i:j] is a palindrome. text has at most
// longestCut letters.
func palindromeEnds(text []byte) (begins [longestCut + 1]uint64) {
	var places [256]uint64 // of each letter
	for j, letter := range text {
		places[letter] |= 1 << j
		inner := begins[j]>>1 | 1<<j // bit i+1: text[i+1:j] is a palindrome or empty
		if j > 0 {
			inner |= 1 << (j - 1)
		}
		begins[j+1] = places[letter] & inner
	}
	return begins
}

// countPartitions returns the number of ways to cut text into palindromes.
func countPartitions(text []byte) uint64 {
	begins, ways := palindromeEnds(text), [longestCut + 1]uint64{1}
	for j := 1; j <= len(text); j++ {
		for left := begins[j]; left != 0; left &= left - 1 {
			ways[j] += ways[bits.TrailingZeros64(left)]
		}
	}
	return ways[len(text)]
}

// partitions returns the ways to cut text into palindromes. They are ordered by the length
// of their first different palindrome, shortest first.
func partitions(text string) [][]string {
	c := cutter{text: text, begins: palindromeEnds([]byte(text)), path: make([]string, 0, len(text))}
	c.found = make([][]string, 0, countPartitions([]byte(text)))
	c.from(0)
	return c.found
}

// A cutter searches for all ways to cut a string, depth first. A single letter is a
// palindrome, so no way ends early.
type cutter struct {
	text   string
	begins [longestCut + 1]uint64
	path   []string
	found  [][]string
	pieces []string // of the last ways found, one after the other
}

// from cuts off each palindrome that begins at a place, and continues after it.
func (c *cutter) from(at int) {
	if at == len(c.text) {
		if cap(c.pieces)-len(c.pieces) < len(c.path) {
			c.pieces = make([]string, 0, 2*longestCut)
		}
		start := len(c.pieces)
		c.pieces = append(c.pieces, c.path...)
		c.found = append(c.found, c.pieces[start:len(c.pieces):len(c.pieces)])
		return
	}
	for end := at + 1; end <= len(c.text); end++ {
		if c.begins[end]>>at&1 == 0 {
			continue
		}
		c.path = append(c.path, c.text[at:end])
		c.from(end)
		c.path = c.path[:len(c.path)-1]
	}
}

// Canonical implements [task.Canonicalizer]. The letters do not matter, and the string may be
// read from its end.
func (p palindromePartitioningItem) Canonical() string {
	return min(shape(p.String), shape(backward(p.String)))
}

// Check refuses a record unless its solution lists all ways to cut the string.
func (p palindromePartitioningItem) Check() error {
	if n := countPartitions([]byte(p.String)); n != uint64(len(p.Solution)) {
		return fmt.Errorf("solution has %d ways, want %d", len(p.Solution), n)
	}
	if fault := p.fault(p.Solution); fault != "" {
		return fmt.Errorf("solution: %s", fault)
	}
	return nil
}

func (p palindromePartitioningItem) Solve() string { return answer.WriteLists(p.Solution) }

// Score implements [task.Scorer]. A repeated way counts once.
func (p palindromePartitioningItem) Score(text string) quintain.Verdict {
	ways, err := answer.ReadLists(text)
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	if fault := p.fault(ways); fault != "" {
		return quintain.Wrong(fault)
	}
	return quintain.Right()
}

// fault describes the fault of an answer, or returns "" if it lists all ways.
func (p palindromePartitioningItem) fault(ways [][]string) string {
	if len(ways) > 2*len(p.Solution) {
		return fmt.Sprintf("there are %d ways, want %d", len(ways), len(p.Solution))
	}
	begins := palindromeEnds([]byte(p.String))
	seen := make(map[uint64]bool, len(p.Solution)) // by the set of letters before a cut
	for _, way := range ways {
		at, cuts := 0, uint64(0)
		for _, piece := range way {
			end := at + len(piece)
			if piece == "" || end > len(p.String) || p.String[at:end] != piece || begins[end]>>at&1 == 0 {
				return fmt.Sprintf("%.60q is not the string cut into palindromes", way)
			}
			at, cuts = end, cuts|1<<(end-1)
		}
		if at < len(p.String) {
			return fmt.Sprintf("%.60q ends before the string does", way)
		}
		seen[cuts] = true
	}
	if len(seen) < len(p.Solution) {
		return fmt.Sprintf("%d of %d ways are missing", len(p.Solution)-len(seen), len(p.Solution))
	}
	return ""
}
