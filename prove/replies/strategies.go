package replies

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
)

// A Strategy answers without solving. It may look at the words of the prompt, and at
// solutions of other problems of the level. An empty text means no answer.
type Strategy struct {
	Name   string
	Answer func(*Question) string
}

// A Question is a strategy's view of a problem.
type Question struct {
	Prompt  string
	lines   []string // trimmed, without the empty ones
	numbers []string
	figures []string // words with digits, as spelled
	quoted  []string // text in quotes or backticks
	words   []string // words of letters
	names   []string // capitalised words
	example string   // the prompt's example of an answer
	board   board
	Others  []string // solutions of 32 other problems
}

var (
	numberRE  = regexp.MustCompile(`-?\d+(?:[./:]\d+)*`)
	quotedRE  = regexp.MustCompile("\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`")
	wordRE    = regexp.MustCompile(`\pL+`)
	exampleRE = regexp.MustCompile(`(?s)(?:for example|such as|like this|e\.g\.)[:,]?\s+(.+)`)
)

// NewQuestion splits a prompt.
func NewQuestion(prompt string, others []string) *Question {
	q := &Question{Prompt: prompt, Others: others}
	for line := range strings.Lines(prompt) {
		if line = strings.TrimSpace(line); line != "" {
			q.lines = append(q.lines, line)
		}
	}
	q.numbers = numberRE.FindAllString(prompt, -1)
	for _, word := range strings.Fields(prompt) {
		if word = strings.Trim(word, ",.;:?!()[]"); strings.ContainsAny(word, "0123456789") {
			q.figures = append(q.figures, word)
		}
	}
	q.words = wordRE.FindAllString(prompt, -1)
	for _, word := range q.words {
		if word != strings.ToLower(word) {
			q.names = append(q.names, word)
		}
	}
	for _, found := range quotedRE.FindAllStringSubmatch(prompt, -1) {
		q.quoted = append(q.quoted, cmp.Or(found[1], found[2], found[3]))
	}
	if found := exampleRE.FindStringSubmatch(prompt); found != nil {
		q.example = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(found[1]), "."))
	}
	q.board = findBoard(prompt)
	return q
}

// Example is the prompt's example of an answer; empty: it has none.
func (q *Question) Example() string { return q.example }

// Strategies returns ways to answer without solving, besides [Constants].
func Strategies() []Strategy {
	list := slices.Clone(copies)
	for i := range 6 {
		list = append(list,
			Strategy{fmt.Sprintf("copying line %d", i+1), func(q *Question) string { return at(q.lines, i) }},
			Strategy{fmt.Sprintf("copying line %d from the end", i+1), func(q *Question) string { return at(q.lines, len(q.lines)-1-i) }},
			Strategy{fmt.Sprintf("copying number %d", i+1), func(q *Question) string { return at(q.numbers, i) }},
			Strategy{fmt.Sprintf("copying number %d from the end", i+1), func(q *Question) string { return at(q.numbers, len(q.numbers)-1-i) }},
			Strategy{fmt.Sprintf("copying figure %d", i+1), func(q *Question) string { return at(q.figures, i) }},
			Strategy{fmt.Sprintf("copying figure %d from the end", i+1), func(q *Question) string { return at(q.figures, len(q.figures)-1-i) }},
			Strategy{fmt.Sprintf("copying name %d", i+1), func(q *Question) string { return at(q.names, i) }},
			Strategy{fmt.Sprintf("copying name %d from the end", i+1), func(q *Question) string { return at(q.names, len(q.names)-1-i) }},
			Strategy{fmt.Sprintf("copying quotation %d", i+1), func(q *Question) string { return at(q.quoted, i) }},
			Strategy{fmt.Sprintf("copying the text after colon %d", i+1), func(q *Question) string { return afterColon(q.lines, i) }},
		)
	}
	list = append(list, expressions...)
	for _, n := range []int{2, 3, 5, 10, 32} {
		for _, by := range []string{"", " ", ", ", "\n", " and ", " or ", "; "} {
			list = append(list, Strategy{fmt.Sprintf("joining %s of others by %q", stats.Count(n, "solution"), by), func(q *Question) string { return strings.Join(different(q.Others, n), by) }})
		}
	}
	for k := range 4 {
		list = append(list,
			Strategy{fmt.Sprintf("filling the board with symbol %d", k+1), func(q *Question) string { return q.board.filled(k) }},
			Strategy{fmt.Sprintf("filling the holes of the board with symbol %d", k+1), func(q *Question) string { return q.board.patched(k) }},
		)
	}
	return list
}

