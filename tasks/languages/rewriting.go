package languages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// rewriting are rules that replace parts of a word. In each step the first rule that fits is used, on
// its first or last occurrence.
type rewriting struct {
	Rules [][2]string `json:"rules" want:"1 to 8" chars:"a-z"`
	Last  bool        `json:"last"` // the last occurrence is replaced
	Start string      `json:"start" want:"1 to 40" chars:"a-z"`
	Steps int         `json:"steps" want:"1 to 40"`
}

const (
	longestWord = 40
	longestSide = 3
	smallRules  = "abcdefghijklmnopqrstuvwxyz"
)

// drawRewriting draws rules and a word until every step changes it, by two rules or more if there
// are so many.
func drawRewriting(p newRulesParams, r *rng.Rand) (*rewriting, error) {
	const mostTries = 2000
	letters, count := rng.Sample(r, []byte(smallRules), min(3+p.Rules/4, 4)), min(p.Rules+1, mostRules-1)
	word := func(least, most int) string {
		text := make([]byte, r.Between(least, most))
		for i := range text {
			text[i] = rng.Pick(r, letters)
		}
		return string(text)
	}
	for range mostTries {
		w := &rewriting{Last: r.Chance(0.3), Start: word(4, 5+p.Length/3), Steps: p.Length}
		for tries := 0; len(w.Rules) < count && tries < 5*count; tries++ {
			rule := [2]string{word(1+task.Bit(r.Chance(0.8)), 2), word(1, longestSide)}
			if rule[0] != rule[1] && !w.shadowed(rule[0]) {
				w.Rules = append(w.Rules, rule)
			}
		}
		if len(w.Rules) < count {
			continue
		}
		used, words := map[int]bool{}, map[string]bool{w.Start: true}
		end := w.run(func(rule int, word string) bool {
			used[rule] = true
			words[word] = true
			return len(word) <= longestWord
		})
		if len(end) <= longestWord && len(words) > p.Length && len(used) > min(p.Rules, 3)-1 && len(used) > 1 {
			return w, nil
		}
	}
	return nil, errors.New("found no rules that go on so long")
}

// shadowed reports whether a rule for left could never be used: a rule before it fits whenever it
// does.
func (w *rewriting) shadowed(left string) bool {
	return slices.ContainsFunc(w.Rules, func(rule [2]string) bool { return strings.Contains(left, rule[0]) })
}

// run rewrites the word, step by step, as long as a rule fits and seen, which gets the rule and the
// new word, says true.
func (w *rewriting) run(seen func(rule int, word string) bool) string {
	word := w.Start
	for range w.Steps {
		at, rule := -1, 0
		for i := 0; i < len(w.Rules) && at < 0; i++ {
			rule = i
			if at = strings.Index(word, w.Rules[i][0]); w.Last {
				at = strings.LastIndex(word, w.Rules[i][0])
			}
		}
		if at < 0 {
			break
		}
		word = word[:at] + w.Rules[rule][1] + word[at+len(w.Rules[rule][0]):]
		if !seen(rule, word) {
			break
		}
	}
	return word
}

// rewritingPhrasings are the wordings of the question: before the rules, and before the word.
var rewritingPhrasings = [wordings][2]string{
	{"A word is changed step by step by the following rules.", "Which word is there after %n steps, if the word at the beginning is"},
	{"A machine holds a word, and knows these replacements:", "It makes %n steps. What is its word afterwards, if it began with"},
	{"Here is a small rewriting system.", "What do %n steps make of"},
	{"Some strange cells are written as letters, and grow by these rules.", "How is the row of cells written after %n steps, if it is now"},
	{"In a game for one player, a row of letters is rewritten like this:", "What does the player have after %n moves (a move is a step), beginning with"},
	{"These rules tell how a string of letters turns into another.", "Which string do you reach after %n steps from"},
}

func (w *rewriting) appendPrompt(b []byte, phrasing int) []byte {
	words := rewritingPhrasings[phrasing]
	b = append(b, words[0]...)
	for i, rule := range w.Rules {
		b = append(strconv.AppendInt(append(b, '\n'), int64(i+1), 10), ". "...)
		b = append(append(append(b, rule[0]...), " becomes "...), rule[1]...)
	}
	which := "first (leftmost)"
	if w.Last {
		which = "last (rightmost)"
	}
	b = append(append(b, "\nIn each step only the first rule of the list that fits anywhere is used, and only on the "...), which...)
	b = append(b, " place where it fits. If no rule fits any more, the word stays as it is.\n"...)
	b = task.AppendFilled(b, words[1], func(byte) string { return strconv.Itoa(w.Steps) })
	return append(append(append(b, ' '), w.Start...), "?\nAnswer with the letters alone."...)
}

func (w *rewriting) result() string { return w.run(func(int, string) bool { return true }) }

func (w *rewriting) score(answer string) quintain.Verdict { return task.MatchWords(answer, w.result()) }

// canonical names the letters by their first occurrence. The mirror image asks the same.
func (w *rewriting) canonical() string {
	mirrored := &rewriting{Last: !w.Last, Start: backward(w.Start), Steps: w.Steps}
	for _, rule := range w.Rules {
		mirrored.Rules = append(mirrored.Rules, [2]string{backward(rule[0]), backward(rule[1])})
	}
	return min(w.renamed(), mirrored.renamed())
}

// renamed writes the rules with letters named by their first occurrence.
func (w *rewriting) renamed() string {
	out := []byte(w.Start)
	for _, rule := range w.Rules {
		out = append(append(append(append(out, ' '), rule[0]...), '-'), rule[1]...)
	}
	var names [1 << 8]byte
	next := byte('a')
	for i, c := range out {
		if c < 'a' {
			continue
		}
		if names[c] == 0 {
			names[c] = next
			next++
		}
		out[i] = names[c]
	}
	return fmt.Sprint(string(out), w.Last, w.Steps)
}

func backward(text string) string {
	letters := []byte(text)
	slices.Reverse(letters)
	return string(letters)
}

func (w *rewriting) check() error {
	for i, rule := range w.Rules {
		if min(len(rule[0]), len(rule[1])) < 1 || max(len(rule[0]), len(rule[1])) > longestSide {
			return fmt.Errorf("rewriting: rule %d is %.60q, want 1 to %d letters on either side", i+1, rule, longestSide)
		}
	}
	return nil
}
