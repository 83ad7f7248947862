package expr

import "strings"

// endless reads what says that a decimal goes on: a bar, dots or brackets about the repeating
// digits, or an ellipsis. It returns the repeating digits; "" if none repeat. After an
// ellipsis it returns [truncated] if the digits do not repeat, but are enough to tell.
func (l *lexer) endless(b *strings.Builder) string {
	rest := l.text[l.at:]
	for _, over := range []string{`\overline{`, `\bar{`, `\overline `, `\bar `, `\overline`, `\bar`} {
		if strings.HasPrefix(rest, over) {
			return l.repeating(len(over), strings.HasSuffix(over, "{"))
		}
	}
	for _, dots := range []string{"...", `\ldots`, `\dots`, `\cdots`, `\dotsc`, `\,\ldots`, `\,\dots`} {
		if after, ok := strings.CutPrefix(rest, dots); ok && (after == "" || !isLetter(after[0]) && !isDigit(after[0])) {
			return l.goesOn(b.String(), len(dots))
		}
	}
	switch {
	case strings.HasPrefix(rest, `\dot`):
		return l.dotted()
	case strings.HasPrefix(rest, "("):
		return l.enclosed()
	}
	return ""
}

// truncated marks a decimal of which only the first digits are known.
const truncated = "…"

// enough is the least number of significant digits that stand for an exact value.
const enough = 7

// maxCycle bounds the repeating digits that we look for.
const maxCycle = 40

// goesOn returns the digits that repeat before an ellipsis.
func (l *lexer) goesOn(number string, dots int) string {
	whole, part, _ := strings.Cut(number, ".")
	significant := len(strings.TrimLeft(whole+part, "0"))
	for n := 1; n <= min(len(part)/2, maxCycle); n++ {
		cycle := part[len(part)-n:]
		times := 1
		for rest := part[:len(part)-n]; strings.HasSuffix(rest, cycle); times++ {
			rest = rest[:len(rest)-n]
		}
		if times >= 3 || times == 2 && (n*times == len(part) || n <= 2 && significant < enough) {
			l.at += dots
			return cycle
		}
	}
	if significant >= enough {
		l.at += dots
		return truncated
	}
	return ""
}

// enclosed reads the repeating digits in 0.1(6).
func (l *lexer) enclosed() string {
	rest := l.text[l.at+1:]
	n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if n < 1 || n > maxCycle || rest[n] != ')' || n+1 < len(rest) && strings.IndexByte("0123456789({[\\^!/*", rest[n+1]) >= 0 {
		return ""
	}
	l.at += n + 2
	return rest[:n]
}

// repeating reads the digits under a bar: all up to the brace, or one.
func (l *lexer) repeating(skip int, braced bool) string {
	rest := l.text[l.at+skip:]
	n := 0
	for n < len(rest) && isDigit(rest[n]) && (braced || n < 1) {
		n++
	}
	if n == 0 || braced && (n == len(rest) || rest[n] != '}') {
		return ""
	}
	l.at += skip + n
	if braced {
		l.at++
	}
	return rest[:n]
}

// dotted reads repeating digits with a dot on the first and the last, or on the only one.
func (l *lexer) dotted() string {
	rest := l.text[l.at:]
	cycle, rest := dottedDigit(rest)
	if cycle == "" {
		return ""
	}
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if last, tail := dottedDigit(rest[n:]); last != "" {
		cycle, rest = cycle+rest[:n]+last, tail
	}
	l.at = len(l.text) - len(rest)
	return cycle
}

// dottedDigit reads \dot{6} or \dot6.
func dottedDigit(text string) (digit, rest string) {
	after, ok := strings.CutPrefix(text, `\dot`)
	inner, braced := strings.CutPrefix(strings.TrimLeft(after, " "), "{")
	if !ok || inner == "" || !isDigit(inner[0]) || braced && !strings.HasPrefix(inner[1:], "}") {
		return "", text
	}
	if braced {
		return inner[:1], inner[2:]
	}
	return inner[:1], inner[1:]
}
