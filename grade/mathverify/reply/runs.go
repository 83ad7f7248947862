package reply

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// The most that we look at from the end, in bytes: of a line, and of the lines; and the most pieces of a
// remark in brackets.
const (
	maxLine   = 2000
	maxLines  = 1 << 16
	maxRemark = 60
)

// lastExpression returns the last whole expression of a text without formulas, as "16π" of
// "The area is 16π square units.", and those before it that only commas, "and" or "or"
// separate; else the last number.
func lastExpression(text string) string {
	if ratio := ratios().FindStringSubmatch(text[max(0, len(text)-maxShort):]); ratio != nil {
		return ratio[1]
	}
	for end := len(text); end > max(0, len(text)-maxLines); {
		start := strings.LastIndexByte(text[:end], '\n') + 1
		line := text[max(start, end-maxLine):end]
		if found := expressionOf(line); found != "" {
			return found
		}
		if strings.ContainsAny(line, "0123456789") {
			break
		}
		end = start - 1
	}
	return lastNumber(text)
}

// expressionOf returns the last expression of a line if we can read it; else nothing.
func expressionOf(line string) string {
	if !strings.ContainsAny(line, "0123456789=<>+*/\\") && !strings.Contains(line, "infinity") && strings.IndexFunc(line, func(r rune) bool { return r > 0x7f && classes[r] != prose || r == 'π' }) < 0 {
		return ""
	}
	if loc := bracketed().FindStringSubmatchIndex(line); loc != nil && strings.ContainsAny(line[:loc[0]], "0123456789") {
		line = line[:loc[2]]
	}
	all := runsOf(line)
	last := len(all) - 1
	if last < 0 {
		return ""
	}
	for last > 0 && (adds(line, all[last-1], all[last]) || adjoined(line, all[:last], all[last])) {
		last--
	}
	if last > 0 {
		if sum := inTwoUnits(line, all[last-1], all[last]); sum != "" {
			return sum
		}
	}
	start := all[firstOf(line, all[:last+1])].start
	found := line[start:all[last].end]
	if _, err := expr.Parse(expr.Fold(found)); err != nil {
		if at, ok := TimeOfDay(found); !ok || !at.Marked {
			return ""
		}
	}
	return found
}

// inTwoUnits returns an amount in two units, as "2 hours and 30 minutes", or nothing.
func inTwoUnits(line string, a, b run) string {
	unit := following().FindString(line[b.end:])
	if sum := line[a.start:b.end] + unit; unit != "" && len(sum) <= maxShort {
		if value, _ := SumUnit(sum); value != "" {
			return sum
		}
	}
	return ""
}

// bracketed matches a remark in brackets at the end of a line, after a word.
var bracketed = compiled.Regexp(`(?i)(?:[a-z]{3,}|\d)\s(\([^()=]*[a-z]{3,}[^()=]*\)[\s.*]*)$`)

// restricted matches an inequality for a variable.
var restricted = compiled.Regexp(`^[A-Za-z]\s*(?:[≠<>≤≥∈]|!=)`)

// provided matches the text between an expression and the values for which it holds.
var provided = compiled.Regexp(`^\s*[,;]?\s*\(?\s*(?:(?:attained|achieved|reached|obtained|which occurs|occurring) (?:at|when|for|if|by)|for|where|with|when|if|provided(?: that)?|as long as)\s+(?:all |every |any |each )?(?:real )?$`)

// adds reports whether a run only adds to the one before it: an approximation, or the values for
// which it holds.
func adds(line string, before, r run) bool {
	between := line[before.end:r.start]
	switch {
	case nearly().MatchString(between):
		return true
	case strings.HasSuffix(strings.Trim(between, " ("), ",") && len(strings.Fields(between)) <= 2:
		return exclusion().MatchString(line[r.start:r.end]) && !before.bounds || compared(line[r.end:])
	case !r.relation && attributive().MatchString(line[r.end:]):
		return true
	}
	return (restricted().MatchString(line[r.start:r.end]) || r.named && strings.Contains(between, " at ")) && !before.bounds && provided().MatchString(between)
}

// determiners lists words between a preposition and its number, and verbals those that begin a statement
// of their own.
const (
	determiners = " the a an all each every these those his her their its our your both only about another other interval range away up out off back down der die das den dem le la les los las el il lo o os as "
	verbals     = " is are was were be equals gives makes leaves has have had gets costs so and but or which that then "
)

