package reasoninggym

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/answer"
)

// contained is the rule of most families: a text that contains the right one earns its share.
func contained(of *item, got string) float64 { return share(got, of.oracle) }

// share returns 1 for want itself, and want's share of the length of a text with want in it.
func share(got, want string) float64 {
	switch {
	case got == "":
		return 0
	case got == want:
		return 1
	case strings.Contains(got, want):
		return answer.Share(want, got)
	}
	return 0
}

// exactText wants the stored text.
func exactText(of *item, got string) float64 { return oneIf(got == of.oracle, 0) }

// foldedText ignores case and the space around.
func foldedText(of *item, got string) float64 {
	return oneIf(pyLower(answer.Trim(got)) == pyLower(answer.Trim(of.oracle)), 0)
}

// foldedLines ignores case and line ends.
func foldedLines(of *item, got string) float64 {
	flat := func(text string) string { return strings.ReplaceAll(pyLower(text), "\n", "") }
	return oneIf(flat(got) == flat(of.oracle), 0)
}

// color is foldedText, and pays for any other text.
func color(of *item, got string) float64 { return max(foldedText(of, got), 0.01) }

// person ignores case and every space of the answer.
func person(of *item, got string) float64 {
	return oneIf(pyLower(answer.Trim(strings.ReplaceAll(got, " ", ""))) == pyLower(answer.Trim(of.oracle)), 0)
}

// spacedText ignores the kind and amount of space.
func spacedText(of *item, got string) float64 {
	words := answer.Fields(got)
	return oneIf(len(words) > 0 && slices.Equal(words, answer.Fields(of.oracle)), 0)
}

// paddedText pays the share of the length if there is space around.
func paddedText(of *item, got string) float64 {
	switch {
	case got == "":
		return 0
	case got == of.oracle:
		return 1
	case answer.Trim(got) == answer.Trim(of.oracle):
		return answer.Share(of.oracle, got)
	}
	return 0
}

// point is a place on a board, such as C4.
func point(of *item, got string) float64 {
	if got == "" {
		return 0
	}
	got, want := pyUpper(answer.Trim(got)), pyUpper(answer.Trim(of.oracle))
	switch {
	case got == want:
		return 1
	case want != "" && strings.Contains(got, want):
		return answer.Share(want, got)
	case pointForm().MatchString(got):
		return 0.05
	}
	return 0.01
}

// pointForm matches a place on a board.
var pointForm = compiled.Regexp(`^[A-Z]\p{Nd}+\n?$`)

// anyText pays for every text: reasoning-gym takes any text for True.
func anyText(_ *item, got string) float64 { return oneIf(got != "", 0) }

// jumbled pays for each word in its place, without regard to case.
func jumbled(of *item, got string) float64 {
	got, want := pyLower(answer.Trim(got)), pyLower(answer.Trim(of.oracle))
	if got == want {
		return 1
	}
	words, wanted := answer.Fields(got), answer.Fields(want)
	sum := 0.0
	for i := range min(len(words), len(wanted)) {
		if words[i] == wanted[i] {
			sum += 1 / float64(len(wanted))
		}
	}
	return min(sum, 1)
}

// reordered pays for each word in its place if there are as many as in the sentence, and a
// little for any other text.
func reordered(of *item, got string) float64 {
	if got == of.oracle {
		return 1
	}
	words, wanted := answer.Fields(got), answer.Fields(of.oracle)
	if len(words) != len(wanted) {
		return 0.05
	}
	if len(wanted) == 0 {
		return 0
	}
	same := 0
	for i := range wanted {
		if pyLower(words[i]) == pyLower(wanted[i]) {
			same++
		}
	}
	return float64(same) / float64(len(wanted))
}

// spelled pays for each letter in its place. A sum of exactly 1 has something behind it, and
// loses 0.2; most sums of shares are not exactly 1.
func spelled(of *item, got string) float64 {
	letters, wanted := []rune(pyLower(got)), []rune(pyLower(of.oracle))
	if slices.Equal(letters, wanted) {
		return 1
	}
	sum := 0.0
	for i := range min(len(letters), len(wanted)) {
		if letters[i] == wanted[i] {
			sum += 1 / float64(len(wanted))
		}
	}
	if sum == 1 {
		sum -= 0.2
	}
	return sum
}

// sorted pays for each word of a list in its place, and at least 0.2 for the same words.
func sorted(of *item, got string) float64 {
	var m struct {
		Words []string `json:"sorted_words"`
	}
	if got == "" || !of.read(&m) || len(m.Words) == 0 {
		return 0
	}
	words := strings.Split(afterComma().ReplaceAllString(got, ","), ",")
	same := 0
	for i := range words {
		words[i] = answer.Trim(words[i])
		if i < len(m.Words) && words[i] == m.Words[i] {
			same++
		}
	}
	if slices.Equal(words, m.Words) {
		return 1
	}
	score := float64(same) / float64(len(m.Words))
	if slices.Equal(slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(m.Words))) {
		score = max(score, 0.2)
	}
	return score
}

// afterComma matches a comma with the space after it.
var afterComma = compiled.Regexp(`,\s*`)

// hidden pays for each character in its place if there are as many as in the sentence.
func hidden(of *item, got string) float64 {
	letters, wanted := []rune(got), []rune(of.oracle)
	switch {
	case got == of.oracle:
		return 1
	case len(letters) != len(wanted):
		return 0.01
	}
	same := 0
	for i := range wanted {
		if letters[i] == wanted[i] {
			same++
		}
	}
	return float64(same) / float64(len(wanted))
}

// drawn pays 0.1 for each letter in its place.
func drawn(of *item, got string) float64 {
	plain := func(text string) []rune { return []rune(pyLower(answer.Trim(strings.ReplaceAll(text, " ", "")))) }
	letters, wanted := plain(got), plain(of.oracle)
	if slices.Equal(letters, wanted) {
		return 1
	}
	sum := 0.0
	for i := range min(len(letters), len(wanted)) {
		if letters[i] == wanted[i] {
			sum += 0.1
		}
	}
	return min(sum, 1)
}

// palindrome pays a little for a text that is no palindrome, or has other letters.
func palindrome(of *item, got string) float64 {
	var m struct {
		Letters []string `json:"letters"`
	}
	if got == "" || !of.read(&m) {
		return 0
	}
	letters := []rune(pyLower(answer.Trim(got)))
	for i, r := range letters {
		if letters[len(letters)-1-i] != r {
			return 0.02
		}
	}
	wanted := []rune(strings.Join(m.Letters, ""))
	slices.Sort(letters)
	slices.Sort(wanted)
	return oneIf(slices.Equal(letters, wanted), 0.05)
}

// runes counts the code points of a text.
func runes(text string) float64 { return float64(utf8.RuneCountInString(text)) }
