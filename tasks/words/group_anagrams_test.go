package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGroupAnagramsScore(t *testing.T) {
	item := groupAnagramsItem{
		Words:    []string{"tea", "was", "ate", "saw", "eat"},
		Solution: [][]string{{"ate", "eat", "tea"}, {"saw", "was"}}, AnagramGroups: 2,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`[["ate", "eat", "tea"], ["saw", "was"]]`, 1, ""},
		{"\n" + `[["was","saw"],["tea","ate","eat"]]` + "\n", 1, "any order"},
		{`[["ate", "eat"], ["saw", "was"]]`, 0, "one word is missing, where reasoning-gym pays 0.01"},
		{`[["ate", "eat", "tea", "tea"], ["saw", "was"]]`, 0, "one occurs twice"},
		{`[["ate", "eat"], ["tea"], ["saw", "was"]]`, 0, "a group is cut"},
		{`[["ate", "eat", "tea", "saw", "was"]]`, 0, "all in one"},
		{`[["ate", "eat", "saw"], ["tea", "was"]]`, 0, "two words exchanged"},
		{`[["ate", "eat", "tea"], ["saw", "was"], []]`, 0, "an empty group"},
		{`[["ATE", "EAT", "TEA"], ["SAW", "WAS"]]`, 0, "capitals"},
		{`["ate", "eat", "tea", "saw", "was"]`, 0, "no groups"},
		{`{"a": ["ate", "eat", "tea"], "b": ["saw", "was"]}`, 0, "no list"},
		{`[['ate', 'eat', 'tea'], ['saw', 'was']]`, 0, "no JSON"},
		{`[["ate", "eat", "tea"], ["saw", "was"]].`, 0, "a full stop"},
		{`[]`, 0, ""},
		{``, 0, "nothing"},
	})
	for _, bad := range []groupAnagramsItem{
		{},
		{Words: []string{"a"}, Solution: [][]string{{"a"}, {}}},
		{Words: []string{"ab", "ac"}, Solution: [][]string{{"ab", "ac"}}},
		{Words: []string{"ab", "ba"}, Solution: [][]string{{"ab"}, {"ba"}}},
		{Words: []string{"ab"}, Solution: [][]string{{"ab", "ba"}}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestGroupAnagramsParams(t *testing.T) {
	tasktest.Refused(t, groupAnagrams.Task(), map[string]string{
		`{"min_anagram_groups":1}`:                          "min_anagram_groups",
		`{"min_anagram_groups":11}`:                         "max_anagram_groups",
		`{"max_anagram_groups":501}`:                        "max_anagram_groups",
		`{"min_words_per_group":1}`:                         "min_words_per_group",
		`{"min_words_per_group":6}`:                         "min_words_per_group",
		`{"min_words_per_group":4,"max_words_per_group":3}`: "max_words_per_group",
		`{"min_words_per_group":5,"max_anagram_groups":21}`: "max_anagram_groups",
	})
}

// There are more sets of anagrams than the settings may ask for.
func TestMostGroups(t *testing.T) {
	for words := 2; words < len(mostGroups); words++ {
		if n := len(anagrams().withWords(words)); n < mostGroups[words]*5/4 {
			t.Errorf("%d sets of %d words, for at most %d groups", n, words, mostGroups[words])
		}
	}
	if n := len(anagrams().withWords(100)); n > 0 {
		t.Errorf("%d sets of 100 words", n)
	}
}

// The second solver counts the letters of each word of the prompt.
func TestGroupAnagramsSecond(t *testing.T) {
	sizes := map[int]int{}
	check := func(item groupAnagramsItem, prompt, got string) error {
		byCount := map[[26]int][]string{}
		for word := range strings.SplitSeq(strings.Split(prompt, "\n\n")[1], ", ") {
			var count [26]int
			for _, c := range word {
				count[c-'a']++
			}
			byCount[count] = append(byCount[count], word)
		}
		var groups [][]string
		if err := json.Unmarshal([]byte(got), &groups); err != nil {
			return err
		}
		for _, group := range groups {
			var count [26]int
			for _, c := range group[0] {
				count[c-'a']++
			}
			want := byCount[count]
			slices.Sort(want)
			if !slices.Equal(group, want) || len(slices.Compact(want)) < 2 {
				return fmt.Errorf("group %q, want %q", group, want)
			}
			sizes[len(group)]++
		}
		if len(groups) != len(byCount) || len(groups) != item.AnagramGroups {
			return fmt.Errorf("%d groups, want %d", len(groups), len(byCount))
		}
		return nil
	}
	tasktest.Every(t, groupAnagrams.Task(), tasktest.Count(1200, 200), check)
	tasktest.Every(t, tasktest.With(t, groupAnagrams.Task(), `{"min_words_per_group":5,"max_words_per_group":90,"max_anagram_groups":20}`), tasktest.Count(100, 20), check)
	for n := 2; n <= 6; n++ {
		if sizes[n] == 0 {
			t.Errorf("no group of %d words", n)
		}
	}
}

func TestGroupAnagramsKeys(t *testing.T) {
	tasktest.Variant(t, groupAnagrams.Task(), "the words in another order", func(g *groupAnagramsItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, g.Words)
		return nil
	})
	tasktest.Same(t, groupAnagrams.Task(), "the words may be in any order", func(g *groupAnagramsItem) { slices.Reverse(g.Words) })
}
