package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
)

var (
	// endMark matches a formula that only ends a proof, or is the exponent of a unit.
	endMark = compiled.Regexp(`^\s*(?:\\(?:blacksquare|square|qed|Box|checkmark)\b[\s.]*$|\^)`)

	// finish matches a sign that ends a proof at the end of a text.
	finish = compiled.Regexp(`(?:\$\s*\\(?:blacksquare|square|qed|Box)\s*\$|\\qed|[∎■□◻]|\bQ\.?E\.?D\.?)\s*$`)

	// scope matches the text between a formula and another one that only says for which values it
	// holds.
	scope = compiled.Regexp(`^,?\s*\(?(?:(?:for|and for) (?:all|any|every|each|some)\b[^.$\n]*|(?:where|whenever|with)\b(?: [a-z]+){0,2} ?|(?:is |which is )?(?:attained|achieved|reached|obtained|occurring|which occurs|taken) (?:when|at|for|if|by) ?)$`)

	// condition matches a formula that may follow "for" and say for which values another one holds.
	condition = compiled.Regexp(`[<>≤≥≠∈]|\\(?:in|[gl]eq?|neq?)\b`)
)

// withoutEndMark drops the sign at the end of a proof.
func withoutEndMark(text string) string {
	tail := text[max(0, len(text)-maxShort/2):]
	if !strings.Contains(tail, "qed") && !strings.Contains(tail, "square") && !strings.Contains(tail, "Box") && !strings.ContainsAny(tail, "Q∎■□◻") {
		return text
	}
	return text[:len(text)-len(tail)] + finish().ReplaceAllString(tail, "")
}

// asserted returns the formulas without those at the end that say nothing themselves: signs that
// end a proof, and the values for which the formula before holds.
func asserted(text string, all []formula) []formula {
	for range min(len(all), maxParts) {
		last := all[len(all)-1]
		if !Blank(last.content) && !endMark().MatchString(last.content) && (len(all) == 1 || !scoped(text, all[len(all)-2], last)) {
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
	if nearly().MatchString(between) {
		return true
	}
	switch strings.Trim(between, " (") {
	case "for", ", for":
		return single().MatchString(last.content) || condition().MatchString(last.content)
	case "at", "when", "for ", ", at", ", when":
		return value().MatchString(last.content) && extremum().MatchString(text[max(0, before.start-maxShort):before.start])
	}
	return scope().MatchString(between)
}

var (
	// exclusion matches a value that a variable may not have.
	exclusion = compiled.Regexp(`^\s*[A-Za-z]\s*(?:\\neq?\b|≠|!=)[^,]*$`)

	// extremum matches the words before the value of an extremum.
	extremum = compiled.Regexp(`(?i)\b(?:min|max|minimum|maximum|least|greatest|largest|smallest|highest|lowest)\b[^.\n]*\b(?:is|of|equals|=)\s*$`)
)

var (
	// verb matches a verb after which a sentence states its value.
	verb = compiled.Regexp(`(?:\b(?:is|are|equals|gives|get|have|has|obtain|find|was|were)|=)\s*(?:about|exactly|just|only)?[\s*]*$`)
)

// stated returns the expression that the text after the last formula states: in a line of its own,
// or after a verb.
func stated(text string) string {
	text = strings.TrimRight(text, " \n")
	start := strings.LastIndexByte(text, '\n') + 1
	line := text[start:]
	if len(line) > maxHint {
		return ""
	}
	all := runsOf(line)
	if len(all) == 0 || start == 0 && !all[len(all)-1].relation && !verb().MatchString(line[:all[len(all)-1].start]) {
		return ""
	}
	return expressionOf(line)
}

// The members of a list with one in each line.
var (
	item  = compiled.Regexp(`^\s*(?:[-*•+]|\d{1,2}[.)]|\([a-z\d]\))\s+(?:\*\*)?(.*?)(?:\*\*)?[.,;]?\s*$`)
	line  = compiled.Regexp(`^\s*(\$?[A-Za-z](?:_\{?\w+\}?|[₀-₉])?\s*=[^=]*?)[.,;]?\s*$`)
	value = compiled.Regexp(`^\s*[A-Za-z](?:_\{?\w+\}?|[₀-₉])?\s*=([^=]*)$`)

	// leads matches the line before a list of values for different variables.
	leads = compiled.Regexp(`(?i)\b(?:solutions?|answers?|therefore|thus|hence|so)\b[^.]*[:,][*\s]*$`)
)

// maxItems bounds the members of such a list.
const maxItems = 20

// bulleted returns the values that a list at the end of a text has, one in each line, after a line
// that leads to them: values for one variable, plain values, or one for each variable.
func bulleted(text string) string {
	text = strings.TrimSpace(text[max(0, len(text)-maxFormula/2):])
	if strings.Count(text, "\n") < 2 {
		return ""
	}
	all := strings.Split(text, "\n")
	var members []string
	names := map[string]int{}
	for len(all) > 0 && len(members) <= maxItems {
		last := all[len(all)-1]
		all = all[:len(all)-1]
		m := item().FindStringSubmatch(last)
		if m == nil {
			m = line().FindStringSubmatch(last)
		}
		switch name, member, ok := memberOf(m); {
		case ok:
			members = append([]string{member}, members...)
			names[name]++
		case m != nil || strings.TrimSpace(last) != "":
			same := len(names) == 1 && strings.HasSuffix(strings.Trim(last, "* "), ":")
			each := len(names) == len(members) && names[""] == 0 && leads().MatchString(last)
			if m != nil || len(members) < 2 || !same && !each {
				return ""
			}
			return strings.Join(members, ", ")
		}
	}
	return ""
}

// memberOf returns the variable of an equation "x = value", or nothing for a plain value, and
// reports whether a line is one of these.
func memberOf(m []string) (name, member string, ok bool) {
	if m == nil {
		return "", "", false
	}
	member = peel(m[1])
	text := member
	if parts := value().FindStringSubmatch(text); parts != nil {
		name, _, _ = strings.Cut(text, "=")
		text = parts[1]
	}
	if text == "" || strings.ContainsAny(text, "=<>,") || !bare(text) {
		return "", "", false
	}
	n, err := expr.Parse(expr.Fold(text))
	return strings.TrimSpace(name), member, err == nil && !n.Has(expr.Symbol)
}
