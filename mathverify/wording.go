package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/mathverify/reply"
)

// maxPhrase is the greatest length of an answer in words.
const maxPhrase = 60

// months lists the months.
const months = "january|february|march|april|may|june|july|august|september|october|november|december"

var (
	// manySolutions, missing and oneOfNeither match phrases that mean the same in other words.
	manySolutions = compiled.Regexp(`^(?:there (?:is|are) )?(?:infinitely many|infinite|(?:an )?infinite number of)(?: (?:real )?(?:solutions?|values))?(?: exist)?$`)
	missing       = compiled.Regexp(`^(?:(?:the )?limit )?(?:does not exist|doesn't exist|doesn’t exist|dne|d\.n\.e|nonexistent)(?: \(?(?:dne|does not exist)\)?)?$`)
	oneOfNeither  = compiled.Regexp(`^neither(?: \w+ nor \w+)?$`)
	dayFirst      = compiled.Regexp(`^(?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of )?(` + months + `)$`)
	monthFirst    = compiled.Regexp(`^(` + months + `) (?:the )?(\d{1,2})(?:st|nd|rd|th)?$`)
	article       = compiled.Regexp(`^(?:an? |the )`)
	generic       = compiled.Regexp(` (?:function|number|integer|series|sequence|relation|matrix)s?$`)
)

// meaning returns a phrase in one form for those that mean the same.
func meaning(text string) string {
	words := reply.Words(text)
	if len(words) > maxPhrase {
		return words
	}
	switch {
	case strings.HasPrefix(words, "inf") || strings.HasPrefix(words, "there"), strings.HasPrefix(words, "an "):
		if manySolutions().MatchString(words) {
			return "infinitely many"
		}
	case missing().MatchString(words):
		return "does not exist"
	case oneOfNeither().MatchString(words):
		return "neither"
	}
	if m := dayFirst().FindStringSubmatch(words); m != nil {
		return m[2] + " " + m[1]
	}
	if m := monthFirst().FindStringSubmatch(words); m != nil {
		return m[1] + " " + m[2]
	}
	return generic().ReplaceAllString(article().ReplaceAllString(words, ""), "")
}

// sameWording compares two times of day, or an answer with a reference in words that may be put
// otherwise. If it reports nothing sure, they may still be the same.
func sameWording(gold, answer string) (same, sure bool) {
	if g := reply.TimeOfDay(gold); g != "" {
		a := reply.TimeOfDay(answer)
		return g == a, a != ""
	}
	if len(answer) <= maxPhrase && reply.IsPhrase(gold) && meaning(gold) == meaning(answer) && !reply.IsChoice(gold) {
		return true, true
	}
	return false, false
}
