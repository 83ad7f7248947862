package words

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// groupAnagrams asks for words in groups of anagrams.
var groupAnagrams = task.Spec[groupAnagramsParams, groupAnagramsItem]{
	Name:     "group_anagrams",
	Category: "algorithmic",
	Doc:      "Group the words that are anagrams of each other. Groups and words may be in any order.",
	Source:   "A classic exercise; words of package lexicon, from SCOWL (its own permissive licence).",
	Version:  4,
	List:     answer.AsLists,
	Default:  groupAnagramsParams{MinAnagramGroups: 2, MaxAnagramGroups: 10, MinWordsPerGroup: 2, MaxWordsPerGroup: 5},
	Levels: []groupAnagramsParams{
		{MinAnagramGroups: 2, MaxAnagramGroups: 3, MinWordsPerGroup: 2, MaxWordsPerGroup: 2},
		{MinAnagramGroups: 3, MaxAnagramGroups: 5, MinWordsPerGroup: 2, MaxWordsPerGroup: 3},
		{MinAnagramGroups: 6, MaxAnagramGroups: 9, MinWordsPerGroup: 2, MaxWordsPerGroup: 4},
		{MinAnagramGroups: 12, MaxAnagramGroups: 18, MinWordsPerGroup: 2, MaxWordsPerGroup: 5},
		{MinAnagramGroups: 25, MaxAnagramGroups: 40, MinWordsPerGroup: 2, MaxWordsPerGroup: 6},
		{MinAnagramGroups: 60, MaxAnagramGroups: 90, MinWordsPerGroup: 2, MaxWordsPerGroup: 7},
	},
	Make: makeGroupAnagrams,
	Ask: []string{
		"Put these words into groups, so that all words of a group are anagrams of each other:\n\n{words:, }",
		"Two words are anagrams if they have the same letters in another order. Sort the following words into groups of anagrams.\n\n{words:, }",
		"Find the words below that have the same letters, and put each set of them into a group.\n\n{words:, }",
		"Some of these words are made of exactly the same letters. Collect the words that belong together:\n\n{words:, }",
		"If the letters of each word are put into alphabetical order, some of these words become the same. Which ones? Make a group for each result.\n\n{words:, }",
		"A pile of letter tiles can spell every word of a group. Divide these words into such groups:\n\n{words:, }",
	},
	Form: "\n\nEvery word belongs to exactly one group. Answer with a JSON list of the groups, each a list of words, in any order, for example [[\"tea\", \"eat\"], [\"was\", \"saw\"]].",
}

// groupAnagramsParams are the settings of one difficulty.
type groupAnagramsParams struct {
	MinAnagramGroups int `json:"min_anagram_groups" want:"2 or more"`
	MaxAnagramGroups int `json:"max_anagram_groups" want:"min_anagram_groups or more"`
	MinWordsPerGroup int `json:"min_words_per_group" want:"2 to 5"`
	MaxWordsPerGroup int `json:"max_words_per_group" want:"min_words_per_group to 100"` // groups larger than any set come out smaller
}

// mostGroups limits the groups, by the least number of words in each; sets of more than
// five words are too few. Some sets always stay out, so that problems differ.
var mostGroups = [...]int{2: 500, 3: 250, 4: 100, 5: 20}

// Check refuses what no tag does.
func (p groupAnagramsParams) Check() error {
	return task.Within("max_anagram_groups", p.MaxAnagramGroups, p.MinAnagramGroups, mostGroups[p.MinWordsPerGroup])
}

// groupAnagramsItem is one list of words.
type groupAnagramsItem struct {
	Words         []string   `json:"words"`
	Solution      [][]string `json:"solution" want:"1 or more"` // each group in alphabetical order, groups by their first word
	AnagramGroups int        `json:"anagram_groups"`
	Phrasing      int        `json:"phrasing,omitempty"`
}

// makeGroupAnagrams draws the number of words of each group, a set of anagrams of that
// size, and the words.
func makeGroupAnagrams(p groupAnagramsParams, r *rng.Rand) (groupAnagramsItem, error) {
	all, groups := anagrams(), r.Between(p.MinAnagramGroups, p.MaxAnagramGroups)
	item := groupAnagramsItem{
		Solution: make([][]string, 0, groups), AnagramGroups: groups,
		Words:    make([]string, 0, 3*groups),
		Phrasing: r.Between(0, 5),
	}
	used := make([]int, 0, groups)
	for range groups {
		at, size := drawSet(all, used, r.Between(p.MinWordsPerGroup, p.MaxWordsPerGroup), r)
		used = append(used, at)
		group := rng.Sample(r, all.sets[at], size)
		item.Words = append(item.Words, group...)
		slices.Sort(group)
		item.Solution = append(item.Solution, group)
	}
	slices.SortFunc(item.Solution, slices.Compare[[]string])
	rng.Shuffle(r, item.Words)
	return item, nil
}

// drawSet draws an unused set of anagrams with size words, or with fewer if all are used.
func drawSet(all *anagramSets, used []int, size int, r *rng.Rand) (at, words int) {
	for ; ; size-- {
		n := len(all.withWords(size))
		if n == 0 {
			continue
		}
		start := r.Between(0, n-1)
		for k := range n {
			if at := (start + k) % n; !slices.Contains(used, at) {
				return at, size
			}
		}
	}
}

// Canonical implements [task.Canonicalizer]. The order of the words does not matter.
func (g groupAnagramsItem) Canonical() string {
	return fmt.Sprintf("%q", slices.Sorted(slices.Values(g.Words)))
}

// Check refuses a record with wrong groups.
func (g groupAnagramsItem) Check() error {
	var grouped []string
	seen := make(map[string]bool, len(g.Solution))
	for _, group := range g.Solution {
		if len(group) == 0 {
			return errors.New("solution has an empty group")
		}
		key := sortedLetters(group[0])
		for _, word := range group {
			if sortedLetters(word) != key {
				return fmt.Errorf("solution has %q and %q in a group", group[0], word)
			}
		}
		if seen[key] {
			return fmt.Errorf("solution has two groups of anagrams of %q", group[0])
		}
		seen[key] = true
		grouped = append(grouped, group...)
	}
	words := slices.Sorted(slices.Values(g.Words))
	slices.Sort(grouped)
	if !slices.Equal(words, grouped) {
		return errors.New("solution does not hold the words")
	}
	return nil
}

func (g groupAnagramsItem) Solve() string { return answer.WriteLists(g.Solution) }

// Score implements [task.Scorer]. Anything but the right groups earns nothing.
func (g groupAnagramsItem) Score(text string) quintain.Verdict {
	groups, err := answer.ReadLists(text)
	switch {
	case err != nil:
		return quintain.Malformed(err.Error())
	case len(groups) != len(g.Solution):
		return quintain.Wrong(fmt.Sprintf("there are %d groups, want %d", len(groups), len(g.Solution)))
	}
	want := slices.Clone(g.Solution)
	for i, group := range want {
		want[i] = slices.Sorted(slices.Values(group))
	}
	for _, group := range groups {
		slices.Sort(group)
	}
	slices.SortFunc(groups, slices.Compare[[]string])
	slices.SortFunc(want, slices.Compare[[]string])
	for i, group := range groups {
		if !slices.Equal(group, want[i]) {
			return quintain.Wrong(fmt.Sprintf("%.60q is not a whole group", group))
		}
	}
	return quintain.Right()
}
