package languages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A condition says something about a string.
type condition struct {
	Kind  string `json:"kind"`
	Word  string `json:"word,omitempty"`  // what occurs, or does not
	Count int    `json:"count,omitempty"` // a number of times, a place, or a rest
	Every int    `json:"every,omitempty"` // the divisor of the rest
}

const (
	mostCount = 5
	longWord  = 4
)

// A conditionKind makes the conditions of one kind.
type conditionKind struct {
	draw func(letters string, r *rng.Rand) condition
	text func(c condition) string
	// machine accepts the strings of which the condition holds.
	machine func(c condition, letters string) automaton
	letter  bool // the word is one letter
	empty   bool // the word may be empty: any letter
}

// kindNames lists the kinds in the order in which they are drawn.
var kindNames = []string{"contains", "avoids", "begins", "ends", "rest", "exactly", "at_least", "apart", "from_end", "place", "followed", "same_ends"}

// conditionKinds returns a kind of condition by name.
func conditionKinds(name string) (kind conditionKind, known bool) {
	switch name {
	case "contains":
		return conditionKind{draw: drawWord(2, 3), machine: contains, text: func(c condition) string { return "It contains " + c.Word + "." }}, true
	case "avoids":
		return conditionKind{draw: drawWord(2, 3), machine: avoids, text: func(c condition) string { return "It does not contain " + c.Word + "." }}, true
	case "begins":
		return conditionKind{draw: drawWord(1, 2), machine: begins, text: func(c condition) string { return "It begins with " + c.Word + "." }}, true
	case "ends":
		return conditionKind{draw: drawWord(1, 2), machine: ends, text: func(c condition) string { return "It ends with " + c.Word + "." }}, true
	case "rest":
		return conditionKind{draw: drawRest, machine: rest, text: restText, letter: true, empty: true}, true
	case "exactly":
		return conditionKind{draw: drawCount, machine: exactly, letter: true, text: func(c condition) string { return fmt.Sprintf("It has exactly %s.", times(c)) }}, true
	case "at_least":
		return conditionKind{draw: drawCount, machine: atLeast, letter: true, text: func(c condition) string { return fmt.Sprintf("It has %s or more.", times(c)) }}, true
	case "apart":
		return conditionKind{draw: drawNone, machine: apart, empty: true, letter: true, text: func(condition) string { return "No two neighboring letters are the same." }}, true
	case "from_end":
		return conditionKind{draw: drawPlace, machine: fromEnd, letter: true, text: func(c condition) string {
			return fmt.Sprintf("It has a %s letter from the end, and that is %s.", ordinal(c.Count), c.Word)
		}}, true
	case "place":
		return conditionKind{draw: drawPlace, machine: place, letter: true, text: func(c condition) string {
			return fmt.Sprintf("It has a %s letter, and that is %s.", ordinal(c.Count), c.Word)
		}}, true
	case "followed":
		return conditionKind{draw: drawPair, machine: followed, text: func(c condition) string {
			return fmt.Sprintf("Every %s is directly followed by %s.", c.Word[:1], c.Word[1:])
		}}, true
	case "same_ends":
		return conditionKind{draw: drawNone, machine: sameEnds, empty: true, letter: true, text: func(condition) string { return "It is not empty, and its first and last letters are the same." }}, true
	}
	return kind, false
}

// check refuses a condition that its kind could not handle.
func (c condition) check(letters string) error {
	kind, known := conditionKinds(c.Kind)
	switch {
	case !known:
		return fmt.Errorf("conditions: kind %q, want one of %s", c.Kind, strings.Join(kindNames, ", "))
	case len(c.Word) > longWord || strings.Trim(c.Word, letters) != "" || kind.letter && len(c.Word) > 1 || c.Word == "" && !kind.empty:
		return fmt.Errorf("conditions: word %q does not fit the kind %s", c.Word, c.Kind)
	case c.Kind == "followed" && len(c.Word) != 2:
		return fmt.Errorf("conditions: word %q, want two letters", c.Word)
	case c.Count < 0 || c.Count > mostCount || c.Every < 0 || c.Every > mostCount:
		return fmt.Errorf("conditions: count %d and every %d, want 0 to %d", c.Count, c.Every, mostCount)
	case c.Kind == "rest" && (c.Every < 2 || c.Count >= c.Every), c.Kind != "rest" && c.Every != 0, (c.Kind == "place" || c.Kind == "from_end") && c.Count < 1:
		return fmt.Errorf("conditions: count %d and every %d do not fit the kind %s", c.Count, c.Every, c.Kind)
	}
	return nil
}

func drawWord(least, most int) func(string, *rng.Rand) condition {
	return func(letters string, r *rng.Rand) condition {
		word := make([]byte, r.Between(least, most))
		for i := range word {
			word[i] = rng.Pick(r, []byte(letters))
		}
		return condition{Word: string(word)}
	}
}

func drawNone(string, *rng.Rand) condition { return condition{} }

func drawLetter(letters string, r *rng.Rand) string {
	return string(rng.Pick(r, []byte(letters)))
}

func drawRest(letters string, r *rng.Rand) condition {
	c := condition{Every: r.Between(2, 3)}
	if c.Count = r.Between(0, c.Every-1); r.Chance(0.75) {
		c.Word = drawLetter(letters, r)
	}
	return c
}

func drawCount(letters string, r *rng.Rand) condition {
	return condition{Word: drawLetter(letters, r), Count: r.Between(1, 3)}
}