// adjoined reports whether a number only belongs to the one before it, which is the object of the
// sentence: 16 of "She pays $64 for the 16 glasses."
func adjoined(line string, before []run, r run) bool {
	object := before[len(before)-1]
	between := lower(line[object.end:r.start])
	if r.relation || object.relation || len(between) > maxShort || strings.ContainsAny(between, ".,;:!?()=\\") {
		return false
	}
	marks := cues(between, adjoins)
	words := strings.Fields(between)
	if marks == nil || slices.ContainsFunc(words, func(word string) bool { return listed(verbals, word) }) {
		return false
	}
	mark := marks[len(marks)-1]
	after := strings.Fields(between[mark.end:])
	if between[mark.start:mark.end] == "to" {
		after = after[min(1, len(after)):] // to do something with it
		if len(strings.Fields(between[mark.end:])) == 0 {
			return false
		}
	}
	if between[mark.start:mark.end] == "of" {
		return len(before) > 1 && adjoined(line, before[:len(before)-1], object)
	}
	if slices.ContainsFunc(after, func(word string) bool { return !listed(determiners, word) && !strings.HasSuffix(word, "ing") }) {
		return false
	}
	return true
}

// attributive matches what joins a number to a noun: "5-hour".
var attributive = compiled.Regexp(`^-[a-z]`)

// compared reports whether a text after a number says that it is a difference: " hours more than planned".
func compared(after string) bool {
	low := lower(after[:min(len(after), maxShort/2)])
	marks := cues(low, compares)
	return marks != nil && len(strings.Fields(low[:marks[0].start])) <= 1 && !strings.ContainsAny(low[:marks[0].start], ".,;")
}

// nearly matches the text between a value and an approximation of it.
var nearly = compiled.Regexp(`^(?:\s*[A-Za-z]{1,12}[²³]?){0,2}[,;]?\s*\(?(?:or|which is|that is|i\.e\.,?)?\s*(?:the same as|equivalent to|equal to|about|approximately|approx\.?|roughly|around|nearly|≈|~)\s*$`)

// firstOf returns the index of the first run in the list that ends with the last one.
func firstOf(line string, all []run) int {
	last := len(all) - 1
	first := last
	for first > 0 && last-first < maxParts && linkedRuns(line, all[first-1], all[first], first < last) {
		first--
	}
	if first < last {
		return first
	}
	for first > 0 && last-first < maxParts && strings.TrimSpace(line[all[first-1].end:all[first].start]) == "," {
		first--
	}
	ends := strings.Trim(line[all[last].end:], " .$*") == ""
	if ends && last-first > 1 && verb().MatchString(line[:all[first].start]) {
		return first
	}
	if first < last && (plural().MatchString(line[:all[first].start]) || ends && all[first].named && !slices.ContainsFunc(all[first+1:], func(r run) bool { return r.relation })) {
		return first
	}
	return last
}

// plural matches the words before a list.
var plural = compiled.Regexp(`(?i)\b(?:are|were|roots|solutions|zeros|values|numbers)(?: (?:then|just|only|exactly))?:?\s*$`)

// A run is an expression in a line.
type run struct {
	start, end int
	named      bool // it is an equation for a variable
	relation   bool
	bounds     bool // it is an inequality
}

var (
	conjunction = compiled.Regexp(`^\s*,?\s*(?:and|or)\s*,?\s*$`)
	definition  = compiled.Regexp(`^[A-Za-z](?:_?\d|[₀-₉])?\s*=[^=]*$`)
)

// linkedRuns reports whether two neighbouring runs are members of a list. further says that the
// second is linked with one after it.
func linkedRuns(line string, a, b run, further bool) bool {
	separator := line[a.end:b.start]
	separator = strings.TrimSpace(separator)
	return conjunction().MatchString(separator) || separator == "," && (further || a.named && b.named) || separator == ";" && a.named && b.named
}

// runsOf returns the expressions of a line.
func runsOf(line string) (all []run) {
	pieces := piecesOf(line)
	for i := 0; i < len(pieces); {
		end, next := runFrom(line, pieces, i)
		if r, ok := trimmed(line, pieces[i:end]); ok {
			all = append(all, r)
		}
		i = next
	}
	return all
}

