package languages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// regexMatching asks which strings a regular expression matches.
var regexMatching = task.Spec[matchingParams, matchingItem]{
	Name:     "regex_matching",
	Category: "languages",
	Doc: "Tell which of some strings a regular expression matches as a whole. Strings that do not match are a letter or two away from some that do. " +
		"Only all of them, and no other, are right.",
	Source:  "Regular languages, S. Kleene (1956).",
	Version: 2,
	List:    ", ",
	Default: matchingParams{Letters: 2, Depth: 2, MinStrings: 6, MaxStrings: 8},
	Levels: []matchingParams{
		{Letters: 2, Depth: 1, MinStrings: 5, MaxStrings: 5},
		{Letters: 2, Depth: 2, MinStrings: 6, MaxStrings: 6},
		{Letters: 3, Depth: 2, MinStrings: 8, MaxStrings: 9},
		{Letters: 3, Depth: 3, MinStrings: 10, MaxStrings: 11},
		{Letters: 2, Depth: 4, MinStrings: 11, MaxStrings: 13},
		{Letters: 3, Depth: 4, MinStrings: 16, MaxStrings: 20},
	},
	Make: makeMatching,
}

// matchingParams are the settings of one difficulty.
type matchingParams struct {
	Letters    int `json:"letters" want:"2 to 3"`
	Depth      int `json:"depth" want:"1 to 5"` // of the expression
	MinStrings int `json:"min_strings" want:"4 to 20"`
	MaxStrings int `json:"max_strings" want:"min_strings to 20"`
}

const (
	mostStrings   = 20
	longestString = 24
	smallOnes     = "abcdefghijklmnopqrstuvwxyz"
)

