package expr

import (
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
	braces int     // open braces
	tables []table // open matrices of plain TeX, the outermost first
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
	case c < ' ' || c == 0x7f:
		l.at++
		l.spaced = true
	case strings.HasPrefix(rest, "..."):
		l.at += len("...")
		l.add(kOp, "...")
	case c == '$' || c == '"' || c == '.' && len(rest) > 1 && strings.IndexByte(")]", rest[1]) >= 0 || c == '.' && (strings.Trim(rest, ". $\n") == "" || l.abbreviated(rest)):
		l.at++
	case c == '{' || c == '}':
		l.at++
		if !l.brace(string(c)) {
			l.add(kOp, string(c))
		}
	case strings.IndexByte("+-*/^_!'()[]|,;:=<>%&", c) >= 0:
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

// bracket counts the open brackets. A square bracket may also close what it seems to open,
// as in [0,1[, and open what it seems to close.
func (l *lexer) bracket(op string) {
	switch {
	case op == "(", op == "set{", op == "[" && (l.depth == 0 || !l.ended()), op == "]" && !l.ended():
		l.depth++
	case op == ")", op == "set}", op == "[", op == "]":
		l.depth--
	}
}

// ended reports whether the last token ends a number, a variable or a bracket.
func (l *lexer) ended() bool {
	if len(l.tokens) == 0 {
		return false
	}
	switch t := l.tokens[len(l.tokens)-1]; t.kind {
	case kNumber, kSymbol, kWord, kText, kFinish:
		return true
	case kOp:
		return listed(" ) ] } set} [ )| | ! % ' deg rfloor rceil rangle ", t.text)
	default:
		return false
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
	rest := strings.TrimLeft(l.text[l.at:], " ")
	switch {
	case (word == "x" || word == "X") && (strings.HasPrefix(rest, "10^") || l.spaced && rest != l.text[l.at:] && rest != "" && isDigit(rest[0])) && len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].kind == kNumber:
		l.add(kOp, "*")
	case len(word) == 1:
		l.add(kSymbol, word)
	case word == "per" && strings.HasPrefix(rest, "cent") && (len(rest) == len("cent") || !isLetter(rest[len("cent")])):
		l.at = len(l.text) - len(rest) + len("cent")
		l.add(kOp, "%")
	case word == "to" && l.ratio():
		l.add(kOp, ":")
	default:
		l.word(word)
	}
}

// abbreviated reports whether the point after a word and before a space shortens the word, as
// in "sq. cm".
func (l *lexer) abbreviated(rest string) bool {
	return len(l.tokens) > 1 && l.tokens[len(l.tokens)-1].kind == kWord && strings.HasPrefix(rest, ". ")
}

// ratio reports whether numbers stand before and after the word "to".
func (l *lexer) ratio() bool {
	rest := strings.TrimLeft(l.text[l.at:], " ~$")
	return len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].kind == kNumber && rest != "" && isDigit(rest[0])
}

// word adds the tokens of a run of letters.
func (l *lexer) word(word string) {
	low := strings.ToLower(word)
	if meaning, ok := plain[low]; ok {
		l.add(meaning.kind, meaning.text)
		return
	}
	if f, ok := functions[low]; ok {
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
	if len(rest) < 2 || rest[0] != '.' || !isDigit(rest[1]) && rest[1] != '\\' && rest[1] != '(' {
		if len(rest) > 0 && rest[0] == '.' && !strings.HasPrefix(rest, "..") {
			l.at++ // the point after "5."
		}
		return ""
	}
	b.WriteByte('.')
	l.at++
	l.digits(b)
	return l.endless(b)
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
