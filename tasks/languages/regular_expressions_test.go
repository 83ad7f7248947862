package languages

import (
	"errors"
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

func TestRegularScore(t *testing.T) {
	item := regularItem{Letters: "ab", Conditions: []condition{{Kind: "rest", Word: "a", Every: 2}, {Kind: "ends", Word: "b"}}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"(b*ab*a)*b+", 1, ""},
		{" ^(b|ab*a)*b$\n", 1, "another expression, with anchors"},
		{"(b|ab{0,}a)*b{1}", 1, "counts"},
		{"(b|a(b)*a)*(b|b)", 1, "brackets"},
		{"(b*ab*a)*b", 0, "bb is left out"},
		{"(b|ab*a)*", 0, "the empty string"},
		{"b|bb|aab|aba+b|baab", 0, "a list of strings"},
		{"(a|b)*b", 0, "one condition is ignored"},
		{"(b|aa)*b", 0, "abab is left out"},
		{"(b*ab*a){0,9}b+", 0, "right for strings of 18 a's and less"},
		{".*", 0, "everything"},
		{"[ab]*b", 0, "classes are not allowed"},
		{"(?:b*ab*a)*b+", 0, "nor are groups with a meaning"},
		{"(b*ab*a)*?b+", 0, "nor lazy repeats"},
		{"(b*ab*a)*b+c{,2}", 0, ""},
		{"(b*ab*a)*b++", 0, ""},
		{"(b*ab*a)*(c|b+)", 0, "another letter"},
		{"(b*ab*a)*b{0", 0, ""},
		{"(b*ab*a)*b)", 0, ""},
		{"((((a{99}){99}){99}){99}", 0, "a hundred million"},
		{"(b{40}){40}|(b*ab*a)*b", 0, "too many repeats"},
		{"(a|b)*a(a|b){40}", 0, "a trillion beginnings"},
		{"\\w*b", 0, ""},
		{"^$", 0, "nothing"},
		{strings.Repeat("b", 301), 0, "too long"},
	})
}

func TestRegularVerdict(t *testing.T) {
	item := regularItem{Letters: "ab", Conditions: []condition{{Kind: "ends", Word: "b"}, {Kind: "exactly", Word: "a", Count: 1}}}
	for answer, want := range map[string]string{
		"b*ab":   `does not match "abb"`,
		"b*ab*":  `matches "a"`,
		"b*ab+|": `matches ""`,
	} {
		if v := item.Score(answer); !strings.Contains(v.Reason, want) {
			t.Errorf("%s gets %+v, want %s", answer, v, want)
		}
	}
}

func TestRegularParams(t *testing.T) {
	tasktest.Refused(t, regularExpressions.Task(), map[string]string{
		`{"letters":1}`:                   "letters",
		`{"letters":4}`:                   "letters",
		`{"conditions":0}`:                "conditions",
		`{"conditions":4}`:                "conditions",
		`{"min_states":1}`:                "min_states",
		`{"max_states":13}`:               "max_states",
		`{"min_states":6,"max_states":5}`: "max_states",
	})
	good := `{"letters":"ab","conditions":[{"kind":"%s","word":"%s","count":%d,"every":%d}],"match":[],"no_match":[],"phrasing":%d}`
	records := []string{`{}`, `{"letters":"ba","conditions":[{"kind":"apart"}]}`, `{"letters":"aa","conditions":[{"kind":"apart"}]}`, `{"letters":"ab","conditions":[]}`}
	for _, bad := range []struct {
		kind, word             string
		count, every, phrasing int
	}{
		{"unknown", "a", 0, 0, 0}, {"contains", "", 0, 0, 0}, {"contains", "abaab", 0, 0, 0}, {"contains", "ac", 0, 0, 0},
		{"rest", "a", 2, 2, 0}, {"rest", "a", 0, 0, 0}, {"rest", "ab", 0, 2, 0}, {"exactly", "", 1, 0, 0}, {"exactly", "a", 6, 0, 0},
		{"place", "a", 0, 0, 0}, {"from_end", "a", 0, 0, 0}, {"followed", "a", 0, 0, 0}, {"contains", "ab", 0, 2, 0}, {"contains", "ab", 0, 0, 6},
	} {
		records = append(records, fmt.Sprintf(good, bad.kind, bad.word, bad.count, bad.every, bad.phrasing))
	}
	tasktest.RefusedRecords(t, regularExpressions.Task(), records)
}

