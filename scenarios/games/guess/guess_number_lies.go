package guess

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// lyingRules are the rules with lies.
func (n number) lyingRules(wording int) string {
	times := []string{"", "one", "two"}[n.Lies]
	return fmt.Sprintf([]string{
		"Find a hidden whole number from 1 to %[1]d. You may ask whether it is one of certain numbers: a move such as \"ask 2, 5-9\" asks whether it is 2 or one of 5 to 9. " +
			"The answer is yes or no, but it may be a lie: at most %[2]s of all the answers %[3]s. When you know the number, give it with a move such as \"answer 7\", which ends " +
			"the game. An answer that is wrong, or that does not yet follow from what you were told, earns nothing. Questions are measured by how many " +
			"you may need in the worst case.",
		"I have a whole number between 1 and %[1]d in mind. With \"ask 2, 5-9\" you ask me whether it is among 2, 5, 6, 7, 8 and 9, and likewise for any other numbers and ranges. I say yes or no; " +
			"%[2]s of my replies at most %[3]s. With \"answer 7\" you state that the number is 7, and the game is over. That earns something only if the number is right and my " +
			"replies leave no other. What counts is the number of questions in the worst case.",
		"A number from 1 to %[1]d is hidden. Moves are questions and, at the end, the answer. A question names numbers and ranges, as in \"ask 2, 5-9\", and is answered by yes if the " +
			"number is among them and by no otherwise, except that at most %[2]s of the answers in the game %[3]s. The answer, as in \"answer 7\", must be the number, and must be the only " +
			"one that fits, or it earns nothing. A question is as good as its worst answer.",
	}[wording], n.Numbers, times, n.lie(wording))
}

// lie tells what may be untrue, after a number and a plural.
func (n number) lie(wording int) string {
	if n.Lies == 1 {
		return []string{"is a lie", "is untrue", "is false"}[wording]
	}
	return []string{"are lies", "are untrue", "are false"}[wording]
}

// A lying is an episode with lies.
type lying struct {
	number
	questioning func() *questioning
	luck        games.Luck
	untrue      []int  // numbers of the questions, from 0, that are answered by a lie
	against     []int8 // for each number, from 1, the answers that speak against it
	past        []string
	wasted      int // questions
	done, right bool
}

func newLying(n number, luck games.Luck, tables *games.Tables) *lying {
	m := &lying{number: n, luck: luck, against: make([]int8, n.Numbers+1)}
	m.questioning = func() *questioning {
		return games.Table(tables, n.Lies, func() *questioning { return newQuestioning(n.Lies) })
	}
	r := luck.At("lies", 0)
	for _, at := range rng.Different(r, r.Between(0, n.Lies), 0, int64(n.Replies/2)) {
		m.untrue = append(m.untrue, int(at))
	}
	return m
}

// doubts counts the numbers that are possible.
func (m *lying) doubts() (d doubts) { return m.among(func(int) bool { return true }) }

// among counts those of them that are in a set.
func (m *lying) among(in func(int) bool) (d doubts) {
	for n := 1; n <= m.Numbers; n++ {
		if int(m.against[n]) <= m.Lies && in(n) {
			d[m.against[n]]++
		}
	}
	return d
}

// Show implements [games.Match].
func (m *lying) Show() string {
	const shown = 10
	if len(m.past) == 0 {
		return fmt.Sprintf("The number is one of 1 to %d. There are no questions yet.", m.Numbers)
	}
	first := max(0, len(m.past)-shown)
	title := "Questions and answers"
	if first > 0 {
		title = fmt.Sprintf("The last %d questions and answers", shown)
	}
	return title + ":\n" + strings.Join(m.past[first:], "\n")
}

// Move implements [games.Match].
func (m *lying) Move(text string) (told, why string) {
	verb, rest, _ := strings.Cut(strings.ToLower(text), " ")
	switch verb {
	case "ask":
		set, why := readSet(rest, m.Numbers)
		if why != "" {
			return "", why
		}
		return m.ask(set), ""
	case "answer":
		n, ok := readNumber(strings.TrimSpace(rest), m.Numbers)
		if !ok {
			return "", fmt.Sprintf("an answer is one whole number from 1 to %d", m.Numbers)
		}
		return m.answer(n), ""
	}
	return "", "a move begins with ask or answer"
}

