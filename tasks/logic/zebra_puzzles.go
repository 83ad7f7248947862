package logic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// zebraPuzzles asks which of several neighbors has something, to be found from clues.
var zebraPuzzles = task.Spec[zebraParams, zebraItem]{
	Name:     "zebra_puzzles",
	Category: "logic",
	Doc: "Find out from clues which of several neighbors has something, or lives in a certain house. " +
		"Exactly one arrangement fits.",
	Source:  "The zebra puzzle, Life International (1962); the clues are our own, the settings are those of reasoning-gym.",
	Version: 2,
	Default: zebraParams{People: 4, Characteristics: 4},
	Levels: []zebraParams{
		{People: 3, Characteristics: 2},
		{People: 4, Characteristics: 3},
		{People: 6, Characteristics: 3},
		{People: 6, Characteristics: 5},
		{People: 7, Characteristics: 6},
		{People: 7, Characteristics: 7},
	},
	Make:  makeZebra,
	Match: task.MatchWords,
}

// zebraParams are the settings of one difficulty.
type zebraParams struct {
	People          int `json:"num_people" want:"2 to 7"`
	Characteristics int `json:"num_characteristics" want:"2 to 7"` // of each person, including the name
}

// zebraItem is one puzzle. Entries of reasoning-gym have only the answer.
type zebraItem struct {
	Traits   []zebraTrait `json:"traits,omitempty"`
	Houses   zebraPlan    `json:"houses,omitempty"` // the arrangement
	Clues    []zebraClue  `json:"clues,omitempty"`
	Asked    zebraThing   `json:"asked"` // the value to find the owner of, or, for characteristic 0, the house
	Answer   string       `json:"answer" want:"1 or more"`
	Phrasing int          `json:"phrasing,omitempty" want:"0 to 5"`
}

// A zebraTrait is a characteristic and its values.
type zebraTrait struct {
	Kind   string   `json:"kind"`
	Values []string `json:"values"`
}

// A zebraTopic has the texts about a characteristic; %s stands for the value.
type zebraTopic struct {
	kind, plural   string
	who, is, isNot string
	values         []string
}

// zebraTopics are the characteristics, names first. Puzzles draw from the rest.
var zebraTopics = []zebraTopic{
	{"name", "names", "%s", "is %s", "is not %s", []string{"Amara", "Boris", "Chloe", "David", "Elena", "Farid", "Grace", "Henry", "Irina", "Jonas", "Keiko", "Louis", "Maria", "Nadia", "Oscar", "Priya"}},
	{"drink", "drinks", "the person who drinks %s", "drinks %s", "does not drink %s", []string{"cocoa", "coffee", "juice", "lemonade", "milk", "tea", "water"}},
	{"pet", "pets", "the owner of the %s", "owns the %s", "does not own the %s", []string{"cat", "dog", "goldfish", "hamster", "parrot", "rabbit", "tortoise"}},
	{"color", "colors of the houses", "the person in the %s house", "lives in the %s house", "does not live in the %s house", []string{"blue", "green", "orange", "pink", "red", "white", "yellow"}},
	{"job", "jobs", "the %s", "is the %s", "is not the %s", []string{"baker", "dentist", "farmer", "lawyer", "nurse", "painter", "teacher"}},
	{"instrument", "instruments", "the person who plays the %s", "plays the %s", "does not play the %s", []string{"cello", "flute", "guitar", "harp", "piano", "trumpet", "violin"}},
	{"fruit", "favorite fruits", "the person who likes %s best", "likes %s best", "does not like %s best", []string{"apples", "bananas", "cherries", "grapes", "peaches", "pears", "plums"}},
	{"sport", "sports", "the person who plays %s", "plays %s", "does not play %s", []string{"badminton", "cricket", "football", "golf", "hockey", "rugby", "tennis"}},
	{"flower", "flowers", "the person who grows %s", "grows %s", "does not grow %s", []string{"daisies", "irises", "lilies", "poppies", "roses", "tulips", "violets"}},
}

// zebraTopicOf returns the topic of a kind of characteristic.
func zebraTopicOf(kind string) (zebraTopic, bool) {
	i := slices.IndexFunc(zebraTopics, func(t zebraTopic) bool { return t.kind == kind })
	if i < 0 {
		return zebraTopic{}, false
	}
	return zebraTopics[i], true
}

