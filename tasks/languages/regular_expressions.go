package languages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// regularExpressions asks for an expression of a language that is described in words.
var regularExpressions = task.Spec[regularParams, regularItem]{
	Name:     "regular_expressions",
	Category: "languages",
	Doc: "Write a regular expression for the strings of which some conditions hold. It is compared with the conditions on all strings, of any length; the verdict " +
		"names a shortest string on which they differ. Expressions have letters, . | ( ) * + ? and counts, no classes, escapes or assertions, on which engines differ.",
	Source:  "Regular languages, S. Kleene (1956).",
	Version: 2,
	Default: regularParams{Letters: 2, Conditions: 2, MinStates: 4, MaxStates: 6},
	Levels: []regularParams{
		{Letters: 2, Conditions: 2, MinStates: 3, MaxStates: 4},
		{Letters: 3, Conditions: 2, MinStates: 4, MaxStates: 5},
		{Letters: 2, Conditions: 2, MinStates: 6, MaxStates: 7},
		{Letters: 3, Conditions: 3, MinStates: 6, MaxStates: 8},
		{Letters: 2, Conditions: 3, MinStates: 9, MaxStates: 12},
		{Letters: 3, Conditions: 3, MinStates: 9, MaxStates: 16},
	},
	Few:  slices.Repeat([]string{"There are few languages of two conditions and so few states, up to names and mirror images."}, 3),
	Make: makeRegular,
	Many: true,
}

// regularParams are the settings of one difficulty.
type regularParams struct {
	Letters    int `json:"letters" want:"2 to 3"`
	Conditions int `json:"conditions" want:"1 to 3"`
	MinStates  int `json:"min_states" want:"2 or more"` // of the least deterministic automaton
	MaxStates  int `json:"max_states" want:"min_states or more"`
}

// Check refuses what no tag does.
func (p regularParams) Check() error {
	return task.Within("max_states", p.MaxStates, p.MinStates, 6*p.Conditions)
}

// regularItem is one description of a language.
type regularItem struct {
	Letters    string      `json:"letters" want:"2 to 3" chars:"a-z"`
	Conditions []condition `json:"conditions" want:"1 to 3"`
	Match      []string    `json:"match"`    // some strings of which the conditions hold
	NoMatch    []string    `json:"no_match"` // and some of which they do not
	Phrasing   int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeRegular draws conditions until their language has the right size, without an end, and an
// expression of moderate length.
func makeRegular(p regularParams, r *rng.Rand) (regularItem, error) {
	const mostTries = 1000
	letters := rng.Sample(r, []byte("abcdefghkmnpqrstuvwxyz"), p.Letters)
	slices.Sort(letters)
	item := regularItem{Letters: string(letters), Phrasing: r.Between(0, len(regularPhrasings)-1)}
	for range mostTries {
		item.Conditions = nil
		for range p.Conditions {
			name := rng.Pick(r, kindNames)
			kind, _ := conditionKinds(name)
			c := kind.draw(item.Letters, r)
			c.Kind = name
			item.Conditions = append(item.Conditions, c)
		}
		if sameKinds(item.Conditions) {
			continue
		}
		language := hold(item.Conditions, item.Letters)
		if n := len(language.next); n < p.MinStates || n > p.MaxStates || !language.endless() || len(language.expression(item.Letters)) > longestAnswer {
			continue
		}
		if item.drawExamples(language, r) {
			return item, nil
		}
	}
	return item, errors.New("found no conditions with so many states")
}

// drawExamples draws three strings that match and three that do not, if it finds them.
func (g *regularItem) drawExamples(language automaton, r *rng.Rand) bool {
	const wanted, mostTries, longest = 3, 200, 9
	g.Match, g.NoMatch = nil, nil
	for range mostTries {
		text := make([]byte, r.Between(1, longest))
		for i := range text {
			text[i] = rng.Pick(r, []byte(g.Letters))
		}
		list := &g.NoMatch
		if language.matches(string(text), g.Letters) {
			list = &g.Match
		}
		if len(*list) < wanted && !slices.Contains(*list, string(text)) {
			*list = append(*list, string(text))
		}
		if len(g.Match) == wanted && len(g.NoMatch) == wanted {
			return true
		}
	}
	return false
}

// regularPhrasings are the wordings of the question. %l lists the letters.
var regularPhrasings = []string{
	"Write a regular expression that matches exactly those strings of the letters %l of which all of the following is true.",
	"Consider all strings of any length, the empty one included, that are made of %l. Which regular expression matches a string if these statements about it hold, and no other string?",
	"A form accepts a code of the letters %l only if it fulfills every rule below. Find a regular expression for the codes that it accepts.",
	"Find a regular expression over the alphabet of %l for the language of all strings with these properties:",
	"A filter should let through the words over %l that meet the following conditions, and stop all others. Express it as a regular expression.",
	"Below, a set of strings of the letters %l is described. Give a regular expression that every string of the set matches, and nothing else made of these letters.",
}

func (g regularItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = task.AppendFilled(b, regularPhrasings[g.Phrasing], func(byte) string { return g.letterList() })
	for _, c := range g.Conditions {
		kind, _ := conditionKinds(c.Kind)
		b = append(append(b, "\n- "...), kind.text(c)...)
	}
	b = append(append(b, "\nSome strings that must match: "...), strings.Join(g.Match, ", ")...)
	b = append(append(b, "\nSome strings that must not match: "...), strings.Join(g.NoMatch, ", ")...)
	b = append(b, "\nThe expression is matched against the whole string, so it needs no anchors. Use only letters, the dot for any letter, brackets ( ), the bar | "+
		"and the repeats * + ? {n} {n,} {n,m}; classes in square brackets, backslashes and lookaheads are not allowed. Answer with the expression alone, of at most "...)
	b = strconv.AppendInt(b, longestAnswer, 10)
	return string(append(b, " characters."...))
}

// letterList returns the letters as a phrase.
func (g regularItem) letterList() string {
	list := strings.Split(g.Letters, "")
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// Canonical implements [task.Canonicalizer]: the least automaton of the language or of its mirror image,
// whatever its letters are called and its conditions say.
func (g regularItem) Canonical() string {
	language := hold(g.Conditions, g.Letters)
	text, _ := language.canonical()
	mirrored, _ := language.mirrored().canonical()
	return min(text, mirrored)
}

// Check refuses a record that describes no language.
func (g regularItem) Check() error {
	for i := range len(g.Letters) - 1 {
		if g.Letters[i] >= g.Letters[i+1] {
			return fmt.Errorf("letters is %q, want different ones in order", g.Letters)
		}
	}
	for _, c := range g.Conditions {
		if err := c.check(g.Letters); err != nil {
			return err
		}
	}
	solution := hold(g.Conditions, g.Letters).expression(g.Letters)
	if solution == "" || len(solution) > longestAnswer {
		return fmt.Errorf("conditions: an expression for them has %d characters, want 1 to %d", len(solution), longestAnswer)
	}
	return nil
}

func (g regularItem) Solve() string { return hold(g.Conditions, g.Letters).expression(g.Letters) }

func (g regularItem) Score(text string) quintain.Verdict {
	m, err := readExpression(answer.Trim(text), g.Letters)
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	language := hold(g.Conditions, g.Letters)
	differs, found, err := m.differs(language, g.Letters)
	switch {
	case err != nil:
		return quintain.Wrong(err.Error())
	case !found:
		return quintain.Right()
	case language.matches(differs, g.Letters):
		return quintain.Wrong(fmt.Sprintf("the expression does not match %q", differs))
	}
	return quintain.Wrong(fmt.Sprintf("the expression matches %q", differs))
}