// readSet reads numbers and ranges up to most, as in "2, 5-9". The set holds whether a number is in
// it, by number.
func readSet(text string, most int) (set []bool, why string) {
	set = make([]bool, most+1)
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, okLow := readNumber(strings.TrimSpace(first), most)
		high, okHigh := readNumber(strings.TrimSpace(last), most)
		switch {
		case !okLow || !okHigh:
			return nil, fmt.Sprintf("%.20q is neither a whole number from 1 to %d nor a range of them", strings.TrimSpace(part), most)
		case low > high:
			return nil, fmt.Sprintf("the range %d-%d is empty", low, high)
		}
		for n := low; n <= high; n++ {
			set[n] = true
		}
	}
	return set, ""
}

// spellSet writes a set with ranges where it has any.
func spellSet(set []bool) string {
	var text []byte
	for low := 1; low < len(set); low++ {
		if !set[low] {
			continue
		}
		high := low
		for high+1 < len(set) && set[high+1] {
			high++
		}
		text = strconv.AppendInt(append(text, ','), int64(low), 10)
		if high > low {
			text = strconv.AppendInt(append(text, '-'), int64(high), 10)
		}
		low = high
	}
	return strings.TrimPrefix(string(text), ",")
}

// wastes returns the questions that a question gives away in the worst case.
func (m *lying) wastes(set []bool) int {
	q, d := m.questioning(), m.doubts()
	yes, no := d.answered(m.Lies, m.among(func(n int) bool { return set[n] }))
	return 1 + max(q.need(yes), q.need(no)) - q.need(d)
}

// ask answers a question.
func (m *lying) ask(set []bool) (told string) {
	m.wasted += m.wastes(set)
	yes := set[m.Hidden] != slices.Contains(m.untrue, len(m.past))
	for n := range m.against {
		if set[n] != yes {
			m.against[n]++
		}
	}
	answer := "no"
	if yes {
		answer = "yes"
	}
	m.past = append(m.past, fmt.Sprintf("%d. ask %s: %s", len(m.past)+1, spellSet(set), answer))
	return fmt.Sprintf("You ask whether the number is one of %s. The answer is %s.", spellSet(set), answer)
}

// answer ends the game.
func (m *lying) answer(n int) (told string) {
	certain := m.doubts().sum() == 1
	m.done, m.right = true, n == m.Hidden && certain
	switch {
	case m.right:
		return fmt.Sprintf("You answer %d. That is the number.", n)
	case n == m.Hidden:
		return fmt.Sprintf("You answer %d. That is the number, but you could not know it.", n)
	}
	return fmt.Sprintf("You answer %d. The number is %d.", n, m.Hidden)
}

// Over implements [games.Match].
func (m *lying) Over() (worth float64, over bool) {
	if !m.right {
		return 0, m.done
	}
	return 1 - float64(len(m.past))/float64(m.Replies), true
}

// Value implements [games.Match]: each question that is given away costs its share of those that
// are enough in the worst case.
func (m *lying) Value() float64 {
	if m.done && !m.right {
		return 0
	}
	if m.wasted == 0 {
		return 1
	}
	return max(0, 1-float64(m.wasted)/float64(m.questioning().need(doubts{uint8(m.Numbers)})))
}

// Best implements [games.Match]: one question of the best play, and those of the allowed ones that
// are as good.
func (m *lying) Best() (moves []string) {
	d := m.doubts()
	if d.sum() == 1 {
		n := slices.IndexFunc(m.against[1:], func(lies int8) bool { return int(lies) <= m.Lies }) + 1
		return []string{fmt.Sprint("answer ", n)}
	}
	in := m.questioning().ask(d)
	set := make([]bool, m.Numbers+1)
	for n := 1; n <= m.Numbers; n++ {
		if kind := int(m.against[n]); kind <= m.Lies && in[kind] > 0 {
			set[n] = true
			in[kind]--
		}
	}
	moves = []string{"ask " + spellSet(set)}
	for _, set := range m.questions() {
		if m.wastes(set) == 0 {
			moves = append(moves, "ask "+spellSet(set))
		}
	}
	return moves
}

// Allowed implements [games.Match]: all answers, and as many questions by chance.
func (m *lying) Allowed() (moves []string) {
	for n := range m.Numbers {
		moves = append(moves, fmt.Sprint("answer ", n+1))
	}
	for _, set := range m.questions() {
		moves = append(moves, "ask "+spellSet(set))
	}
	return moves
}

// questions draws as many questions as there are numbers.
func (m *lying) questions() (sets [][]bool) {
	r := m.luck.At("questions", len(m.past))
	for len(sets) < m.Numbers {
		set := make([]bool, m.Numbers+1)
		for n := 1; n <= m.Numbers; n++ {
			set[n] = r.Chance(0.5)
		}
		if slices.Contains(set, true) {
			sets = append(sets, set)
		}
	}
	return sets
}
