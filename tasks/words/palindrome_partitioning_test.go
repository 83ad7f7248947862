package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPalindromePartitioningScore(t *testing.T) {
	item := palindromePartitioningItem{String: "aab", Solution: [][]string{{"a", "a", "b"}, {"aa", "b"}}, StringLen: 3}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`[["a", "a", "b"], ["aa", "b"]]`, 1, ""},
		{"\n" + `[["aa","b"],["a","a","b"]] `, 1, "any order"},
		{`[["a","a","b"],["aa","b"],["a","a","b"]]`, 1, "a repeated way, as in reasoning-gym"},
		{`[["a", "a", "b"]]`, 0, "a way is missing"},
		{`[["a", "a", "b"], ["aa", "b"], ["aab"]]`, 0, "one piece is not a palindrome"},
		{`[["a", "a", "b"], ["aa", "b"], ["a", "a"]]`, 0, "one way is too short"},
		{`[["a", "a", "b"], ["aa", "b"], []]`, 0, "one is empty"},
		{`[["a", "a", "b"], ["aa", "", "b"]]`, 0, "an empty piece"},
		{`[["a", "a", "b"], ["b", "aa"]]`, 0, "the wrong order"},
		{`[["a", "a", "b"], ["aa", "b", "b"]]`, 0, "too long"},
		{`[["A", "A", "B"], ["AA", "B"]]`, 0, "capitals"},
		{`["a", "a", "b"]`, 0, "one list"},
		{`[['a', 'a', 'b'], ['aa', 'b']]`, 0, "no JSON"},
		{`aab`, 0, "the question itself"},
		{`[]`, 0, ""},
		{``, 0, "nothing"},
	})
	for _, bad := range []palindromePartitioningItem{
		{},
		{String: strings.Repeat("a", 65)},
		{String: strings.Repeat("a", 64)},
		{String: "aa", Solution: [][]string{{"a", "a"}}},
		{String: "aa", Solution: [][]string{{"a", "a"}, {"a", "a"}}},
		{String: "ab", Solution: [][]string{{"ab"}}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestCountPartitions(t *testing.T) {
	for text, want := range map[string]uint64{"": 1, "a": 1, "ab": 1, "aa": 2, "aaaa": 8, "abcba": 3, "abba": 3, "aabbcc": 8, strings.Repeat("a", 64): 1 << 63} {
		if got := countPartitions([]byte(text)); got != want {
			t.Errorf("%q: %d ways, want %d", text, got, want)
		}
	}
}

// Up to 14 letters, the second solver tries all sets of places to cut at. For longer
// strings, it checks each way of the answer against the string, and counts.
func TestPalindromePartitioningSecond(t *testing.T) {
	tasktest.Second(t, palindromePartitioning.Task(), 1200, func(item palindromePartitioningItem, prompt, got string) error {
		text := strings.Split(prompt, `"`)[1]
		var ways [][]string
		if err := json.Unmarshal([]byte(got), &ways); err != nil {
			return err
		}
		var have []string
		for _, way := range ways {
			for _, piece := range way {
				if !mirrored(piece) {
					return fmt.Errorf("%s is not a palindrome", piece)
				}
			}
			if strings.Join(way, "") != text {
				return fmt.Errorf("%q is not %s", way, text)
			}
			have = append(have, strings.Join(way, "|"))
		}
		slices.Sort(have)
		have = slices.Compact(have)
		if len(text) <= 14 {
			want := cutEverywhere(text)
			if slices.Sort(want); !slices.Equal(have, want) {
				return fmt.Errorf("ways %q, want %q", have, want)
			}
		} else if want := waysFrom(text); len(have) != want {
			return fmt.Errorf("%d ways, want %d", len(have), want)
		}
		if len(have) < 2 || len(have) > 2*mostPartitions || len(text) != item.StringLen {
			return fmt.Errorf("%d ways to cut %d letters", len(have), len(text))
		}
		return nil
	})
}

func mirrored(text string) bool {
	letters := strings.Split(text, "")
	slices.Reverse(letters)
	return strings.Join(letters, "") == text
}

// cutEverywhere tries all numbers with the places to cut as their bits.
func cutEverywhere(text string) (ways []string) {
	for cuts := range 1 << (len(text) - 1) {
		way := text[:1]
		for i := 1; i < len(text); i++ {
			if cuts>>(i-1)&1 == 1 {
				way += "|"
			}
			way += text[i : i+1]
		}
		if !slices.ContainsFunc(strings.Split(way, "|"), func(piece string) bool { return !mirrored(piece) }) {
			ways = append(ways, way)
		}
	}
	return ways
}

// waysFrom counts the ways to cut text, by its first piece.
func waysFrom(text string) (n int) {
	if text == "" {
		return 1
	}
	for size := 1; size <= len(text); size++ {
		if mirrored(text[:size]) {
			n += waysFrom(text[size:])
		}
	}
	return n
}

func TestPalindromePartitioningKeys(t *testing.T) {
	tasktest.Translated(t, palindromePartitioning.Task(), func(solution string, from, to palindromePartitioningItem) string {
		if shape(from.String) != shape(to.String) {
			mirrored := []byte(from.String)
			slices.Reverse(mirrored)
			from.String = string(mirrored)
			ways := make([][]string, len(from.Solution))
			for i, way := range from.Solution {
				ways[i] = slices.Clone(way)
				slices.Reverse(ways[i]) // each piece is a palindrome
			}
			solution = answer.WriteLists(ways)
		}
		var pairs []string
		for i := range from.String {
			pairs = append(pairs, from.String[i:i+1], to.String[i:i+1])
		}
		return strings.NewReplacer(pairs...).Replace(solution)
	})
	tasktest.Variant(t, palindromePartitioning.Task(), "other letters", func(p *palindromePartitioningItem, r *rng.Rand) func(string) string {
		other := relettered(r)
		p.String = other.Replace(p.String)
		p.Solution = partitions(p.String)
		return other.Replace
	})
	tasktest.Variant(t, palindromePartitioning.Task(), "the string from its end", func(p *palindromePartitioningItem, _ *rng.Rand) func(string) string {
		turned := []byte(p.String)
		slices.Reverse(turned)
		ways := slices.Clone(p.Solution)
		p.String = string(turned)
		p.Solution = partitions(p.String)
		return func(string) string {
			for _, way := range ways {
				slices.Reverse(way) // each piece is a palindrome
			}
			return answer.WriteLists(ways)
		}
	})
	tasktest.Other(t, palindromePartitioning.Task(), "a letter more", func(p *palindromePartitioningItem) {
		p.String += "q"
		p.Solution = partitions(p.String)
	})
}
