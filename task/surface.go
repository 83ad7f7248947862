package task

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// A Surface is the score that guesses earn at one level if they are learned from the looks
// of other prompts, without solving any.
type Surface struct {
	Rate    float64 // mean score of the best guesser
	Guesser string  // name of that guesser
}

// SurfaceRate measures what learned guessers earn at a level of t. They are: the answer right
// most often; the most frequent answer to prompts that share one trait (such as the length
// or a number); the answer to the prompt with the most sequences of three characters in
// common, the nearest words, by tf-idf and by plain counts, or the nearest counts of characters; the most
// frequent character or word at each place; a small decision tree, and one that grows down to one example
// a leaf; and a linear function of the numbers. The argument problems is the number of solutions that each
// learns from; half as many other problems test it. So they test the programs of [ProgramRate].
func SurfaceRate(t quintain.Task, level, problems int) (best Surface, err error) {
	learned, err := draw(t, quintain.Draw{Seed: blindSeed, Level: level}, problems)
	if err != nil {
		return best, err
	}
	asked, err := draw(t, quintain.Draw{Seed: askedSeed, Level: level}, (problems+1)/2)
	if err != nil {
		return best, err
	}
	guessers, err := lessonsOf(t, learned).guessers()
	if err != nil {
		return best, err
	}
	return bestOf(newMarks(t, asked.problems), looksAt(asked.problems), append(guessers, programs()...))
}

// looksAt returns a guesser's views of problems.
func looksAt(problems []quintain.Problem) []look {
	looks := make([]look, len(problems))
	for i, p := range problems {
		looks[i] = lookAt(p.Prompt)
	}
	return looks
}

// bestOf returns the mean score of the guesser that earns most, the first of several.
func bestOf(marks *marks, looks []look, guessers []guesser) (best Surface, err error) {
	for _, g := range guessers {
		mean, err := marks.mean(func(i int) string { return g.guess(looks[i]) })
		if err != nil {
			return best, err
		}
		if mean > best.Rate {
			best = Surface{mean, g.name}
		}
	}
	return best, nil
}

// marks are the scores of answers to problems. Many guessers give the same answer, so each
// is graded once.
type marks struct {
	t        quintain.Task
	problems []quintain.Problem
	scores   []map[string]float64 // for each problem, by answer
}

func newMarks(t quintain.Task, problems []quintain.Problem) *marks {
	m := &marks{t, problems, make([]map[string]float64, len(problems))}
	for i := range m.scores {
		m.scores[i] = map[string]float64{}
	}
	return m
}

// mean returns the mean score of answer.
func (m *marks) mean(answer func(i int) string) (float64, error) {
	sum := 0.
	for i, p := range m.problems {
		text := answer(i)
		score, known := m.scores[i][text]
		if !known {
			v, err := m.t.Grade(p, text)
			if err != nil {
				return 0, err
			}
			score = v.Score
			m.scores[i][text] = score
		}
		sum += score
	}
	return sum / float64(len(m.problems)), nil
}

// A look is a guesser's view of a prompt.
type look struct {
	prompt  string
	numbers []string
	words   []string // separated by white space
}

var numeralRE = regexp.MustCompile(`\d+(?:\.\d+)?`)

func lookAt(prompt string) look {
	return look{prompt, numeralRE.FindAllString(prompt, -1), strings.Fields(prompt)}
}

// number returns number i of the prompt, counted from the end if i is negative. It is empty
// if there is none.
func (l look) number(i int) string {
	if i < 0 {
		i += len(l.numbers)
	}
	if i < 0 || i >= len(l.numbers) {
		return ""
	}
	return l.numbers[i]
}

// A guesser answers from its lessons.
type guesser struct {
	name  string
	guess func(look) string
}

// lessons are the prompts and answers that guessers learn from.
type lessons struct {
	t       quintain.Task
	sample  sample
	looks   []look
	answers []string
}

// lessonsOf returns the lessons of a sample.
func lessonsOf(t quintain.Task, s sample) *lessons {
	return &lessons{t, s, looksAt(s.problems), s.solutions}
}

// guessers returns all guessers, trained.
func (l *lessons) guessers() ([]guesser, error) {
	fixed, err := l.fixed()
	if err != nil {
		return nil, err
	}
	list := append(l.neighbors(), []guesser{
		{"one answer to all", func(look) string { return fixed }},
		{"the most frequent character of each place", l.placed(splitRunes, "")},
		{"the most frequent word of each place", l.placed(strings.Fields, " ")},
		{"a decision tree", l.tree(deepestTree, leastLeaf)},
		{"a linear function of the numbers", l.line()},
	}...)
	for _, key := range likenesses() {
		list = append(list, guesser{"prompts with the same " + key.name, l.alike(key.of)})
	}
	return append(list, guesser{"a decision tree down to one example a leaf", l.tree(len(l.looks), 1)}), nil
}

// fixed returns the constant answer that earns most, out of the most frequent and some
// others.
func (l *lessons) fixed() (best string, err error) {
	candidates := mostFrequent(l.answers, 8)
	if l.t.Info().Many {
		candidates = append(candidates, l.answers[:min(64, len(l.answers))]...)
	}
	marks := newMarks(l.t, l.sample.problems[:min(200, len(l.sample.problems))])
	most := -1.
	for _, candidate := range candidates {
		mean, err := marks.mean(func(int) string { return candidate })
		if err != nil {
			return "", err
		}
		if mean > most {
			best, most = candidate, mean
		}
	}
	return best, nil
}

