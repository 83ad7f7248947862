package logic

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
)

// aiwAsks are the wordings of the question: %q stands for the people to count, %w for the
// person, %o for the pronoun. A wording that begins with the question has the story after
// it.
var aiwAsks = []struct {
	ask   string
	first bool
	story aiwStory
}{
	{"How many %q does %w have?", false, aiwStory{"%p, %s, has %m and %f.", " ", "%p, %s, has %m and %f."}},
	{"Count the %q of %w.", true, aiwStory{"%p (%s) has %m and %f.", "\n", "%p (%s) has %m and %f."}},
	{"What is the number of %q that %w has?", false, aiwStory{"Think of %p. %p is %s and has %f as well as %m.", " ", "Then there is %p, who is %s and has %f as well as %m."}},
	{"Tell how many %q %w has.", true, aiwStory{"- %p is %s with %m and %f.", "\n", "- %p is %s with %m and %f."}},
	{"%w makes a list of all %q that %o has. How many names are on it?", false, aiwStory{"%p, who is %s, has %m and also %f.", " ", "%p, who is %s, has %m and also %f."}},
	{"If %w has written a card to each of the %q that %o has, how many cards has %o written?", false, aiwStory{"%p has %m. %p, who is %s, also has %f.", " ", "%p has %m. %p, who is %s, also has %f."}},
}

// An aiwStory is a text about groups: %p stands for the person, %s for the sex, %m and %f
// for the people around. between separates two groups.
type aiwStory struct{ first, between, next string }

func (a aiwItem) Prompt() string {
	words := aiwAsks[a.Phrasing]
	b := make([]byte, 0, task.PromptRoom)
	if words.first {
		b = append(a.appendAsk(b, words.ask), "\n\n"...)
	}
	b = a.appendStory(b, words.story)
	if !words.first {
		b = a.appendAsk(append(b, "\n\n"...), words.ask)
	}
	return string(append(b, "\n\nAnswer with a whole number."...))
}

// appendAsk appends the question.
func (a aiwItem) appendAsk(b []byte, text string) []byte {
	start := len(b)
	b = task.AppendFilled(b, text, func(c byte) string {
		switch c {
		case 'q':
			return a.counted()
		case 'w':
			return a.person()
		}
		return a.pronoun()
	})
	if c := b[start]; c >= 'a' && c <= 'z' {
		b[start] = c - 'a' + 'A'
	}
	return b
}

func (a aiwItem) Short() string {
	if len(a.Groups) == 0 {
		return ""
	}
	return string(a.appendStory(nil, aiwAsks[1].story)) + " How many " + a.counted() + " has " + a.person() + "?"
}

// appendStory appends the story.
func (a aiwItem) appendStory(b []byte, story aiwStory) []byte {
	kin := a.TaskType == "siblings"
	for i, g := range a.Groups {
		form, men, women := story.next, "male "+a.TaskType, "female "+a.TaskType
		if i == 0 {
			form = story.first
		}
		switch {
		case kin && i == 0:
			men, women = "brothers", "sisters"
		case kin:
			men, women = "sons", "daughters"
		}
		if i > 0 {
			b = append(b, story.between...)
		}
		sex := sexOf(g.Female)
		if kin && i > 0 {
			sex = "a " + map[bool]string{false: "brother", true: "sister"}[g.Female] + " of " + a.Groups[0].Name
		}
		b = task.AppendFilled(b, form, func(c byte) string {
			switch c {
			case 'p':
				return g.Name
			case 's':
				return sex
			case 'm':
				return number(g.Men, men)
			}
			return number(g.Women, women)
		})
		if g.Link != "" {
			b = append(b, " "+g.Link+", "+sexOf(g.LinkF)+", is one of them, and also one of the "+a.TaskType+" of "+a.Groups[i-1].Name+" who are counted above."...)
		}
	}
	return append(append(b, story.between...), a.rules()...)
}

// rules states who knows whom.
func (a aiwItem) rules() string {
	switch {
	case a.TaskType == "siblings" && len(a.Groups) > 1:
		return "All brothers and sisters have the same parents, and none of them but those named here as parents has children."
	case a.TaskType == "siblings":
		return "All of them have the same parents."
	case len(a.Groups) == 1:
		return "All these people are " + a.TaskType + " of each other, and none of them has any others."
	}
	links := make([]string, 0, len(a.Groups)-1)
	for _, g := range a.Groups[1:] {
		links = append(links, g.Link)
	}
	only := strings.Join(links, ", ")
	if n := len(links); n > 1 {
		only = strings.Join(links[:n-1], ", ") + " and " + links[n-1]
	}
	return "Every person whose " + a.TaskType + " are counted forms a circle with them, and in a circle all are " + a.TaskType +
		" of each other. Nobody but " + only + " belongs to two circles, and nobody has " + a.TaskType + " outside."
}

// counted names the people to count.
func (a aiwItem) counted() string {
	switch {
	case a.TaskType != "siblings" && a.Asked.Women:
		return "female " + a.TaskType
	case a.TaskType != "siblings":
		return "male " + a.TaskType
	case len(a.Groups) > 1 && a.Asked.Women:
		return "nieces"
	case len(a.Groups) > 1:
		return "nephews"
	case a.Asked.Women:
		return "sisters"
	}
	return "brothers"
}

// person names the person in question.
func (a aiwItem) person() string {
	g := a.Groups[a.Asked.Group]
	switch {
	case a.Asked.Link:
		return g.Link
	case a.Asked.Member == "":
		return g.Name
	case a.TaskType == "siblings" && a.Asked.Female:
		return g.Name + "'s sister " + a.Asked.Member
	case a.TaskType == "siblings":
		return g.Name + "'s brother " + a.Asked.Member
	}
	kind := strings.TrimSuffix(a.TaskType, "s")
	if a.Asked.Female {
		return g.Name + "'s female " + kind + " " + a.Asked.Member
	}
	return g.Name + "'s male " + kind + " " + a.Asked.Member
}

// pronoun returns that person's pronoun.
func (a aiwItem) pronoun() string {
	if a.asksWoman() {
		return "she"
	}
	return "he"
}

// sexOf returns "a woman" or "a man".
func sexOf(female bool) string {
	if female {
		return "a woman"
	}
	return "a man"
}

// number writes a number of people.
func number(n int, many string) string {
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + strings.TrimSuffix(many, "s")
	}
	return strconv.Itoa(n) + " " + many
}
