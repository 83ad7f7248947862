package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A kind is the type of a token.
type kind uint8

const (
	kEnd    kind = iota
	kOp          // an operation, a bracket or a separator: text
	kNumber      // digits without separators, perhaps with a point and an exponent
	kSymbol      // a letter, or a letter by name: "theta"
	kWord        // several letters
	kText        // words in \text{…}
	kFunc        // a function: text is its name
	kCmd         // a command with arguments: "frac", "sqrt", "sum" …
	kBegin       // \begin{text}
	kFinish      // \end{text}
)

// A token is a piece of the text.
type token struct {
	kind   kind
	spaced bool   // space precedes it
	text   string // of a number with repeating digits: "r" and the repeating ones
}

func (t token) is(op string) bool { return t.kind == kOp && t.text == op }

// A lexer cuts text into tokens.
type lexer struct {
	text   string
	at     int
	depth  int // open brackets other than plain grouping
	spaced bool
	tokens []token
}

// lex returns the tokens of text; the last is kEnd.
func lex(text string) ([]token, error) {
	l := lexer{text: text, tokens: make([]token, 0, len(text)+1)}
	for l.at < len(l.text) {
		if err := l.next(); err != nil {
			return nil, err
		}
	}
	l.add(kEnd, "")
	return l.tokens, nil
}

func (l *lexer) add(k kind, text string) {
	l.tokens = append(l.tokens, token{kind: k, text: text, spaced: l.spaced})
	l.spaced = false
}

// doubles maps the two-character operations.
var doubles = map[string]string{
	"<=": "<=", ">=": ">=", "!=": "!=", "=<": "<=", "=>": ">=", "==": "=", "**": "^", "+-": "pm", "<>": "!=", "~=": "~",
}

// next reads one token.
func (l *lexer) next() error {
	rest := l.text[l.at:]
	c := rest[0]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~' && !strings.HasPrefix(rest, "~="):
		l.at++
		l.spaced = true
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.number()
	case c == '\\':
		return l.command()
	case isLetter(c):
		l.letters()
	case len(rest) > 1 && strings.IndexByte("=<>*-", rest[1]) >= 0 && doubles[rest[:2]] != "":
		l.at += 2
		l.add(kOp, doubles[rest[:2]])
	case strings.HasPrefix(rest, "..."):
		return errors.New("an ellipsis leaves something out")
	case c == '$' || c == '"' || c == '.' && strings.Trim(rest, ". $\n") == "":
		l.at++
	case strings.IndexByte("+-*/^_!'()[]{}|,;:=<>%&", c) >= 0:
		l.at++
		l.bracket(string(c))
		l.add(kOp, string(c))
	case c >= utf8.RuneSelf:
		return l.foreign()
	default:
		return fmt.Errorf("%.10q is not mathematics", rest)
	}
	return nil
}

// bracket counts the open brackets.
func (l *lexer) bracket(op string) {
	switch op {
	case "(", "[", "set{":
		l.depth++
	case ")", "]", "set}":
		l.depth--
	}
}

// foreign reads a character outside ASCII.
func (l *lexer) foreign() error {
	r, n := utf8.DecodeRuneInString(l.text[l.at:])
	l.at += n
	switch {
	case unicode15.IsLetter(r):
		l.add(kSymbol, string(r))
	case !strings.ContainsRune("€£¥₹₽", r):
		return fmt.Errorf("%q is not mathematics", r)
	}
	return nil
}

// letters reads a run of letters: a symbol, a function or a word.
func (l *lexer) letters() {
	end := l.at
	for end < len(l.text) && isLetter(l.text[end]) {
		end++
	}
	word := l.text[l.at:end]
	l.at = end
	if len(word) == 1 {
		l.add(kSymbol, word)
		return
	}
	l.word(word)
}

// word adds the tokens of a run of letters.
func (l *lexer) word(word string) {
	low := strings.ToLower(word)
	if meaning, is := plain[low]; is {
		l.add(meaning.kind, meaning.text)
		return
	}
	if f, is := functions[low]; is {
		l.add(kFunc, f)
		return
	}
	if name, rest := prefix(low); name != "" && len(rest) <= 2 {
		l.word(word[:len(name)])
		for _, r := range word[len(name):] {
			l.add(kSymbol, string(r))
		}
		return
	}
	l.add(kWord, word)
}

