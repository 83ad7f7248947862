package mathverify

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/mathverify/expr"
	"github.com/quintain-rl/quintain/mathverify/reply"
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
	clock         = compiled.Regexp(`^(?:at )?(\d{1,2})(?::([0-5]\d))? ?(?:([ap])\.? ?m\b\.?)?$`)
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

// A moment is a time of day in minutes: after midnight, or after noon or midnight if its half is not told.
type moment struct {
	minutes      int
	half, marked bool // marked: by a.m. or p.m.
}

// timeOfDay reads a time of day.
func timeOfDay(text string) (at moment, is bool) {
	if !mayBeDated(text) && !strings.Contains(text, "n") {
		return at, false
	}
	words := reply.Words(strings.NewReplacer(`\!`, "", `\,`, "").Replace(text))
	switch words {
	case "noon", "12 noon":
		return moment{minutes: 12 * 60, half: true, marked: true}, true
	case "midnight", "12 midnight":
		return moment{half: true, marked: true}, true
	}
	m := clock().FindStringSubmatch(words)
	if m == nil || m[2] == "" && m[3] == "" {
		return at, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi("0" + m[2])
	at = moment{hour*60 + minute, m[3] != "" || hour > 12 || hour == 0, m[3] != ""}
	if hour > 24 || at.marked && (hour > 12 || hour == 0) {
		return at, false
	}
	if at.marked {
		at.minutes = hour%12*60 + minute
	}
	if m[3] == "p" {
		at.minutes += 12 * 60
	}
	return at, true
}

// sameWording compares two dates, two times of day of which one has its half, or an answer with a
// reference in words that may be put otherwise. If it reports nothing sure, they may still be the same.
func sameWording(gold, answer string) (same, sure bool) {
	if len(gold) > maxPhrase || len(answer) > maxPhrase {
		return false, false
	}
	if g, a := date(gold), date(answer); g != "" && a != "" {
		return g == a, true
	}
	if g, is := timeOfDay(gold); is {
		if a, is := timeOfDay(answer); is && (g.marked || a.marked) {
			return g.minutes == a.minutes || !(g.half && a.half) && g.minutes%720 == a.minutes%720, true
		}
	}
	if saidOf(gold, answer) {
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
