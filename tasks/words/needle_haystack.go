package words

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// needleHaystack asks for the only person with a certain statement.
var needleHaystack = task.Spec[needleHaystackParams, needleHaystackItem]{
	Name:     "needle_haystack",
	Category: "cognition",
	Doc: "Among many short statements about people, find the only person to whom one applies. Others feel differently about the same thing, or the same about " +
		"something else.",
	Source:  "The names, verbs and things were collected for this project; the settings are those of reasoning-gym.",
	Version: 2,
	Default: needleHaystackParams{MinNumStatements: 10, MaxNumStatements: 100},
	Levels: []needleHaystackParams{
		{MinNumStatements: 8, MaxNumStatements: 12},
		{MinNumStatements: 25, MaxNumStatements: 50},
		{MinNumStatements: 80, MaxNumStatements: 150},
		{MinNumStatements: 250, MaxNumStatements: 400},
		{MinNumStatements: 600, MaxNumStatements: 900},
		{MinNumStatements: 1500, MaxNumStatements: 2000},
	},
	Make: makeNeedleHaystack,
}

// needleHaystackParams are the settings of one difficulty.
type needleHaystackParams struct {
	MinNumStatements int `json:"min_num_statements" want:"1 to 20000"`
	MaxNumStatements int `json:"max_num_statements" want:"min_num_statements to 20000"`
}

// needleHaystackItem is one heap of statements. Entries of reasoning-gym have them only in
// the question.
type needleHaystackItem struct {
	Question      string   `json:"question"` // "Who …?"; longer in reasoning-gym
	NumStatements int      `json:"num_statements"`
	Statements    []string `json:"statements,omitempty"` // "Name …."
	Phrasing      int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeNeedleHaystack draws statements. All people have equally many, give or take one. One
// statement in ten, and more by chance, is about the same thing as the one in question,
// which no other repeats.
func makeNeedleHaystack(p needleHaystackParams, r *rng.Rand) (needleHaystackItem, error) {
	n := r.Between(p.MinNumStatements, p.MaxNumStatements)
	var order [len(givenNames)]uint16
	for i := range order {
		order[i] = uint16(i)
	}
	people := order[:min(len(order), n)]
	rng.ToFront(r, order[:], len(people))
	verb, thing := rng.Pick(r, feelings), rng.Pick(r, things)
	var all strings.Builder // one buffer for all statements
	all.Grow(36 * n)
	line := make([]byte, 0, 128)
	parts := make([][2]uint32, n) // begin and end of each statement in all
	at := r.Between(0, n-1)
	for i := range parts {
		feels, about := verb, thing
		for i != at && feels == verb && about == thing {
			feels = rng.Pick(r, feelings)
			if i%10 != (at+1)%10 {
				about = rng.Pick(r, things)
			}
		}
		line = append(append(line[:0], givenNames[people[i%len(people)]]...), ' ')
		line = append(append(line, feels...), ' ')
		line = append(append(line, about...), '.')
		parts[i][0] = uint32(all.Len())
		all.Write(line)
		parts[i][1] = uint32(all.Len())
	}
	rng.Shuffle(r, parts)
	statements := make([]string, n)
	for i, part := range parts {
		statements[i] = all.String()[part[0]:part[1]]
	}
	return needleHaystackItem{
		Question: "Who " + verb + " " + thing + "?", NumStatements: n, Statements: statements,
		Phrasing: r.Between(0, len(needleHaystackPhrasings)-1),
	}, nil
}

// needleHaystackPhrasings are the wordings of the question. %S are the statements in one
// paragraph, %L the statements one per line, and %Q is the question.
var needleHaystackPhrasings = []string{
	"%S\n\n%Q Answer with the name alone.",
	"Read the statements below and answer the question after them with one name.\n\n%S\n\n%Q",
	"%Q The answer is in this list. Give the name and nothing else.\n\n%L",
	"What follows are notes from a survey, one a line.\n\n%L\n\nOne of them tells you this: %Q Answer with a name.",
	"Question: %Q\n\nText: %S\n\nYour answer is the name of the person of whom the text says so, as it is written there.",
	"Somebody has asked around what people think of all kinds of things:\n\n%S\n\nOnly one name is a right answer to the question: %Q Which is it?",
}

func (n needleHaystackItem) Prompt() string {
	words, separator := needleHaystackPhrasings[n.Phrasing], byte(' ')
	before, after, together := strings.Cut(words, "%S")
	if !together {
		before, after, _ = strings.Cut(words, "%L")
		separator = '\n'
	}
	question := func(byte) string { return n.Question }
	size := len(words) + len(n.Question)
	for _, s := range n.Statements {
		size += len(s) + 1
	}
	var b strings.Builder
	b.Grow(size)
	b.Write(task.AppendFilled(make([]byte, 0, task.PromptRoom), before, question))
	for i, s := range n.Statements {
		if i > 0 {
			b.WriteByte(separator)
		}
		b.WriteString(s)
	}
	b.Write(task.AppendFilled(make([]byte, 0, task.PromptRoom), after, question))
	return b.String()
}

// Canonical implements [task.Canonicalizer]. The names do not matter, nor does the order of the
// statements: it says what is said of each person, as a sum of hashes. What is said stays as it
// is, since the question is to find the same words again.
func (n needleHaystackItem) Canonical() string {
	said := make(map[string]uint64, len(givenNames))
	for _, s := range n.Statements {
		name, about, _ := strings.Cut(s, " ")
		said[name] += hashOf(about)
	}
	people := make([]uint64, 0, len(said))
	for _, sum := range said {
		people = append(people, sum)
	}
	slices.Sort(people)
	b := make([]byte, 0, 64+8*len(people))
	b = append(append(b, n.asked()...), '\n')
	for _, sum := range people {
		b = binary.BigEndian.AppendUint64(b, sum)
	}
	return string(b)
}

// hashOf returns the hash FNV-1a of a text.
func hashOf(text string) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * 1099511628211
	}
	return sum
}