// saying are the statements of prompts, each with what decides it.
var saying = []struct {
	re    *regexp.Regexp
	holds func(text string, m []string) bool
}{
	{regexp.MustCompile(`^It contains (\w+)\.$`), func(s string, m []string) bool { return strings.Contains(s, m[1]) }},
	{regexp.MustCompile(`^It does not contain (\w+)\.$`), func(s string, m []string) bool { return !strings.Contains(s, m[1]) }},
	{regexp.MustCompile(`^It begins with (\w+)\.$`), func(s string, m []string) bool { return strings.HasPrefix(s, m[1]) }},
	{regexp.MustCompile(`^It ends with (\w+)\.$`), func(s string, m []string) bool { return strings.HasSuffix(s, m[1]) }},
	{regexp.MustCompile(`^Its length(.*)\.$`), func(s string, m []string) bool { return remainder(len(s), m[1]) }},
	{regexp.MustCompile(`^The number of (\w)'s(.*)\.$`), func(s string, m []string) bool { return remainder(strings.Count(s, m[1]), m[2]) }},
	{regexp.MustCompile(`^It has exactly (\w+) (\w)(?:'s)?\.$`), func(s string, m []string) bool { return strings.Count(s, m[2]) == numeral(m[1]) }},
	{regexp.MustCompile(`^It has (\w+) (\w)(?:'s)? or more\.$`), func(s string, m []string) bool { return strings.Count(s, m[2]) >= numeral(m[1]) }},
	{regexp.MustCompile(`^No two neighboring letters are the same\.$`), func(s string, _ []string) bool {
		for i := range len(s) {
			if i > 0 && s[i] == s[i-1] {
				return false
			}
		}
		return true
	}},
	{regexp.MustCompile(`^It has a (\w+) letter from the end, and that is (\w)\.$`), func(s string, m []string) bool {
		n := numeral(m[1])
		return len(s) >= n && s[len(s)-n:][:1] == m[2]
	}},
	{regexp.MustCompile(`^It has a (\w+) letter, and that is (\w)\.$`), func(s string, m []string) bool {
		n := numeral(m[1])
		return len(s) >= n && s[n-1:n] == m[2]
	}},
	{regexp.MustCompile(`^Every (\w) is directly followed by (\w)\.$`), func(s string, m []string) bool {
		return strings.Count(s, m[1]) == strings.Count(s, m[1]+m[2])
	}},
	{regexp.MustCompile(`^It is not empty, and its first and last letters are the same\.$`), func(s string, _ []string) bool {
		return s != "" && s[0] == s[len(s)-1]
	}},
}

func numeral(word string) int {
	n := slices.Index([]string{"no", "one", "two", "three", "four", "five"}, word)
	return max(n, slices.Index([]string{"", "first", "second", "third", "fourth", "fifth"}, word))
}

// remainder decides what a statement says of a number.
func remainder(n int, says string) bool {
	divided := regexp.MustCompile(`\d`).FindAllString(says, -1)
	switch {
	case says == " is even":
		return n%2 == 0
	case says == " is odd":
		return n%2 == 1
	case len(divided) == 2 && strings.Contains(says, "multiple"):
		return strconv.Itoa(n%int(divided[0][0]-'0')) == "0"
	case len(divided) == 2:
		return strconv.Itoa(n%int(divided[1][0]-'0')) == divided[0]
	}
	return false
}