// prefix splits a word after a leading function or pi, as in sinx.
func prefix(word string) (name, rest string) {
	for _, f := range glued {
		if strings.HasPrefix(word, f) {
			return f, word[len(f):]
		}
	}
	return "", ""
}

// number reads a number with its separators, its fraction and its exponent.
func (l *lexer) number() {
	start := l.at
	for l.at < len(l.text) && isDigit(l.text[l.at]) {
		l.at++
	}
	if rest := l.text[l.at:]; rest == "" || strings.IndexByte("+-*/^)]}=<>:|", rest[0]) >= 0 {
		l.add(kNumber, l.text[start:l.at]) // digits and no more
		return
	}
	l.at = start
	var b strings.Builder
	l.digits(&b)
	if first := l.at - start; first >= 1 && first <= 3 && l.text[start] != '0' {
		l.groups(&b)
	}
	if cycle := l.fraction(&b); cycle != "" {
		b.WriteString("r" + cycle)
	} else {
		l.exponent(&b)
	}
	l.add(kNumber, b.String())
}

// digits copies the next digits.
func (l *lexer) digits(b *strings.Builder) {
	start := l.at
	for l.at < len(l.text) && isDigit(l.text[l.at]) {
		l.at++
	}
	b.WriteString(l.text[start:l.at])
}

// separators may stand between groups of three digits. Within brackets, and before a
// space, a comma separates members instead.
var separators = []string{`\!,\!`, `\!,`, `{,}`, `,\! `, `,\!`, `,`, `\,`, `\;`, `\ `, ` `, "~", `'`}

// groups copies further groups of three digits.
func (l *lexer) groups(b *strings.Builder) {
	for {
		sep := l.separator()
		if sep == "" {
			return
		}
		l.at += len(sep)
		l.digits(b)
	}
}

// separator returns the separator before the next group of exactly three digits.
func (l *lexer) separator() string {
	rest := l.text[l.at:]
	for _, sep := range separators {
		if !strings.HasPrefix(rest, sep) || sep == "," && l.depth > 0 {
			continue
		}
		group := rest[len(sep):]
		if len(group) >= 3 && isDigit(group[0]) && isDigit(group[1]) && isDigit(group[2]) &&
			(len(group) == 3 || !isDigit(group[3]) && (sep != " " || group[3] != '/')) {
			return sep
		}
	}
	return ""
}

// fraction copies a decimal fraction and returns its repeating digits, if any.
func (l *lexer) fraction(b *strings.Builder) (cycle string) {
	rest := l.text[l.at:]
	if len(rest) < 2 || rest[0] != '.' || !isDigit(rest[1]) && rest[1] != '\\' {
		if len(rest) > 0 && rest[0] == '.' && !strings.HasPrefix(rest, "..") {
			l.at++ // the point after "5."
		}
		return ""
	}
	b.WriteByte('.')
	l.at++
	l.digits(b)
	rest = l.text[l.at:]
	for _, over := range []string{`\overline{`, `\bar{`, `\overline `, `\bar `, `\overline`, `\bar`} {
		if strings.HasPrefix(rest, over) {
			return l.repeating(len(over), strings.HasSuffix(over, "{"))
		}
	}
	if strings.HasPrefix(rest, `\dot{`) {
		return l.dotted()
	}
	return ""
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
	if len(rest) < 7 || !isDigit(rest[5]) || rest[6] != '}' {
		return ""
	}
	cycle, end := rest[5:6], 7
	n := end
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if tail := rest[n:]; len(tail) >= 7 && strings.HasPrefix(tail, `\dot{`) && isDigit(tail[5]) && tail[6] == '}' {
		cycle += rest[end:n] + tail[5:6]
		end = n + 7
	}
	l.at += end
	return cycle
}

// exponent copies a power of ten, as in 6.4e5.
func (l *lexer) exponent(b *strings.Builder) {
	rest := l.text[l.at:]
	if len(rest) < 2 || rest[0] != 'e' && rest[0] != 'E' {
		return
	}
	n := 1
	if rest[1] == '-' || rest[1] == '+' {
		n++
	}
	end := n
	for end < len(rest) && isDigit(rest[end]) {
		end++
	}
	if end == n || end < len(rest) && isLetter(rest[end]) {
		return
	}
	b.WriteString("e" + rest[1:end])
	l.at += end
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