// matchingItem is one expression with strings.
type matchingItem struct {
	Letters    string   `json:"letters" want:"2 to 3" chars:"a-z"`
	Expression string   `json:"expression"`
	Strings    []string `json:"strings" want:"1 to 20"`
	Phrasing   int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeMatching draws an expression until it matches some of the strings drawn, but not all.
func makeMatching(p matchingParams, r *rng.Rand) (matchingItem, error) {
	const mostTries, longest = 500, 60
	letters := rng.Sample(r, []byte("abcdefghkmnpqrstuvwxyz"), p.Letters)
	slices.Sort(letters)
	item := matchingItem{Letters: string(letters), Phrasing: r.Between(0, len(matchingPhrasings)-1)}
	count := r.Between(p.MinStrings, p.MaxStrings)
	for range mostTries {
		grown := grow(item.Letters, p.Depth, r)
		item.Expression = grown.write(sequence)
		if len(item.Expression) > longest || len(item.Expression) < 3*p.Depth {
			continue
		}
		m, err := readExpression(item.Expression, item.Letters)
		if err != nil || !item.drawStrings(grown, m, count, r) {
			continue
		}
		return item, nil
	}
	return item, errors.New("found no expression that tells the strings apart")
}

// drawStrings draws strings that match, and others near them, about as many.
func (g *matchingItem) drawStrings(grown branch, m *matcher, count int, r *rng.Rand) bool {
	const mostTries = 8 // for each string
	g.Strings = nil
	matched, wanted := 0, count/2+r.Between(-1, 1)
	for tries := 0; len(g.Strings) < count && tries < mostTries*count; tries++ {
		text := grown.sample(r)
		if tries%2 == 1 {
			text = spoiled(text, g.Letters, r)
		}
		if text == "" || len(text) > longestString || slices.Contains(g.Strings, text) {
			continue
		}
		switch is := m.matches(text); {
		case is && matched < wanted:
			matched++
		case is || len(g.Strings)-matched >= count-wanted:
			continue
		}
		g.Strings = append(g.Strings, text)
	}
	rng.Shuffle(r, g.Strings)
	return len(g.Strings) == count
}

// spoiled changes a letter of text, leaves one out or adds one; once or twice.
func spoiled(text, letters string, r *rng.Rand) string {
	for range r.Between(1, 2) {
		if text == "" {
			break
		}
		at, letter := r.Between(0, len(text)-1), string(rng.Pick(r, []byte(letters)))
		switch r.Between(0, 2) {
		case 0:
			text = text[:at] + letter + text[at+1:]
		case 1:
			text = text[:at] + text[at+1:]
		default:
			text = text[:at] + letter + text[at:]
		}
	}
	return text
}

// matches reports whether m matches a whole string.
func (m *matcher) matches(text string) bool {
	at := m.start()
	for i := range len(text) {
		at = m.step(at, text[i])
	}
	return m.accepts(at)
}

// matchingPhrasings are the wordings of the question, before the expression.
var matchingPhrasings = []string{
	"Which of the strings below does this regular expression match from beginning to end?",
	"A regular expression is given. Find all strings in the list that match it as a whole.",
	"A form accepts an entry only if the whole of it matches the following expression. Which entries does it accept?",
	"For each numbered string, decide whether the entire string is a match of this regular expression.",
	"Take this pattern, a regular expression, and name the strings that it fully matches.",
	"A program keeps those words that are matched completely by the regular expression here. Which ones does it keep?",
}

func (g matchingItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(append(b, matchingPhrasings[g.Phrasing]...), '\n')
	b = append(b, g.Expression...)
	for i, text := range g.Strings {
		b = append(strconv.AppendInt(append(b, '\n'), int64(i+1), 10), ". "...)
		b = append(b, text...)
	}
	return string(append(b, "\nAnswer with the numbers of the strings that match, from the smallest to the largest, separated by commas."...))
}

// Canonical implements [task.Canonicalizer]: the expression and the strings as a set, whatever the
// letters are called and from whichever end all is read.
func (g matchingItem) Canonical() string {
	best, list := "", make([]string, len(g.Strings))
	permute(len(g.Letters), func(order []int) {
		rename := func(text string) string {
			return strings.Map(func(c rune) rune {
				if i := strings.IndexRune(g.Letters, c); i >= 0 {
					return rune('a' + order[i])
				}
				return c
			}, text)
		}
		for _, read := range []func(string) string{strings.Clone, mirrored} {
			for i, text := range g.Strings {
				list[i] = rename(read(text))
			}
			slices.Sort(list)
			if text := rename(read(g.Expression)) + " " + strings.Join(list, " "); best == "" || text < best {
				best = text
			}
		}
	})
	return best
}

// mirrored writes an expression for the strings of another read from the end.
func mirrored(expression string) string {
	var parts, alternatives []string
	end := func() {
		slices.Reverse(parts)
		alternatives, parts = append(alternatives, strings.Join(parts, "")), nil
	}
	for rest := expression; rest != ""; {
		size, depth := 1, 0
		for i := 0; rest[0] == '(' && i < len(rest); i++ {
			if depth += strings.Count(rest[i:i+1], "(") - strings.Count(rest[i:i+1], ")"); depth == 0 {
				size = i + 1
				break
			}
		}
		part := rest[:size]
		if rest = rest[size:]; part == "|" {
			end()
			continue
		}
		if size > 1 {
			part = "(" + mirrored(part[1:size-1]) + ")"
		}
		repeats := len(rest) - len(strings.TrimLeft(rest, "*+?{},0123456789"))
		parts, rest = append(parts, part+rest[:repeats]), rest[repeats:]
	}
	end()
	return strings.Join(alternatives, "|")
}

// Check refuses a record with an unreadable expression, or without strings that match.
func (g matchingItem) Check() error {
	if _, err := readExpression(g.Expression, g.Letters); err != nil {
		return fmt.Errorf("expression: %w", err)
	}
	for _, text := range g.Strings {
		if text == "" || len(text) > longestString || strings.Trim(text, g.Letters) != "" {
			return fmt.Errorf("strings has %.60q, want 1 to %d of the letters %s", text, longestString, g.Letters)
		}
	}
	if g.Solve() == "" {
		return errors.New("strings: none matches")
	}
	return nil
}

// right returns the numbers of the strings that match.
func (g matchingItem) right() (numbers []int) {
	m, err := readExpression(g.Expression, g.Letters)
	if err != nil {
		return nil
	}
	for i, text := range g.Strings {
		if m.matches(text) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func (g matchingItem) Solve() string {
	var list []string
	for _, number := range g.right() {
		list = append(list, strconv.Itoa(number))
	}
	return strings.Join(list, ", ")
}

// Score implements [task.Scorer]. The numbers may come in any order.
func (g matchingItem) Score(text string) quintain.Verdict {
	const longest = 400
	if len(text) > longest {
		return quintain.Malformed(fmt.Sprintf("the answer has %d bytes, want at most %d", len(text), longest))
	}
	var numbers []int
	text = strings.NewReplacer(",", " ", ";", " ").Replace(strings.TrimSuffix(answer.Trim(text), "."))
	for _, word := range answer.Fields(text) {
		n, ok := answer.ReadInt(word)
		if !ok || n < 1 || n > int64(len(g.Strings)) {
			return quintain.Malformed(fmt.Sprintf("%q is not one of the numbers 1 to %d", word, len(g.Strings)))
		}
		numbers = append(numbers, int(n))
	}
	if len(numbers) == 0 {
		return quintain.Malformed("the answer is empty")
	}
	slices.Sort(numbers)
	if !slices.Equal(numbers, g.right()) {
		return quintain.Wrong("want " + g.Solve())
	}
	return quintain.Right()
}