// The second solver reads the statements of the prompt, and decides them on all short strings and
// some long ones by the functions of package strings; Go's own matcher decides the solution.
func TestRegularSecond(t *testing.T) {
	met := map[string]bool{}
	tasktest.Every(t, regularExpressions.Task(), 240, func(item regularItem, prompt, got string) error {
		expression, err := regexp.Compile("^(?:" + got + ")$")
		if err != nil {
			return err
		}
		var statements []func(string) bool
		for line := range strings.Lines(prompt) {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
			for _, say := range saying {
				if found := say.re.FindStringSubmatch(text); ok && found != nil {
					statements = append(statements, func(s string) bool { return say.holds(s, found) })
					met[say.re.String()] = true
				}
			}
		}
		if len(statements) != len(item.Conditions) {
			return fmt.Errorf("%d statements are understood, want %d", len(statements), len(item.Conditions))
		}
		holds := func(s string) bool {
			return !slices.ContainsFunc(statements, func(holds func(string) bool) bool { return !holds(s) })
		}
		check := func(s string) error {
			if want := holds(s); expression.MatchString(s) != want {
				return fmt.Errorf("%s matches %q: %v, want %v", got, s, !want, want)
			}
			return nil
		}
		for _, s := range item.Match {
			if err = errors.Join(err, check(s)); !holds(s) || !strings.Contains(prompt, s) {
				return fmt.Errorf("%s is no example", s)
			}
		}
		for _, s := range item.NoMatch {
			if err = errors.Join(err, check(s)); holds(s) {
				return fmt.Errorf("%s is an example", s)
			}
		}
		short := []string{""}
		for len(short[0]) < 7 && err == nil {
			var longer []string
			for _, s := range short {
				err = errors.Join(err, check(s))
				for _, letter := range strings.Split(item.Letters, "") {
					longer = append(longer, s+letter)
				}
			}
			short = longer
		}
		r := rng.New(1, "long strings")
		for range 300 {
			s := ""
			for range r.Between(8, 20) {
				s += rng.Pick(r, strings.Split(item.Letters, ""))
			}
			err = errors.Join(err, check(s))
		}
		return err
	})
	if len(met) != len(saying) {
		t.Errorf("%d kinds of statements are met, want %d", len(met), len(saying))
	}
}

func TestRegularKeys(t *testing.T) {
	all := regularExpressions.Task()
	tasktest.Variant(t, all, "other letters", func(g *regularItem, r *rng.Rand) func(string) string {
		old := g.Letters
		to := rng.Sample(r, []byte("abcdefghijklmnopqrstuvwxyz"), len(old))
		rename := func(text string) string {
			return strings.Map(func(c rune) rune {
				if i := strings.IndexRune(old, c); i >= 0 {
					return rune(to[i])
				}
				return c
			}, text)
		}
		for i, c := range g.Conditions {
			g.Conditions[i].Word = rename(c.Word)
		}
		sorted := slices.Clone(to)
		slices.Sort(sorted)
		g.Letters = string(sorted)
		return rename
	})
	tasktest.Variant(t, all, "another order of the conditions", func(g *regularItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, g.Conditions)
		return nil
	})
	tasktest.Variant(t, all, "other examples", func(g *regularItem, r *rng.Rand) func(string) string {
		g.drawExamples(hold(g.Conditions, g.Letters), r)
		return nil
	})
	tasktest.Translated(t, all, func(solution string, from, to regularItem) string {
		was, old := hold(from.Conditions, from.Letters).canonical()
		is, now := hold(to.Conditions, to.Letters).canonical()
		if was != is {
			solution = mirrored(solution)
			_, old = hold(from.Conditions, from.Letters).mirrored().canonical()
		}
		return strings.Map(func(c rune) rune {
			for i, letter := range old {
				if rune(from.Letters[letter]) == c {
					return rune(to.Letters[now[i]])
				}
			}
			return c
		}, solution)
	})
}

// Every expression without repeats is read, however long; those with many are refused at once.
func TestLongExpressions(t *testing.T) {
	for _, test := range []struct {
		text string
		read bool
	}{
		{strings.Repeat("a", longestAnswer), true},
		{strings.Repeat("(a|b)?", 50), true},
		{strings.Repeat("a*", 150), true},
		{strings.Repeat("a|", 149) + "b", true},
		{strings.Repeat("(", 100) + "a" + strings.Repeat(")+", 99) + ")", true},
		{strings.Repeat("(a)", 100), true},
		{"(" + strings.Repeat("ab", 140) + "){31}", false},
		{"((" + strings.Repeat("ab", 140) + "){31}){32}", false},
		{"((((a{9}){9}){9})*)*", false},
		{"(a{20}b{20}){9}", true},
	} {
		if _, err := readExpression(test.text, "ab"); (err == nil) != test.read {
			t.Errorf("%.40s… of %d characters: error %v", test.text, len(test.text), err)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"(a|b)*", "a{2,3}b?", "(a+", "a**", "(?i)a", "^ab$", "a{99}{99}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readExpression(text, "ab")
		if err != nil {
			return
		}
		expression := regexp.MustCompile("^(?:" + strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$") + ")$")
		for _, s := range []string{"", "a", "b", "ab", "ba", "aab", "abab", "bbbbb"} {
			at := m.start()
			for i := range len(s) {
				at = m.step(at, s[i])
			}
			if m.accepts(at) != expression.MatchString(s) {
				t.Errorf("%q matches %q: %v", text, s, m.accepts(at))
			}
		}
	})
}
