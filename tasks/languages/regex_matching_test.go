package languages

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestMatchingScore(t *testing.T) {
	item := matchingItem{Letters: "ab", Expression: "a(b|aa)*", Strings: []string{"a", "ba", "abaa", "aa", "ab"}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1, 3, 5", 1, ""},
		{"5 3 1.", 1, "another order, and a full stop"},
		{"1,3;5", 1, "other separators"},
		{"1, 3", 0, "one is left out"},
		{"1, 3, 4, 5", 0, "one is too many"},
		{"1, 3, 5, 5", 0, "one comes twice"},
		{"1, 2, 3, 4, 5", 0, "all"},
		{"a, abaa, ab", 0, "the strings"},
		{"1, 3, 6", 0, "no such string"},
		{"135", 0, ""},
	})
}

func TestMatchingParams(t *testing.T) {
	tasktest.RefusedRecords(t, regexMatching.Task(), []string{
		`{}`,
		`{"letters":"ab","expression":"(a","strings":["a"]}`,
		`{"letters":"ab","expression":"ac","strings":["a"]}`,
		`{"letters":"ab","expression":"a","strings":[]}`,
		`{"letters":"ab","expression":"a","strings":["b"]}`,
		`{"letters":"ab","expression":"a","strings":["a","c"]}`,
		`{"letters":"ab","expression":"a","strings":["a",""]}`,
		`{"letters":"ab","expression":"a","strings":["a"],"phrasing":6}`,
	})
}

var stringRE = regexp.MustCompile(`(?m)^(\d+)\. (\w+)$`)

// The second solver reads expression and strings from the prompt, and asks Go's own matcher.
func TestMatchingSecond(t *testing.T) {
	tasktest.Second(t, regexMatching.Task(), 1002, func(_ matchingItem, prompt, got string) error {
		expression, err := regexp.Compile(`^(?:` + strings.Split(prompt, "\n")[1] + `)$`)
		if err != nil {
			return err
		}
		var want []string
		all := stringRE.FindAllStringSubmatch(prompt, -1)
		for _, line := range all {
			if expression.MatchString(line[2]) {
				want = append(want, line[1])
			}
		}
		if strings.Join(want, ", ") != got || len(want) == 0 || len(want) == len(all) {
			return fmt.Errorf("%s of %d strings, want %v", got, len(all), want)
		}
		return nil
	})
}

func TestMatchingKeys(t *testing.T) {
	all := regexMatching.Task()
	tasktest.Variant(t, all, "other letters", func(g *matchingItem, r *rng.Rand) func(string) string {
		to := rng.Sample(r, []byte(smallOnes), len(g.Letters))
		rename := func(text string) string {
			return strings.Map(func(c rune) rune {
				if i := strings.IndexRune(g.Letters, c); i >= 0 {
					return rune(to[i])
				}
				return c
			}, text)
		}
		g.Expression = rename(g.Expression)
		for i, text := range g.Strings {
			g.Strings[i] = rename(text)
		}
		g.Letters = string(to)
		return nil
	})
	tasktest.Variant(t, all, "all read from the end", func(g *matchingItem, _ *rng.Rand) func(string) string {
		g.Expression = mirrored(g.Expression)
		for i, text := range g.Strings {
			g.Strings[i] = mirrored(text)
		}
		return nil
	})
	tasktest.Variant(t, all, "another order of the strings", func(g *matchingItem, _ *rng.Rand) func(string) string {
		slices.Reverse(g.Strings)
		return func(answer string) string {
			return regexp.MustCompile(`\d+`).ReplaceAllStringFunc(answer, func(number string) string {
				n, _ := strconv.Atoi(number)
				return strconv.Itoa(len(g.Strings) + 1 - n)
			})
		}
	})
	tasktest.Other(t, all, "another string", func(g *matchingItem) {
		for i := range g.Strings {
			if !slices.Contains(g.right(), i+1) {
				g.Strings[i] = strings.Repeat(g.Letters[:1], longestString)
				return
			}
		}
	})
}

func TestMirroredExpressions(t *testing.T) {
	for _, test := range [][2]string{
		{"abc", "cba"}, {"ab|c", "ba|c"}, {"a(b|aa)*", "(b|aa)*a"}, {"a{2,3}b+", "b+a{2,3}"}, {"((ab)?c)*.", ".(c(ba)?)*"}, {"", ""}, {"a|", "a|"}, {"(a)(b){2}(ab|(ba)c)", "(ba|c(ab))(b){2}(a)"},
	} {
		if got := mirrored(test[0]); got != test[1] || mirrored(got) != test[0] {
			t.Errorf("%s from the end is %s, want %s", test[0], got, test[1])
		}
	}
}
