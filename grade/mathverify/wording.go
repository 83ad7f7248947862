package mathverify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// maxPhrase is the greatest length of an answer in words.
const maxPhrase = 60

// months matches the names of months, and what may follow a day.
const (
	months = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\.?`
	day    = `(?:the )?(\d{1,2})(?:st|nd|rd|th)?`
	year   = `(?:,? ?(\d{4}))?$`
)

var (
	// manySolutions, missing and oneOfNeither match phrases that mean the same in other words.
	manySolutions = compiled.Regexp(`^(?:there (?:is|are) )?(?:infinitely many|infinite|(?:an )?infinite number of)(?: (?:real )?(?:solutions?|values))?(?: exist)?$`)
	missing       = compiled.Regexp(`^(?:(?:the )?limit )?(?:does not exist|doesn't exist|doesn’t exist|dne|d\.n\.e|nonexistent)(?: \(?(?:dne|does not exist)\)?)?$`)
	oneOfNeither  = compiled.Regexp(`^neither(?: \w+ nor \w+)?$`)
	dayFirst      = compiled.Regexp(`^(?:on )?` + day + ` (?:of )?` + months + year)
	monthFirst    = compiled.Regexp(`^(?:on )?` + months + ` ` + day + year)
	numbered      = compiled.Regexp(`^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$`)
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
	words = strings.NewReplacer(", and ", ", ", " and ", ", ").Replace(words)
	return generic().ReplaceAllString(article().ReplaceAllString(words, ""), "")
}

// mayBeDated reports whether a short text has digits, and letters or signs as dates and times of day have.
func mayBeDated(text string) bool {
	return len(text) <= maxPhrase && strings.ContainsAny(text, "0123456789") && strings.ContainsAny(text, ":abcdefghijlmnopqrstuvyAP-") && !strings.ContainsAny(text, "=^_<>|()[]+/&") &&
		(strings.IndexByte(text, '\\') < 0 || strings.Contains(text, `\text`) || strings.Contains(text, `\,`) || strings.Contains(text, `\m`))
}

// date returns a day of a year, or of any, as "4 jul 1776"; "" for anything else.
func date(text string) string {
	if !mayBeDated(text) {
		return ""
	}
	words := reply.Words(text)
	if m := dayFirst().FindStringSubmatch(words); m != nil {
		return strings.TrimLeft(m[1], "0") + " " + m[2] + " " + m[3]
	}
	if m := monthFirst().FindStringSubmatch(words); m != nil {
		return strings.TrimLeft(m[2], "0") + " " + m[1] + " " + m[3]
	}
	if m := numbered().FindStringSubmatch(words); m != nil {
		month, _ := strconv.Atoi(m[2])
		return strings.TrimLeft(m[3], "0") + " " + strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")[month-1] + " " + m[1]
	}
	return ""
}

var (
	someDate = compiled.Regexp(`(?i)\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?` + months + `(?:,? \d{4})?|` + months + ` \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{4}-\d\d-\d\d)\b`)
	noDate   = compiled.Regexp(`(?i)\b(?:not|never|before|after|until|since|except|or)\b|n['’]t\b`)
)

// dated returns the only date of a text for a reference that is one; "" if there is none.
func dated(gold, text string) string {
	if date(gold) == "" || len(text) > maxPlain || noDate().MatchString(text) {
		return ""
	}
	all := someDate().FindAllString(text, -1)
	if len(all) == 0 || slices.ContainsFunc(all, func(found string) bool { return date(found) != date(all[0]) }) {
		return ""
	}
	return all[0]
}

// mayBeWorded reports whether a text may be words, a date or a time of day.
func mayBeWorded(text string) bool {
	const day = "1776-07-04"
	return strings.IndexByte(text, ':') >= 0 || len(text) == len(day) && text[4] == '-' || !reply.Wordless(text)
}

// sameWording compares two dates, two times of day of which one has its half, or an answer with a
// reference in words that may be put otherwise. If it reports nothing sure, they may still be the same.
func sameWording(gold, answer string) (same, sure bool) {
	if len(gold) > maxPhrase || len(answer) > maxPhrase || !mayBeWorded(gold) && !mayBeWorded(answer) {
		return false, false
	}
	if g, a := date(gold), date(answer); g != "" && a != "" {
		return g == a, true
	} else if numbered().MatchString(gold) && g != "" || numbered().MatchString(answer) && a != "" {
		return false, true // a day is no difference
	}
	if g, ok := reply.TimeOfDay(gold); ok {
		if a, ok := reply.TimeOfDay(answer); ok && (g.Marked || a.Marked) {
			return g.Same(a), true
		}
	}
	if !reply.Wordless(gold) && saidOf(gold, answer) {
		return true, true
	}
	if reply.IsPhrase(gold) && !reply.IsChoice(gold) {
		g, a := meaning(gold), meaning(answer)
		same = g == a || g == "infinitely many" && strings.Trim(expr.Fold(answer), `$ `) == `\infty`
		return same, same
	}
	if strings.ContainsAny(gold, "0123456789\\=+/^_(),") && !strings.HasPrefix(gold, `\text`) {
		return false, false
	}
	g, a := reply.Words(gold), reply.Words(answer)
	same = len(g) >= minNoun && isWords(strings.ReplaceAll(g, " ", "")) && a != g && article().ReplaceAllString(a, "") == g
	return same, same
}

var (
	predicate = compiled.Regexp(`\b(?:is|are|was|were) (?:an? |the )?([a-z]+)$`)
	doubtful  = compiled.Regexp(`\b(?:not|never|no|cannot|neither|nor|none|unless|if|when|or|and|than|loses?|lost|fails?|wrong|false)\b|n['’]t\b`)
	opener    = compiled.Regexp(`^(?:The|An?|It|More|Any|All|Both|There|In|On|At|Only|Yes|No|Each|Every|This|That|They|He|She|We|You|I|Its?|Some|Most) `)
)

// saidOf reports whether a word is the subject of a reference that is a sentence, if that is the only name in
// it, or what it says of its subject: "odd" of "The function is odd."
func saidOf(gold, answer string) bool {
	if strings.Count(gold, " ") < 3 {
		return false
	}
	words, word := reply.Words(gold), article().ReplaceAllString(reply.Words(answer), "")
	if len(word) < 3 || !isWords(word) || doubtful().MatchString(words) {
		return false
	}
	if m := predicate().FindStringSubmatch(words); m != nil {
		return m[1] == word
	}
	name, rest, _ := strings.Cut(gold, " ")
	return !opener().MatchString(gold) && strings.ToLower(name) == word && name != word && strings.ToLower(rest) == rest
}

// minNoun is the least length of a lone word that may have an article.
const minNoun = 4
