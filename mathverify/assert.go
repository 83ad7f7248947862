package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
)

var (
	// endMark matches a formula that only ends a proof.
	endMark = compiled(`^\s*\\(?:blacksquare|square|qed|Box|checkmark)\b[\s.]*$`)

	// finish matches a sign that ends a proof at the end of a text.
	finish = compiled(`(?:\$\s*\\(?:blacksquare|square|qed|Box)\s*\$|\\qed|[∎■□◻]|\bQ\.?E\.?D\.?)\s*$`)

	// scope matches the text between a formula and another one that only says for which values it
	// holds.
	scope = compiled(`^,?\s*\(?(?:(?:for|and for) (?:all|any|every|each|some)\b[^.$\n]*|(?:where|whenever|with)\b(?: [a-z]+){0,2} ?)$`)

	// condition matches a formula that may follow "for" and say for which values another one holds.
	condition = compiled(`[<>≤≥≠∈]|\\(?:in|[gl]eq?|neq?)\b`)
)

// withoutEndMark drops the sign at the end of a proof.
func withoutEndMark(text string) string {
	tail := text[max(0, len(text)-maxShort/2):]
	return text[:len(text)-len(tail)] + finish().ReplaceAllString(tail, "")
}

// asserted returns the formulas without those at the end that say nothing themselves: signs that
// end a proof, and the values for which the formula before holds.
func asserted(text string, all []formula) []formula {
	for len(all) > 0 {
		last := all[len(all)-1]
		if !blank(last.content) && !endMark().MatchString(last.content) && (len(all) == 1 || !scoped(text, all[len(all)-2], last)) {
			break
		}
		all = all[:len(all)-1]
	}
	return all
}

// scoped reports whether a formula only says for which values the one before it holds.
func scoped(text string, before, last formula) bool {
	between := text[before.end:last.start]
	if len(between) > maxShort {
		return false
	}
	if strings.TrimSpace(between) == "for" {
		return single().MatchString(last.content) || condition().MatchString(last.content)
	}
	return scope().MatchString(between)
}

// verdict matches a verb after which a sentence states its value.
var verb = compiled(`\b(?:is|are|equals|gives|get|was|were)\s*(?:about|exactly|just|only)?[\s*]*$`)

// stated returns the expression that the text after the last formula states, after a verb at the
// end of its last line.
func stated(text string) string {
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if len(text) > maxHint {
		return ""
	}
	all := runsOf(text)
	if len(all) == 0 || !verb().MatchString(text[:all[len(all)-1].start]) {
		return ""
	}
	return expressionOf(text)
}

// reason matches the clause at the end of a sentence that gives a reason.
var reason = compiled(`(?:[,;]? (?:since|because)|, as) [^\n]*$`)

// counter matches words after which a reason ends in another conclusion.
var counter = compiled(`(?:[.!] |\b(?:so|therefore|thus|hence|then|but)\b|\bbox|####)`)

// withoutReason drops the reason after the answer in the last sentence: "They need 5 buses, since
// 4 would be too few."
func withoutReason(text string) string {
	tail := text[max(0, len(text)-maxHint):]
	loc := reason().FindStringIndex(tail)
	if loc == nil || counter().MatchString(tail[loc[0]+1:]) {
		return text
	}
	sentence := tail[:loc[0]]
	sentence = sentence[max(strings.LastIndex(sentence, ". "), strings.LastIndexByte(sentence, '\n'))+1:]
	if !strings.ContainsAny(sentence, "0123456789$\\") {
		return text
	}
	return text[:len(text)-len(tail)+loc[0]]
}

// The members of a list with a mark before each.
var (
	item  = compiled(`^\s*(?:[-*•+]|\d{1,2}[.)]|\([a-z\d]\))\s+(?:\*\*)?(.*?)(?:\*\*)?[.,;]?\s*$`)
	value = compiled(`^[A-Za-z](?:_\{?\w+\}?|[₀-₉])?\s*=(.*)$`)
)

// maxItems bounds the members of such a list.
const maxItems = 20

// bulleted returns the values that a list at the end of a text has, one in each line, after a line
// with a colon: all for one variable, or plain values.
func bulleted(text string) string {
	text = strings.TrimSpace(text[max(0, len(text)-maxFormula/2):])
	if !strings.Contains(text, "\n") {
		return ""
	}
	all := strings.Split(text, "\n")
	var members []string
	name := ""
	for len(all) > 0 && len(members) <= maxItems {
		line := all[len(all)-1]
		all = all[:len(all)-1]
		m := item().FindStringSubmatch(line)
		if m == nil && strings.TrimSpace(line) == "" {
			continue
		}
		if m == nil {
			if strings.HasSuffix(strings.Trim(line, "* "), ":") && len(members) > 1 {
				return strings.Join(members, ", ")
			}
			return ""
		}
		member := peel(m[1])
		of, is := memberOf(member)
		if !is || len(members) > 0 && of != name {
			return ""
		}
		name = of
		members = append([]string{member}, members...)
	}
	return ""
}

// memberOf returns the variable of an equation "x = value", or nothing for a plain value, and
// reports whether a text is one of these.
func memberOf(text string) (name string, is bool) {
	if m := value().FindStringSubmatch(text); m != nil {
		name, _, _ = strings.Cut(text, "=")
		text = m[1]
	}
	if text == "" || strings.ContainsAny(text, "=<>,") || !bare(text) {
		return "", false
	}
	n, err := expr.Parse(expr.Fold(text))
	return strings.TrimSpace(name), err == nil && closed(n)
}