// runFrom returns the end of the run that begins with a piece, and where the next may begin.
func runFrom(line string, pieces []piece, start int) (end, next int) {
	depth := 0
	for i := start; i < len(pieces); i++ {
		p := pieces[i]
		before := piece{class: operator}
		if i > start {
			before = pieces[i-1]
		}
		switch {
		case p.class == prose && isScale(line[p.start:p.end]) && before.class == number:
			return i + 1, i + 1
		case p.class == prose, p.class == comma && depth == 0, p.class == shutter && depth == 0:
			return i, i + 1
		case p.class == opener:
			depth++
		case p.class == shutter:
			depth--
		case p.class == number && p.spaced && before.ends() && !continued(line, pieces, i):
			return i, i
		case p.class == letter && (before.class == number || before.class == suffix) && p.spaced && unitLike(line, pieces, i):
			return i, i + 1
		}
	}
	return len(pieces), len(pieces)
}

// isScale reports whether a word belongs to the number before it.
func isScale(word string) bool {
	return listed(" percent pct hundred thousand million billion trillion ", strings.ToLower(word))
}

// continued reports whether a number after a space goes on the one before it: as a group of three
// digits, or as the fraction of a mixed number.
func continued(line string, pieces []piece, i int) bool {
	p, before := pieces[i], pieces[i-1]
	if before.class != number {
		return false
	}
	fraction := i+2 < len(pieces) && strings.HasPrefix(line[pieces[i+1].start:], "/") && pieces[i+2].class == number
	return fraction || p.end-p.start == 3 && plainNumber(line[p.start:p.end]) && before.end-before.start <= 3
}

// unitLike reports whether a letter after a number and a space is a unit: no sign but a slash
// follows.
func unitLike(line string, pieces []piece, i int) bool {
	name := line[pieces[i].start:pieces[i].end]
	if !listed(Letters, name) && !listed(" C A T F M a ", name) {
		return false
	}
	if i+1 == len(pieces) {
		return true
	}
	next := pieces[i+1]
	return next.class != operator && next.class != sign && next.class != suffix && next.class != opener || line[next.start] == '/' && !next.spaced
}

// trimmed returns the run of pieces without signs at its ends and without brackets that are not
// closed, and reports whether it says anything.
func trimmed(line string, pieces []piece) (run, bool) {
	for len(pieces) > 0 && !pieces[len(pieces)-1].ends() && pieces[len(pieces)-1].class != prose {
		pieces = pieces[:len(pieces)-1]
	}
	depth := 0
	for i := len(pieces) - 1; i >= 0; i-- {
		switch pieces[i].class {
		case shutter:
			depth++
		case opener:
			if depth--; depth < 0 {
				pieces = pieces[i+1:]
				i = 0
			}
		}
	}
	for len(pieces) > 0 && !starts(line, pieces) {
		pieces = pieces[1:]
	}
	if len(pieces) == 0 || !says(line, pieces) {
		return run{}, false
	}
	r := run{start: pieces[0].start, end: pieces[len(pieces)-1].end}
	text := line[r.start:r.end]
	r.named = definition().MatchString(text)
	r.relation = strings.ContainsAny(text, "=<>≤≥≠")
	r.bounds = strings.ContainsAny(text, "<>≤≥≠")
	return r, true
}

// starts reports whether a run may start with its first piece. A sign must stand close to the
// operand.
func starts(line string, pieces []piece) bool {
	switch p := pieces[0]; p.class {
	case sign:
		return len(pieces) > 1 && (!pieces[1].spaced || strings.HasPrefix(line[p.start:], "±")) && !strings.HasPrefix(line[p.start:], "–")
	case operator:
		return line[p.start] == '|'
	case suffix, shutter, comma, prose:
		return false
	}
	return true
}

// says reports whether a run has a number, a constant, or a sign between variables.
func says(line string, pieces []piece) bool {
	for i, p := range pieces {
		text := line[p.start:p.end]
		switch {
		case p.class == number, p.class == function, p.class == letter && strings.Contains(`π∞∅ℝℤℚℕℂ\pi\infty pi infinity`, text) && len(text) > 1:
			return true
		case (p.class == operator || p.class == sign) && i > 0 && i < len(pieces)-1 && text != "/" && text != "|" && text != "_":
			return true
		}
	}
	return false
}