// copies are strategies that copy from the prompt.
var copies = []Strategy{
	{"copying the prompt", func(q *Question) string { return q.Prompt }},
	{"copying the prompt in tags", func(q *Question) string { return "<answer>" + q.Prompt + "</answer>" }},
	{"copying the prompt twice", func(q *Question) string { return q.Prompt + q.Prompt }},
	{"copying the longest line", func(q *Question) string { return longest(q.lines) }},
	{"copying the longest line twice", func(q *Question) string { return longest(q.lines) + "\n" + longest(q.lines) }},
	{"copying the example", func(q *Question) string { return q.example }},
	{"copying the board", func(q *Question) string { return q.board.text() }},
	{"copying all numbers", func(q *Question) string { return strings.Join(q.numbers, " ") }},
	{"copying all numbers, with commas", func(q *Question) string { return strings.Join(q.numbers, ", ") }},
	{"copying all numbers as a list", func(q *Question) string { return "[" + strings.Join(q.numbers, ", ") + "]" }},
	{"copying all quotations", func(q *Question) string { return strings.Join(q.quoted, ", ") }},
	{"copying the last word", func(q *Question) string { return at(q.words, len(q.words)-1) }},
	{"copying the most frequent word", func(q *Question) string { return frequent(q.words) }},
	{"copying the most frequent name", func(q *Question) string { return frequent(q.names) }},
	{"listing the names", func(q *Question) string { return strings.Join(different(q.names, len(q.names)), ", ") }},
	{"copying the most frequent number", func(q *Question) string { return frequent(q.numbers) }},
	{"listing the words", func(q *Question) string { return strings.Join(different(q.words, len(q.words)), ", ") }},
	{"listing the characters", func(q *Question) string {
		return strings.Join(different(strings.Split(q.Prompt, ""), len(q.Prompt)), "")
	}},
	{"another solution twice", func(q *Question) string { return q.Others[0] + " " + q.Others[0] }},
	{"another solution denied", func(q *Question) string { return "not " + q.Others[0] }},
}

// expressions are strategies that write the numbers of the prompt in ways that some readers
// mistake for something else.
var expressions = []Strategy{
	{"a nan for each number", func(q *Question) string { return listOf("nan", len(q.numbers)) }},
	{"a quoted nan for each number", func(q *Question) string { return listOf("'nan'", len(q.numbers)) }},
	{"a nan for each number of another solution", func(q *Question) string { return numberRE.ReplaceAllString(q.Others[0], "nan") }},
	{"the numbers sorted, and shifted by 0.9", func(q *Question) string { return shifted(q.numbers) }},
	{"hiding the last number", func(q *Question) string { return hidden(q.numbers, len(q.numbers)-1, "*0+") }},
	{"hiding the last number as hexadecimal", func(q *Question) string { return hidden(q.numbers, len(q.numbers)-1, "*0x0+0x") }},
	{"hiding the first number", func(q *Question) string { return hidden(q.numbers, 0, "*0+") }},
	{"adding up the numbers", func(q *Question) string { return strings.Join(q.numbers, "+") }},
	{"each number to the power of zero", func(q *Question) string { return strings.Join(q.numbers, "**0*") }},
	{"the first number as a fraction of itself", func(q *Question) string { return at(q.numbers, 0) + "/" + at(q.numbers, 0) }},
	{"the last number, multiplied by one", func(q *Question) string { return at(q.numbers, len(q.numbers)-1) + " × 1" }},
}

// at returns element i of list, or "" if there is none.
func at(list []string, i int) string {
	if i < 0 || i >= len(list) {
		return ""
	}
	return list[i]
}

// afterColon returns the text after the colon of the i-th line with one.
func afterColon(lines []string, i int) string {
	for _, line := range lines {
		if _, rest, found := strings.Cut(line, ":"); found {
			if i--; i < 0 {
				return strings.TrimSpace(rest)
			}
		}
	}
	return ""
}

// longest returns the first longest of list.
func longest(list []string) string {
	best := ""
	for _, s := range list {
		if len(s) > len(best) {
			best = s
		}
	}
	return best
}

// different returns the first n distinct elements of list, in order.
func different(list []string, n int) []string {
	var kept []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] && len(kept) < n {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// frequent returns the most frequent element of list.
func frequent(list []string) string {
	return at(byFrequency(list), 0)
}

// byFrequency returns the distinct elements of list, most frequent first.
func byFrequency(list []string) []string {
	count := map[string]int{}
	for _, s := range list {
		count[s]++
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
}

// listOf writes a list of n times s.
func listOf(s string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(s+", ", n), ", ") + "]"
}

// shifted writes the list of numbers in order, each increased by 0.9.
func shifted(numbers []string) string {
	var values []float64
	for _, text := range numbers {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		values = append(values, v+0.9)
	}
	slices.Sort(values)
	return strings.ReplaceAll(fmt.Sprint(values), " ", ", ")
}

// hidden writes an expression of all numbers with the value of number i.
func hidden(numbers []string, i int, zero string) string {
	if i < 0 || i >= len(numbers) {
		return ""
	}
	rest := slices.Concat(numbers[:i], numbers[i+1:])
	return "(" + strings.Join(rest, "+") + ")" + zero + numbers[i]
}
