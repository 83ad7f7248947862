package reply

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// small lists short words of prose.
const small = " is so we to of in it at as by be do if my no on up us an am the for get are was has not but its can our you all let how may any who why got " +
	" est la le les un une de des du der die das ist und es el los las son non pas donc il elle "

// quiet lists words that an answer without prose may contain.
const quiet = " and or percent percentage degrees degree square cubic units unit dollars cents euros inches infinity choose union alpha beta gamma theta lambda undefined none null true false floor ceil ceiling "

// bare reports whether a text has no prose.
func bare(text string) bool {
	if len(text) > 400 && strings.Count(text, " ") > len(text)/12 && strings.IndexFunc(text, unicode15.IsLetter) >= 0 && strings.Count(text, "\\") < len(text)/40 {
		return false
	}
	numbersAfter, prose := false, 0
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\\':
			rest = afterCommand(rest)
			continue
		case r >= '0' && r <= '9':
			numbersAfter = numbersAfter || prose > 0
		case unicode15.IsLetter(r):
			word := leading(rest)
			rest = rest[len(word):]
			if word != "to" && isProse(word) {
				prose++
			}
			continue
		}
		rest = rest[n:]
	}
	switch {
	case strings.Contains(text, "i.e."), strings.Contains(text, ", which "), strings.Contains(text, "#### ") || strings.HasPrefix(text, "####") || strings.HasPrefix(text, `\begin{align`):
		return false
	case prose == 0:
		return !strings.Contains(strings.TrimSpace(text), "\n\n")
	case prose <= 3 && !numbersAfter && startsWithValue(text) && !sentenced().MatchString(text) && cues(lower(text), holds) == nil:
		return true
	}
	return false
}

// startsWithValue reports whether a text begins with a number, a formula, or a sign.
func startsWithValue(text string) bool {
	start := strings.TrimLeft(text, " $-(+")
	return start != "" && (isDigit(start[0]) || start[0] == '\\' || start[0] == '.') && strings.Count(text, "$") < 2
}

// leading returns the letters at the start of a text.
func leading(text string) string {
	for i, r := range text {
		if !unicode15.IsLetter(r) && r != '\'' {
			return text[:i]
		}
	}
	return text
}

// afterCommand skips a LaTeX command, and the words of \text and the like.
func afterCommand(text string) string {
	name, rest := commandName(text[1:])
	if name == "" {
		_, size := utf8.DecodeRuneInString(rest)
		return rest[size:]
	}
	if listed(coloured, name) { // the colour is no prose
		if after, ok := strings.CutPrefix(rest, "{"); ok {
			if end := strings.IndexByte(after[:min(len(after), maxShort)], '}'); end >= 0 {
				return after[end+1:]
			}
		}
	}
	if listed(textual, name) {
		if open := strings.IndexByte(rest, '{'); open == 0 || open > 0 && strings.TrimSpace(rest[:open]) == "" {
			if end := strings.IndexByte(rest[:min(len(rest), maxFormula)], '}'); end >= 0 {
				return rest[end+1:]
			}
		}
	}
	return rest
}

// coloured lists the commands that take a colour.
const coloured = " textcolor color colorbox "

// textual lists the commands that take words, or the name of something.
const textual = " text textbf textit textrm textnormal mbox mathrm mathbf operatorname begin end "

// isProse reports whether a word belongs to a sentence.
func isProse(word string) bool {
	if strings.TrimRight(word, "'") != "" { // y' is a variable
		word = strings.TrimRight(word, "'")
	}
	low := strings.ToLower(word)
	if listed(small, low) {
		return true
	}
	n := utf8.RuneCountInString(word)
	if n < 4 {
		return n > 1 && strings.IndexFunc(word, func(r rune) bool { return r >= 'À' && r <= 'ž' }) >= 0 || !isLatin(word) && n > 1 || !isLatin(word) && strings.IndexFunc(word, func(r rune) bool {
			return unicode15.In(r, unicode.Han, unicode.Hiragana, unicode.Arabic, unicode.Hangul)
		}) >= 0
	}
	if listed(quiet, low) || listed(longFunctions, low) {
		return false
	}
	return !allUpper(word)
}

// longFunctions lists names of functions of four letters and more.
const longFunctions = " sqrt cbrt sinh cosh tanh asin acos atan arcsin arccos arctan sech csch coth arcsec arccsc arccot arsinh arcosh artanh sinx cosx tanx binomial factorial pisqrt "

func isLatin(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode15.In(r, unicode.Latin, unicode.Greek) }) < 0
}

func allUpper(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode15.IsUpper(r) }) < 0
}

// maxStated is how far before the end of a text we look for a statement, in bytes.
const maxStated = 1 << 16