// Complete implements [task.Completer]: in reasoning-gym the statements are the first line.
func (n *needleHaystackItem) Complete(question string) {
	if n.Statements != nil {
		return
	}
	first, _, _ := strings.Cut(question, "\n")
	for _, s := range strings.SplitAfter(first, ". ") {
		n.Statements = append(n.Statements, strings.TrimSpace(s))
	}
}

// Choices implements [task.Chooser]: one of the people is the answer.
func (n needleHaystackItem) Choices() int { return min(len(n.Statements), len(givenNames)) }

// asked returns the statement in question without the person.
func (n needleHaystackItem) asked() string {
	question, _, _ := strings.Cut(strings.TrimPrefix(n.Question, "Who "), "?")
	return question
}

// Check refuses a record unless exactly one statement answers the question.
func (n needleHaystackItem) Check() error {
	found, said := 0, " "+n.asked()+"."
	for _, s := range n.Statements {
		if name, _ := strings.CutSuffix(s, said); name != s && name != "" {
			found++
		}
	}
	switch {
	case n.asked() == "":
		return errors.New("question is empty")
	case found != 1:
		return fmt.Errorf("statements: %d of them answer the question, want one", found)
	}
	return nil
}

func (n needleHaystackItem) Solve() string {
	said := " " + n.asked() + "."
	for _, s := range n.Statements {
		if name, found := strings.CutSuffix(s, said); found {
			return name
		}
	}
	panic("words: a question without an answer") // Check has already found it
}

// Score implements [task.Scorer]. It ignores case, space and a full stop at the end.
func (n needleHaystackItem) Score(text string) quintain.Verdict {
	want := n.Solve()
	switch got := strings.TrimSuffix(answer.Solid(text), "."); {
	case got == "":
		return quintain.Malformed("the answer is empty")
	case strings.EqualFold(got, answer.Solid(want)):
		return quintain.Right()
	}
	return quintain.Wrong("want " + want)
}