// makeZebra draws an arrangement, and clues that leave no other.
func makeZebra(p zebraParams, r *rng.Rand) (zebraItem, error) {
	item := zebraItem{Phrasing: r.Between(0, len(zebraPhrasings)-1)}
	topics := append([]zebraTopic{zebraTopics[0]}, rng.Sample(r, zebraTopics[1:], p.Characteristics-1)...)
	for _, topic := range topics {
		values := rng.Sample(r, topic.values, p.People)
		houses := make([]int, p.People)
		for i := range houses {
			houses[i] = i
		}
		rng.Shuffle(r, houses)
		slices.Sort(values)
		item.Traits = append(item.Traits, zebraTrait{topic.kind, values})
		item.Houses = append(item.Houses, houses)
	}
	var err error
	if item.Clues, err = item.Houses.clues(r); err != nil {
		return item, err
	}
	const tries = 10
	for range tries {
		item.Asked = zebraThing{r.Between(0, p.Characteristics-1), r.Between(0, p.People-1)}
		if !item.told() {
			break
		}
	}
	item.Answer = item.Traits[0].Values[item.name()[1]]
	return item, nil
}

// house returns the house of the person in question.
func (z zebraItem) house() int {
	if z.Asked[0] == 0 {
		return z.Asked[1]
	}
	return z.Houses.house(z.Asked)
}

// name returns the name in question.
func (z zebraItem) name() zebraThing { return z.Houses.in(0, z.house()) }

// told reports whether a clue alone answers the question.
func (z zebraItem) told() bool {
	name := z.name()
	return slices.ContainsFunc(z.Clues, func(c zebraClue) bool {
		if z.Asked[0] == 0 {
			return c.Kind == zebraAt && c.A == name
		}
		return c.Kind == zebraSame && (c.A == name && c.B == z.Asked || c.B == name && c.A == z.Asked)
	})
}

// zebraPhrasings are the wordings: {n} stands for the number of people, {lists} for the
// values, {clues} for the clues, {question} for the question; with the layout of clues and
// lists.
var zebraPhrasings = []zebraPhrasing{
	{"There are {n} houses in a row, numbered 1 to {n} from left to right. One person lives in each, and no two of them share a characteristic:\n{lists}\n\n" +
		"These are the clues:\n{clues}\n\n{question}", "\n- %s: %s", "\n%d. %s"},
	{"{question} Work it out from the clues below. It is about {n} neighbors, whose houses stand side by side and are numbered from 1 on the left to {n} on the right.\n\n" +
		"What they have, each a different one:{lists}\n\nWhat is known:{clues}", "\n%s: %s", "\n* %[2]s"},
	{"A street has {n} houses. The leftmost is house 1, the rightmost house {n}, and one person lives in each. The following is known about these people.\n{clues}\n\n" +
		"Everybody has exactly one of each of these, and nobody has the same as somebody else:{lists}\n\n{question}", "\n  %s: %s", "\n(%d) %s"},
	{"Logic puzzle\n\nHouses: {n} in a line, 1 to {n} from left to right, with one resident each.\nEach of these values belongs to exactly one resident:{lists}\n\n" +
		"Clues:{clues}\n\nQuestion: {question}", "\n* %s = %s", "\n[%d] %s"},
	{"Someone remembers this about the {n} people who live next to each other in houses 1 (far left) to {n} (far right):\n{clues}\n\n{question} " +
		"You may take for granted that all of them differ in everything, and that these are the possibilities:{lists}", "\n- %s: %s", "\n- %[2]s"},
	{"In each of {n} houses, which stand in a row and are counted from the left, lives one person. Find the arrangement in which every clue is true; there is only one.\n\n" +
		"Values, each used once:{lists}\n\n{clues}\n\nNow say: {question}", "\n%s: %s", "\nClue %d: %s"},
}

// A zebraPhrasing is a wording: the text, and the forms of a list and of a clue.
type zebraPhrasing struct{ text, list, clue string }