// statement returns the text after the last statement's words with text after them, or nothing.
func statement(text string) string {
	text = text[max(0, len(text)-maxStated):]
	low := lower(text)
	for end := len(low); end > 0; {
		start := max(0, end-maxRead)
		if i := strings.IndexAny(low[start:end], " \n"); start > 0 && i >= 0 {
			start += i
		}
		marks := cues(low[start:end], states)
		for _, m := range slices.Backward(marks) {
			next := start + m.end
			after := strings.TrimLeft(text[next:], ":：* _\n\t=")
			if Blank(firstPart(after)) {
				continue
			}
			return after
		}
		end = start
		if start > 0 { // a statement may stand across the border
			end += min(maxOf, maxRead/2)
		}
	}
	return ""
}

// concluding matches the words that begin the last step of an argument.
var concluding = compiled.Regexp(`(?:^|[.\n!$\])] *)(Therefore|Thus|Hence|So|In total|Altogether|In conclusion|Finally|Donc|Daher|Also)\b`)

// conclusion returns the text from the last such word on, or nothing if it has neither
// number nor formula.
func conclusion(text string) string {
	text = text[max(0, len(text)-maxFormula):]
	all := concluding().FindAllStringSubmatchIndex(text, -1)
	if all == nil {
		return ""
	}
	last := text[all[len(all)-1][2]:]
	if !strings.ContainsAny(last, "0123456789$\\") {
		return ""
	}
	return last
}

// lower returns a text in lower case, of the same length.
func lower(text string) string {
	low := strings.ToLower(text)
	if len(low) == len(text) {
		return low
	}
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// firstPart is the beginning of a text, enough to see whether it has content.
func firstPart(text string) string { return text[:min(len(text), 60)] }

// clause matches the end of the answer in a statement.
var clause = compiled.Regexp(`\.\s|\.$|。|\n|[,;]? (?:since|because|which|where|when|it|not|so|non|hence|as|for|if|with|by|and the|and so)\b|[,;] (?:therefore|thus|but)\b|\.\*\*|\*\*`)

// fromStatement returns the answer in the text after a marker.
func fromStatement(s string, want wanted) string {
	if strings.Contains(s, "\n") {
		for _, mark := range []string{"", "- "} { // the mark of the first member may be gone
			if list := bulleted("Answer:\n" + mark + s); list != "" {
				return list
			}
		}
	}
	if s = s[:min(len(s), 2000)]; strings.Contains(s, "**") {
		s = atOnce.Replace(s)
	}
	masked := outsideFormulas(s)
	part := s[:sentenceEnd(masked)]
	if loc := bracketed().FindStringSubmatchIndex(part); loc != nil {
		part = part[:loc[2]]
	}
	if all := cues(lower(part), reasons); all != nil && strings.ContainsAny(part[:all[0].start], "0123456789$\\") {
		part = strings.TrimRight(part[:all[0].start], " ,;(，、")
	}
	if head := withoutTail(part); head != part {
		part = head
	} else if loc := clause().FindStringIndex(masked[:len(part)]); loc != nil {
		part = unjoined(s[:loc[0]])
	}
	if part = strings.Trim(part, " .*\n:"); !strings.Contains(part, "(") {
		part = strings.TrimRight(part, " .)")
	}
	part = withoutTail(part)
	if digits, ok := strings.CutSuffix(part, "!"); ok && plainNumber(digits) { // no factorial
		part = digits
	}
	if m := unitWord().FindStringSubmatch(part); m != nil {
		part = m[1]
	}
	part = withoutWords(part)
	if part != "" && bare(part) && !Blank(part) {
		return peel(part)
	}
	line, _, _ := strings.Cut(s, "\n")
	if want.letter {
		return firstLetter(line)
	}
	for _, find := range []func(string) string{lastFormula, lastExpression} {
		if found := find(line); found != "" {
			return found
		}
	}
	if len(part) <= maxShort {
		return subject(part)
	}
	return ""
}

// atOnce drops the stars before the value in "x = **42**".
var atOnce = strings.NewReplacer("= **", "= ", "is **", "is ", ": **", ": ")

// outsideFormulas blanks out the formulas of a text and keeps its length.
func outsideFormulas(s string) string {
	all := formulas(s)
	if all == nil {
		return s
	}
	b := []byte(s)
	for _, f := range all {
		for i := f.start; i < f.end; i++ {
			b[i] = '#'
		}
	}
	return string(b)
}

// sentenced matches the words of a sentence in Chinese, Japanese or Korean after a value.
var sentenced = compiled.Regexp(`[\p{Han}\p{Hiragana}\p{Hangul}]{5}`)