func drawPlace(letters string, r *rng.Rand) condition {
	return condition{Word: drawLetter(letters, r), Count: r.Between(2, 3)}
}

func drawPair(letters string, r *rng.Rand) condition {
	pair := rng.Sample(r, []byte(letters), 2)
	return condition{Word: string(pair)}
}

func restText(c condition) string {
	what := "Its length"
	if c.Word != "" {
		what = "The number of " + c.Word + "'s"
	}
	switch {
	case c.Every == 2 && c.Count == 0:
		return what + " is even."
	case c.Every == 2:
		return what + " is odd."
	case c.Count == 0:
		return fmt.Sprintf("%s is a multiple of %d (0 counts as one).", what, c.Every)
	}
	return fmt.Sprintf("%s leaves a remainder of %d when divided by %d.", what, c.Count, c.Every)
}

func times(c condition) string {
	if c.Count == 1 {
		return "one " + c.Word
	}
	return fmt.Sprintf("%s %s's", [...]string{"no", "one", "two", "three", "four", "five"}[c.Count], c.Word)
}

func ordinal(n int) string {
	return [...]string{"", "first", "second", "third", "fourth", "fifth"}[n]
}

// search returns the automaton whose state is the length of the longest beginning of word that the
// string ends with (D. Knuth, J. Morris and V. Pratt, 1977).
func search(word, letters string, stay bool, accept func(int) bool) automaton {
	return built(len(word)+1, len(letters), func(state, letter int) int {
		if stay && state == len(word) {
			return state
		}
		read := word[:state] + letters[letter:letter+1]
		for !strings.HasPrefix(word, read) {
			read = read[1:]
		}
		return len(read)
	}, accept)
}

func contains(c condition, letters string) automaton {
	return search(c.Word, letters, true, func(state int) bool { return state == len(c.Word) })
}

func avoids(c condition, letters string) automaton {
	return search(c.Word, letters, true, func(state int) bool { return state < len(c.Word) })
}

func ends(c condition, letters string) automaton {
	return search(c.Word, letters, false, func(state int) bool { return state == len(c.Word) })
}

func begins(c condition, letters string) automaton {
	n := len(c.Word)
	return built(n+2, len(letters), func(state, letter int) int {
		switch {
		case state >= n:
			return state
		case c.Word[state] == letters[letter]:
			return state + 1
		}
		return n + 1
	}, func(state int) bool { return state == n })
}

// counted reports whether a letter counts for a condition.
func (c condition) counted(letter byte) bool { return c.Word == "" || c.Word[0] == letter }

func rest(c condition, letters string) automaton {
	return built(c.Every, len(letters), func(state, letter int) int {
		if c.counted(letters[letter]) {
			state++
		}
		return state % c.Every
	}, func(state int) bool { return state == c.Count })
}

// upTo counts to one more than Count.
func upTo(c condition, letters string, accept func(int) bool) automaton {
	return built(c.Count+2, len(letters), func(state, letter int) int {
		if c.counted(letters[letter]) {
			state++
		}
		return min(state, c.Count+1)
	}, accept)
}

func exactly(c condition, letters string) automaton {
	return upTo(c, letters, func(state int) bool { return state == c.Count })
}

func atLeast(c condition, letters string) automaton {
	return upTo(c, letters, func(state int) bool { return state >= c.Count })
}

func apart(_ condition, letters string) automaton {
	n := len(letters) // states: the last letter, none, and a fault
	return built(n+2, n, func(state, letter int) int {
		if state == n+1 || letter+1 == state {
			return n + 1
		}
		return letter + 1
	}, func(state int) bool { return state <= n })
}

func fromEnd(c condition, letters string) automaton {
	return built(1<<c.Count, len(letters), func(state, letter int) int {
		state = state << 1 & (1<<c.Count - 1)
		if c.counted(letters[letter]) {
			state |= 1
		}
		return state
	}, func(state int) bool { return state>>(c.Count-1) == 1 })
}

func place(c condition, letters string) automaton {
	n := c.Count
	return built(n+2, len(letters), func(state, letter int) int {
		switch {
		case state >= n:
			return state
		case state == n-1 && !c.counted(letters[letter]):
			return n + 1
		}
		return state + 1
	}, func(state int) bool { return state == n })
}

func followed(c condition, letters string) automaton {
	return built(3, len(letters), func(state, letter int) int {
		read := letters[letter]
		switch {
		case state == 2 || state == 1 && read != c.Word[1]:
			return 2
		case read == c.Word[0]:
			return 1
		}
		return 0
	}, func(state int) bool { return state == 0 })
}

func sameEnds(_ condition, letters string) automaton {
	n := len(letters) // states: none, then the first letter and the last
	return built(n*n+1, n, func(state, letter int) int {
		if state == 0 {
			return letter*n + letter + 1
		}
		return (state-1)/n*n + letter + 1
	}, func(state int) bool { return state > 0 && (state-1)/n == (state-1)%n })
}

// hold returns the least automaton of the strings of which all conditions hold.
func hold(conditions []condition, letters string) automaton {
	all := built(1, len(letters), func(int, int) int { return 0 }, func(int) bool { return true })
	for _, c := range conditions {
		kind, _ := conditionKinds(c.Kind)
		all = both(all, kind.machine(c, letters)).least()
	}
	return all
}

// sameKinds reports whether conditions has one of a kind twice.
func sameKinds(conditions []condition) bool {
	var kinds []string
	for _, c := range conditions {
		kinds = append(kinds, c.Kind)
	}
	slices.Sort(kinds)
	return len(slices.Compact(kinds)) < len(conditions)
}
