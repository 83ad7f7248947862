package graphs

import (
	"bytes"
	"strings"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
)

// familyPhrasings are the wordings: the sentence about a couple, with %h and %w for husband
// and wife; the sentence about their children, with the list in place of %c; and the
// question, with %1 and %2 for the two people.
var familyPhrasings = []familyPhrasing{
	{"", "%h is married to %w. ", "They have %c. ", "\n", "\n\nWhat is %1 to %2? Complete: %1 is %2's …"},
	{"%2 calls %1 \"my …\". Which word is missing, if the following is true?\n\n", "- %h and %w are husband and wife", "; their children: %c", "\n", ""},
	{"A family album names these couples.\n\n", "%h, married to %w", ", parents of %c", ".\n", ".\n\n%2 points at a picture of %1 and says: \"This is my …\" Which word comes next?"},
	{"", "%w's husband is %h. ", "The couple has %c. ", "", "\n\nComplete the sentence: %1 is the … of %2."},
	{"Who is who in this family?\n\n", "* husband %h, wife %w", ", %c", "\n", "\n\nSomebody asks %2 who %1 is, and %2 says truly: \"My …\" What is the missing word?"},
	{"At a reunion, a guest takes notes.\n\n", "%h + %w", " → %c", "\n", "\n\n(+ stands for a marriage, and the children follow the arrow.) Now %2 wants to introduce %1 with the words \"Meet my …\" How does the sentence end?"},
}

// A familyPhrasing is a wording.
type familyPhrasing struct{ before, couple, children, between, after string }

func (f familyItem) Prompt() string {
	words := familyPhrasings[f.Phrasing]
	persons := func(c byte) string {
		if c == '1' {
			return f.Person1
		}
		return f.Person2
	}
	b := task.AppendFilled(make([]byte, 0, task.PromptRoom), words.before, persons)
	before, after, _ := strings.Cut(words.children, "%c")
	first := true
	for at, m := range f.Members {
		if m.Female || m.Spouse == 0 {
			continue
		}
		if !first {
			b = append(bytes.TrimRight(b, " "), words.between...)
			if words.between == "" {
				b = append(b, ' ')
			}
		}
		first = false
		b = task.AppendFilled(b, words.couple, func(c byte) string {
			if c == 'h' {
				return m.Name
			}
			return f.Members[m.Spouse-1].Name
		})
		if f.children(at+1) > 0 {
			b = append(f.appendChildren(append(b, before...), at+1), after...)
		}
	}
	b = task.AppendFilled(bytes.TrimRight(b, " "), words.after, persons)
	return string(append(b, "\n\nAnswer with a single word for the relationship, such as nephew or sister-in-law."...))
}

// children counts the children of a man.
func (f familyItem) children(father int) (n int) {
	for i := range f.Members {
		n += task.Bit(f.Members[i].Father == father)
	}
	return n
}

// appendChildren lists the children of a man.
func (f familyItem) appendChildren(b []byte, father int) []byte {
	left := f.children(father)
	for i, start := 0, len(b); left > 0; i++ {
		m := &f.Members[i]
		if m.Father != father {
			continue
		}
		if len(b) > start {
			b = append(b, ", "...)
			if left == 1 {
				b = append(b, "and "...)
			}
		}
		kind := "a son, "
		if m.Female {
			kind = "a daughter, "
		}
		b = append(append(b, kind...), m.Name...)
		left--
	}
	return b
}

func (f familyItem) Short() string {
	if len(f.Members) == 0 {
		return ""
	}
	var b strings.Builder
	for at, m := range f.Members {
		if !m.Female && m.Spouse != 0 {
			b.WriteString(m.Name + "+" + f.Members[m.Spouse-1].Name + ": " + string(f.appendChildren(nil, at+1)) + "\n")
		}
	}
	return b.String() + "what is " + f.Person1 + " to " + f.Person2 + "?"
}

// Canonical implements [task.Canonicalizer]. The names and the order in which people are told of do not
// matter, nor does it if all men are women and all women men, or who of the two is asked for. It is
// empty without members.
func (f familyItem) Canonical() string {
	if len(f.Members) == 0 {
		return ""
	}
	return canon.Least(4, func(way int) string {
		const man, first, second = 0, 2, 4 // a woman is one more
		const spouse, parent = 0, 1
		var g canon.Graph
		for _, m := range f.Members {
			kind := man
			switch m.Name {
			case [2]string{f.Person1, f.Person2}[way/2]:
				kind = first
			case [2]string{f.Person2, f.Person1}[way/2]:
				kind = second
			}
			g.Node(kind + task.Bit(m.Female) ^ way%2)
		}
		for i, m := range f.Members {
			if m.Spouse > 0 {
				g.Arrow(i, m.Spouse-1, spouse)
			}
			if m.Father > 0 {
				g.Arrow(i, m.Father-1, parent)
				g.Arrow(i, m.Mother-1, parent)
			}
		}
		return g.Key()
	})
}
