package languages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// stringInsertion asks for a string with letters inserted after some patterns.
var stringInsertion = task.Spec[stringInsertionParams, stringInsertionItem]{
	Name:     "string_insertion",
	Category: "algorithmic",
	Doc: "Scan a string and insert a letter after each occurrence of five patterns of four letters, different in each problem. " +
		"Patterns overlap in the string, and there is at least one insertion.",
	Source:  "A common programming exercise; the settings are those of reasoning-gym.",
	Version: 4,
	Default: stringInsertionParams{MinStringLength: 5, MaxStringLength: 20},
	Levels: []stringInsertionParams{
		{MinStringLength: 5, MaxStringLength: 8},
		{MinStringLength: 9, MaxStringLength: 14},
		{MinStringLength: 18, MaxStringLength: 30},
		{MinStringLength: 40, MaxStringLength: 70},
		{MinStringLength: 100, MaxStringLength: 160},
		{MinStringLength: 300, MaxStringLength: 500},
	},
	Make: makeStringInsertion,
}

// stringInsertionParams are the settings of one difficulty.
type stringInsertionParams struct {
	MinStringLength int `json:"min_string_length" want:"5 or more"`
	MaxStringLength int `json:"max_string_length" want:"min_string_length to 10000"`
}

// stringInsertionItem is one string. Entries of reasoning-gym have no Rules, which means
// usualInsertions.
type stringInsertionItem struct {
	String       string      `json:"string" want:"1 or more" chars:"A-E"` // of the letters A to E
	Solution     string      `json:"solution" want:"the answer"`
	StringLength int         `json:"string_length"`
	Rules        []insertion `json:"rules,omitempty"`
	Phrasing     int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// An insertion is a rule: after Pattern, insert Letter.
type insertion struct {
	Pattern string `json:"pattern" want:"4" chars:"A-E"` // patternLength letters from A to E
	Letter  string `json:"letter" want:"1" chars:"A-E"`  // one of these letters
}

const (
	patternLength  = 4
	insertionRules = 5 // number of rules
)

// usualInsertions are the rules of reasoning-gym.
var usualInsertions = []insertion{{"ABCD", "A"}, {"BCDE", "B"}, {"CDEA", "C"}, {"DEAB", "D"}, {"EABC", "E"}}

// makeStringInsertion draws the rules, then a string of random letters and of patterns,
// some of them cut short, so that patterns overlap.
func makeStringInsertion(p stringInsertionParams, r *rng.Rand) (stringInsertionItem, error) {
	item := stringInsertionItem{
		StringLength: r.Between(p.MinStringLength, p.MaxStringLength), Rules: drawInsertions(r),
		Phrasing: r.Between(0, len(stringInsertionPhrasings)-1),
	}
	n := item.StringLength
	text := make([]byte, 0, 64)
	for len(text) < n {
		if r.Chance(0.25) {
			text = append(text, rng.Pick(r, item.Rules).Pattern[:r.Between(patternLength-1, patternLength)]...)
		} else {
			text = append(text, 'A'+byte(r.Between(0, 4)))
		}
	}
	text = text[:n]
	item.String = string(text)
	if item.Solution = item.inserted(item.String); len(item.Solution) == n {
		copy(text[r.Between(0, n-patternLength):], rng.Pick(r, item.Rules).Pattern)
		item.String = string(text)
		item.Solution = item.inserted(item.String)
	}
	return item, nil
}

// drawInsertions draws rules with different patterns.
func drawInsertions(r *rng.Rand) []insertion {
	rules := make([]insertion, 0, insertionRules)
	for len(rules) < insertionRules {
		var pattern [patternLength]byte
		for i := range pattern {
			pattern[i] = 'A' + byte(r.Between(0, 4))
		}
		known := slices.ContainsFunc(rules, func(rule insertion) bool { return rule.Pattern == string(pattern[:]) })
		if !known {
			rules = append(rules, insertion{string(pattern[:]), string(rune('A' + r.Between(0, 4)))})
		}
	}
	return rules
}

// rules returns the rules of a problem.
func (s stringInsertionItem) rules() []insertion {
	if s.Rules == nil {
		return usualInsertions
	}
	return s.Rules
}

// inserted scans text from left to right and inserts the letters. Neither the letters of a
// match nor an inserted one belong to another match.
func (s stringInsertionItem) inserted(text string) string {
	rules, b := s.rules(), make([]byte, 0, 64)
	fresh := 0 // letters since the last insertion
	for i := range len(text) {
		b = append(b, text[i])
		if fresh++; fresh < patternLength {
			continue
		}
		for _, rule := range rules {
			if text[i+1-patternLength:i+1] == rule.Pattern {
				b, fresh = append(b, rule.Letter...), 0
				break
			}
		}
	}
	return string(b)
}

// stringInsertionPhrasings are the wordings of the question, before the patterns.
var stringInsertionPhrasings = []string{
	"Go through the string below from left to right. Whenever one of these patterns comes up, insert a letter right after it:",
	"Five patterns of four letters each call for a letter to be inserted directly after them:",
	"Copy a string from left to right, and insert a letter after every pattern that you meet:",
	"A typist copies a string and adds a letter each time one of the following groups of four letters has just been typed:",
	"Read a string letter by letter. As soon as the last four letters form one of these patterns, one more letter is put in:",
	"The rules below say which letter goes in behind which four letters. They are used from left to right:",
}

func (s stringInsertionItem) Prompt() string {
	b := append(make([]byte, 0, task.PromptRoom), stringInsertionPhrasings[s.Phrasing]...)
	b = append(b, '\n')
	for _, rule := range s.rules() {
		b = append(append(append(append(b, "\nafter "...), rule.Pattern...), " insert "...), rule.Letter...)
	}
	first := s.rules()[0].Pattern
	example := first[patternLength-1:] + first + first[:2]
	return string(b) + "\n\nAfter an insertion, the search continues after the inserted letter: neither the pattern nor that letter is part of another match. " +
		"What does this string become?\n\n" + s.String + "\n\nAnswer with the new string alone. For example, " + example + " becomes " + s.inserted(example) + "."
}

func (s stringInsertionItem) Short() string {
	b := make([]byte, 0, 128)
	for _, rule := range s.rules() {
		b = append(append(append(append(b, rule.Pattern...), '+'), rule.Letter...), ' ')
	}
	return string(append(append(b, ": "...), s.String...))
}

// Canonical implements [task.Canonicalizer]. The letters do not matter, nor does the order of the
// rules, of which only one can apply.
func (s stringInsertionItem) Canonical() string {
	rules := s.rules()
	lines := make([]string, len(rules))
	renamed := func(text string, labels []int) string {
		b := []byte(text)
		for i, c := range b {
			b[i] = 'a' + byte(labels[c-'A'])
		}
		return string(b)
	}
	const letters = 5
	return task.Relabeled(letters, func(labels []int) string {
		for i, rule := range rules {
			lines[i] = renamed(rule.Pattern+rule.Letter, labels)
		}
		slices.Sort(lines)
		return renamed(s.String, labels) + " " + strings.Join(lines, " ")
	})
}

// Check refuses a record with a wrong solution.
func (s stringInsertionItem) Check() error {
	for i, rule := range s.Rules {
		if slices.ContainsFunc(s.Rules[:i], func(other insertion) bool { return other.Pattern == rule.Pattern }) {
			return fmt.Errorf("rules has %s twice", rule.Pattern)
		}
	}
	if s.Rules != nil && len(s.Rules) != insertionRules {
		return fmt.Errorf("rules has %d rules, want %d", len(s.Rules), insertionRules)
	}
	return nil
}

func (s stringInsertionItem) Solve() string { return s.inserted(s.String) }

// Score implements [task.Scorer]. The right string in quotes, or cut into a list of
// quoted strings, earns a tenth, as in reasoning-gym, which evaluates it.
func (s stringInsertionItem) Score(text string) quintain.Verdict {
	switch want := s.Solve(); {
	case text == want:
		return quintain.Right()
	case text == "":
		return quintain.Malformed("the answer is empty")
	case joinQuoted(text, want):
		return quintain.Partial(0.1, "the string is right, but the question asks for its letters alone")
	}
	return quintain.Wrong(fmt.Sprintf("want %.80q", s.Solve()))
}

// joinQuoted reports whether text is a quoted string, or a list of them, that joins up to
// want.
func joinQuoted(text, want string) bool {
	text = answer.Trim(text)
	for _, brackets := range []string{"[]", "()"} {
		if inner, opened := strings.CutPrefix(text, brackets[:1]); opened {
			inner, closed := strings.CutSuffix(inner, brackets[1:])
			if !closed {
				return false
			}
			text = answer.Trim(inner)
		}
	}
	for text != "" {
		quote := text[:1]
		if quote != `"` && quote != "'" {
			return false
		}
		piece, rest, closed := strings.Cut(text[1:], quote)
		if want, closed = cutPrefix(want, piece, closed); !closed {
			return false
		}
		rest, _ = strings.CutPrefix(answer.Trim(rest), ",")
		text = answer.Trim(rest)
	}
	return want == ""
}

// cutPrefix cuts prefix off s if and is true; it reports whether it did.
func cutPrefix(s, prefix string, and bool) (rest string, cut bool) {
	rest, cut = strings.CutPrefix(s, prefix)
	return rest, cut && and
}