// A likeness is a trait that prompts may share.
type likeness struct {
	name string
	of   func(look) string
}

func likenesses() []likeness {
	list := []likeness{
		{"length", func(l look) string { return fmt.Sprint(len(l.prompt)) }},
		{"number of words", func(l look) string { return fmt.Sprint(len(l.words)) }},
		{"number of numbers", func(l look) string { return fmt.Sprint(len(l.numbers)) }},
		{"longest word", func(l look) string { return longestWord(l.words) }},
		{"length of the longest word", func(l look) string { return fmt.Sprint(len(longestWord(l.words))) }},
		{"text around the numbers", func(l look) string { return l.form() }},
		{"text around the numbers and last number modulo 4", func(l look) string { return l.form() + modulo(l.number(-1), 4) }},
		{"number of doubled characters", func(l look) string { return doubled(l.prompt) }},
	}
	const most = 4
	for i := range most {
		for _, at := range []int{i, -1 - i} {
			list = append(list,
				likeness{fmt.Sprintf("number %d", at), func(l look) string { return l.number(at) }},
				likeness{fmt.Sprintf("numbers %d and %d", at, at+1), func(l look) string { return l.number(at) + " " + l.number(at+1) }},
				likeness{fmt.Sprintf("number %d and as many numbers", at), func(l look) string { return fmt.Sprint(l.number(at), " ", len(l.numbers)) }},
			)
		}
	}
	return list
}

// form returns the prompt without its numbers.
func (l look) form() string { return numeralRE.ReplaceAllString(l.prompt, "#") }

// modulo returns the remainder of a whole number, or "" of any other text.
func modulo(number string, by int) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		return ""
	}
	return strconv.Itoa(n % by)
}

// doubled counts the characters in the longest word that equal the one before.
func doubled(prompt string) string {
	word, n := longestWord(strings.Fields(prompt)), 0
	for i := 1; i < len(word); i++ {
		if word[i] == word[i-1] {
			n++
		}
	}
	return fmt.Sprint(len(word), " ", n)
}

// longestWord returns the first longest of words.
func longestWord(words []string) string {
	best := ""
	for _, word := range words {
		if len(word) > len(best) {
			best = word
		}
	}
	return best
}

// alike answers with the most frequent answer to the prompts with the same key, or to all
// if there are none.
func (l *lessons) alike(key func(look) string) func(look) string {
	byKey := map[string][]string{}
	for i, seen := range l.looks {
		k := key(seen)
		byKey[k] = append(byKey[k], l.answers[i])
	}
	best := map[string]string{}
	for k, answers := range byKey {
		best[k] = mostFrequent(answers, 1)[0]
	}
	otherwise := mostFrequent(l.answers, 1)[0]
	return func(seen look) string {
		if answer, known := best[key(seen)]; known {
			return answer
		}
		return otherwise
	}
}

// splitRunes splits text into its characters.
func splitRunes(text string) []string { return strings.Split(text, "") }

// placed answers with the most frequent part at each place, among the answers with the most
// frequent number of parts.
func (l *lessons) placed(split func(string) []string, by string) func(look) string {
	byCount := map[int][][]string{}
	usual := 0
	for _, answer := range l.answers {
		parts := split(answer)
		n := len(parts)
		byCount[n] = append(byCount[n], parts)
		if have, most := len(byCount[n]), len(byCount[usual]); have > most || have == most && n < usual {
			usual = n
		}
	}
	parts := make([]string, usual)
	for place := range parts {
		var there []string
		for _, answer := range byCount[usual] {
			there = append(there, answer[place])
		}
		parts[place] = mostFrequent(there, 1)[0]
	}
	answer := strings.Join(parts, by)
	return func(look) string { return answer }
}

// nearest copies the answer to the most similar prompt. The rarer a sequence of three
// characters, the more it counts.
func (l *lessons) nearest() func(look) string {
	having := map[[gramLength]byte][]int32{} // prompts with the sequence, in order
	for i, seen := range l.looks {
		for gram := range gramsOf(seen.prompt) {
			having[gram] = append(having[gram], int32(i))
		}
	}
	size := make([]float64, len(l.looks)) // total weight of each prompt
	for _, prompts := range having {
		for _, i := range prompts {
			size[i] += 1 / float64(len(prompts))
		}
	}
	frequent := len(l.looks)/4 + 1
	return func(seen look) string {
		common := make([]float64, len(l.looks))
		for gram := range gramsOf(seen.prompt) {
			prompts := having[gram]
			if len(prompts) > frequent {
				continue // too common to tell prompts apart
			}
			for _, i := range prompts {
				common[i] += 1 / float64(len(prompts))
			}
		}
		best := 0
		for i := range common {
			if common[i]*(1+size[best]) > common[best]*(1+size[i]) {
				best = i
			}
		}
		return l.answers[best]
	}
}

const gramLength = 3

// gramsOf returns the sequences of three bytes at the beginning of a text, up to a bounded
// length.
func gramsOf(text string) map[[gramLength]byte]bool {
	const longest = 4000
	grams := map[[gramLength]byte]bool{}
	for i := 0; i+gramLength <= min(len(text), longest); i++ {
		grams[[gramLength]byte([]byte(text[i:i+gramLength]))] = true
	}
	return grams
}
