package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestIsomorphicStringsScore(t *testing.T) {
	item := isomorphicStringsItem{Words: [2]string{"egg", "add"}, Solution: true, Solvable: true, StringLength: 3}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"True", 1, ""},
		{"True.", 4. / 5, "reasoning-gym pays for a text that contains the answer"},
		{"True or False", 0, ""},
		{"true", 0, "True was asked for"},
		{"TRUE", 0, ""},
		{"Yes", 0, ""},
		{"False", 0, ""},
		{"egg", 0, ""},
	})
	for _, bad := range []isomorphicStringsItem{
		{Words: [2]string{"egg", "ada"}, Solution: true},
		{Words: [2]string{"egg", "add"}},
		{Words: [2]string{"egg", "addd"}, Solution: true},
		{Words: [2]string{"eggs", "add"}, Solution: true},
		{Words: [2]string{"ab", "cc"}, Solution: true},
		{Words: [2]string{"", ""}, Solution: true},
		{Words: [2]string{"a\x00", "ab"}, Solution: true},
		{Words: [2]string{"é", "e"}, Solution: true},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestIsomorphicStringsWitnessScore(t *testing.T) {
	item := isomorphicStringsItem{Words: [2]string{"eggbed", "addbad"}, StringLength: 6, Witness: true}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"6", 1, ""},
		{" 6.", 1, "space and a full stop"},
		{"06", 1, "another spelling"},
		{"5", 0, "e is a again"},
		{"0", 0, "they are not isomorphic"},
		{"6th", 0, "not a number"},
		{"False", 0, "the number was asked for"},
	})
	if same := (isomorphicStringsItem{Words: [2]string{"egg", "add"}, Solution: true, Witness: true}); same.Solve() != "0" {
		t.Errorf("isomorphic strings differ at %s", same.Solve())
	}
}

// pattern writes, for each letter, the place of its first occurrence.
func pattern(word string) []int {
	all := make([]int, len(word))
	for i := range word {
		all[i] = strings.IndexByte(word, word[i])
	}
	return all
}

// counts are the counts of a word's letters, smallest first.
func counts(word string) []int {
	seen := map[rune]int{}
	for _, c := range word {
		seen[c]++
	}
	var all []int
	for _, n := range seen {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// The second solver compares patterns, of the whole strings or of longer and longer
// beginnings. The letter counts, which are easy to compare, give away few of the pairs that
// are not isomorphic.
func TestIsomorphicStringsSecond(t *testing.T) {
	right, byCounts, n := 0, 0, 0
	check := func(item isomorphicStringsItem, prompt, got string) error {
		words := strings.Split(strings.Split(prompt, "\n\n")[1], "\n")
		same := slices.Equal(pattern(words[0]), pattern(words[1]))
		want := map[bool]string{true: "True", false: "False"}[same]
		if strings.Contains(prompt, "smallest number n") {
			want = "0"
			for k := len(words[0]); !same && slices.Equal(pattern(words[0][:k]), pattern(words[1][:k])) == same; k-- {
				want = strconv.Itoa(k)
			}
		}
		if got != want || item.Solvable != same || len(words[0]) != item.StringLength || len(words[1]) != item.StringLength {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		n++
		if same {
			right++
		}
		if same == slices.Equal(counts(words[0]), counts(words[1])) {
			byCounts++
		}
		return nil
	}
	tasktest.Every(t, isomorphicStrings.Task(), tasktest.Count(1800, 200), check)
	tasktest.Every(t, tasktest.With(t, isomorphicStrings.Task(), `{"max_string_length":2}`), 100, check)
	tasktest.Every(t, tasktest.With(t, isomorphicStrings.Task(), `{}`), 200, check)
	right, byCounts, n = 0, 0, 0
	tasktest.Every(t, tasktest.With(t, isomorphicStrings.Task(), `{"min_string_length":3,"max_string_length":60}`), tasktest.Count(1800, 200), check)
	if tasktest.Heavy && (right < n*45/100 || right > n*55/100 || byCounts > n*7/10) {
		t.Errorf("of %d pairs %d are isomorphic, and the counts tell of %d whether they are", n, right, byCounts)
	}
}

func TestIsomorphicStringsKeys(t *testing.T) {
	tasktest.Variant(t, isomorphicStrings.Task(), "other letters in each string", func(i *isomorphicStringsItem, r *rng.Rand) func(string) string {
		for k, word := range i.Words {
			i.Words[k] = relettered(r).Replace(word)
		}
		return nil
	})
	tasktest.Variant(t, isomorphicStrings.Task(), "the strings exchanged", func(i *isomorphicStringsItem, _ *rng.Rand) func(string) string {
		slices.Reverse(i.Words[:])
		return nil
	})
	tasktest.Variant(t, isomorphicStrings.Task(), "both strings read from the end", func(i *isomorphicStringsItem, _ *rng.Rand) func(string) string {
		if !i.Witness {
			i.Words[0], i.Words[1] = backward(i.Words[0]), backward(i.Words[1])
		}
		return nil
	})
	tasktest.Same(t, isomorphicStrings.Task(), "a renaming can be undone", func(i *isomorphicStringsItem) { slices.Reverse(i.Words[:]) })
}