func (z zebraItem) Prompt() string {
	words := zebraPhrasings[z.Phrasing]
	var lists, clues strings.Builder
	for _, trait := range z.Traits {
		topic, _ := zebraTopicOf(trait.Kind)
		fmt.Fprintf(&lists, words.list, topic.plural, strings.Join(trait.Values, ", "))
	}
	for i, clue := range z.Clues {
		fmt.Fprintf(&clues, words.clue, i+1, z.clueText(clue))
	}
	text := strings.NewReplacer("{n}", strconv.Itoa(len(z.Houses[0])), "{lists}", lists.String(), "{clues}", clues.String(),
		"{question}", z.question()).Replace(words.text)
	return strings.ReplaceAll(text, "\n\n\n", "\n\n") + "\n\nAnswer with the name alone."
}

// question asks for the name.
func (z zebraItem) question() string {
	if z.Asked[0] == 0 {
		return fmt.Sprintf("Who lives in house %d?", z.Asked[1]+1)
	}
	return "Who " + z.say(z.Asked, func(t zebraTopic) string { return t.is }) + "?"
}

// say fills a form of a topic with a thing's value.
func (z zebraItem) say(t zebraThing, form func(zebraTopic) string) string {
	topic, _ := zebraTopicOf(z.Traits[t[0]].Kind)
	return fmt.Sprintf(form(topic), z.Traits[t[0]].Values[t[1]])
}

// clueText returns a clue as a sentence.
func (z zebraItem) clueText(c zebraClue) string {
	who := func(t zebraThing) string { return z.say(t, func(topic zebraTopic) string { return topic.who }) }
	if c.B[0] == 0 && (c.Kind == zebraSame || c.Kind == zebraNotSame) {
		c.A, c.B = c.B, c.A // the name is the subject
	}
	a := who(c.A)
	text := ""
	switch c.Kind {
	case zebraSame:
		text = a + " " + z.say(c.B, func(t zebraTopic) string { return t.is })
	case zebraNotSame:
		text = a + " " + z.say(c.B, func(t zebraTopic) string { return t.isNot })
	case zebraAt:
		text = fmt.Sprintf("%s lives in house %d", a, c.House+1)
	case zebraNotAt:
		text = fmt.Sprintf("%s does not live in house %d", a, c.House+1)
	case zebraLeft:
		text = a + " lives directly to the left of " + who(c.B)
	case zebraNext:
		text = a + " lives next to " + who(c.B)
	case zebraBefore:
		text = a + " lives somewhere to the left of " + who(c.B)
	case zebraGap:
		text = "exactly one house stands between those of " + a + " and " + who(c.B)
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (z zebraItem) Short() string {
	if len(z.Clues) == 0 {
		return ""
	}
	var b strings.Builder
	for _, trait := range z.Traits {
		b.WriteString(strings.Join(trait.Values, " ") + "\n")
	}
	for _, clue := range z.Clues {
		b.WriteString(z.clueText(clue) + "\n")
	}
	return b.String() + z.question()
}

// Check refuses a record with a false clue or a wrong answer.
func (z zebraItem) Check() error {
	if len(z.Clues) == 0 {
		return nil // from reasoning-gym
	}
	if err := z.Houses.check(); err != nil {
		return err
	}
	traits, people := len(z.Houses), len(z.Houses[0])
	known := func(t zebraThing) bool { return t[0] >= 0 && t[0] < traits && t[1] >= 0 && t[1] < people }
	if len(z.Traits) != traits || !known(z.Asked) {
		return errors.New("traits or asked does not fit the houses")
	}
	for i, trait := range z.Traits {
		if topic, found := zebraTopicOf(trait.Kind); !found || len(trait.Values) != people || (i == 0) != (topic.kind == "name") {
			return fmt.Errorf("traits has a %.20q of %d values, want %d", trait.Kind, len(trait.Values), people)
		}
	}
	for _, clue := range z.Clues {
		if !known(clue.A) || !known(clue.B) || !clue.told(z.Houses) {
			return fmt.Errorf("the clue %v is not true", clue)
		}
	}
	return task.Want("answer", z.Answer, z.Traits[0].Values[z.name()[1]])
}

func (z zebraItem) Choices() int {
	if len(z.Houses) == 0 {
		return 0
	}
	return len(z.Houses[0])
}

func (z zebraItem) Solve() string { return z.Answer }
