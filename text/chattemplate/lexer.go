package chattemplate

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A kind is the type of a token.
type kind uint8

const (
	dataToken   kind = iota // text outside of tags
	blockBegin              // {%
	blockEnd                // %}
	printBegin              // {{
	printEnd                // }}
	nameToken               // a name or a keyword
	stringToken             // a string, without its quotes and escapes
	numberToken             // an integer or a float
	opToken                 // an operator
	endToken                // the end of the template
)

// A token is a piece of the source.
type token struct {
	kind   kind
	text   string // of data, names and strings; the operator itself
	number value  // of numbers
	at     int    // byte offset in the source
}

// is reports whether t has a kind and a text.
func (t token) is(kind kind, text string) bool { return t.kind == kind && t.text == text }

// String names a token for messages.
func (t token) String() string {
	switch t.kind {
	case dataToken:
		return "text"
	case blockBegin:
		return "{%"
	case blockEnd:
		return "%}"
	case printBegin:
		return "{{"
	case printEnd:
		return "}}"
	case nameToken:
		return "'" + t.text[:min(len(t.text), 100)] + "'"
	case stringToken:
		return "string"
	case numberToken:
		return "number"
	case opToken:
		return "'" + t.text + "'"
	}
	return "end of the template"
}

// operators lists the operators, longest first.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

// A lexer splits a template into tokens. White space follows jinja2's trim_blocks and
// lstrip_blocks.
type lexer struct {
	src    string
	at     int
	tokens []token
	open   []byte // the closing brackets still missing within a tag
	fault  *Error
}

// normalize turns line ends into \n, and removes the last one.
func normalize(source string) string {
	if strings.Contains(source, "\r") {
		source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	}
	return strings.TrimSuffix(source, "\n")
}

// lex returns the tokens of src, a normalized source. The last one is an endToken.
func lex(src string) ([]token, *Error) {
	l := lexer{src: src}
	for l.at < len(src) && l.fault == nil {
		l.tag()
	}
	l.add(endToken, "", len(src))
	return l.tokens, l.fault
}

func (l *lexer) add(kind kind, text string, at int) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, at: at})
}

// fail ends the lexer with an error at a byte offset.
func (l *lexer) fail(at int, format string, args ...any) {
	if l.fault == nil {
		l.fault = faultf(at, format, args...)
	}
	l.at = len(l.src)
}

// tag reads the text before the next tag, and the tag.
func (l *lexer) tag() {
	begin := nextTag(l.src[l.at:])
	if begin < 0 {
		l.data(l.src[l.at:])
		l.at = len(l.src)
		return
	}
	begin += l.at
	l.textBefore(begin)
	lead := l.src[begin+1]
	l.at = begin + 2
	if l.at < len(l.src) && (l.src[l.at] == '-' || l.src[l.at] == '+') {
		l.at++
	}
	if lead == '#' {
		l.comment(begin)
		return
	}
	if lead == '%' {
		if inner := rawBegin(l.src[l.at:]); inner > 0 {
			l.at += inner
			l.raw(begin)
			return
		}
		l.add(blockBegin, "", begin)
		l.inside(blockEnd)
		return
	}
	l.add(printBegin, "", begin)
	l.inside(printEnd)
}

// nextTag returns the start of the first tag; -1: none.
func nextTag(s string) int {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '{')
		if i < 0 || from+i+1 >= len(s) {
			return -1
		}
		from += i
		switch s[from+1] {
		case '{', '%', '#':
			return from
		}
	}
}

func (l *lexer) data(text string) {
	if text != "" {
		l.add(dataToken, text, l.at)
	}
}

// textBefore adds the text up to a tag, without the white space that the tag removes.
func (l *lexer) textBefore(begin int) {
	text := l.src[l.at:begin]
	sign := byte(0)
	if begin+2 < len(l.src) {
		sign = l.src[begin+2]
	}
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, pyvalue.IsSpace)
	case sign != '+' && l.src[begin+1] != '{':
		line := strings.LastIndexByte(text, '\n') + 1
		if starts := l.at == 0 || l.src[l.at-1] == '\n'; (line > 0 || starts) && isBlank(text[line:]) {
			text = text[:line]
		}
	}
	l.data(text)
}

func isBlank(s string) bool { return strings.TrimLeftFunc(s, pyvalue.IsSpace) == "" }

// comment skips the rest of a comment.
func (l *lexer) comment(begin int) {
	end := strings.Index(l.src[l.at:], "#}")
	if end < 0 {
		l.fail(begin, "the comment has no end, want #}")
		return
	}
	end += l.at
	sign := byte(0)
	if end > l.at {
		sign = l.src[end-1]
	}
	l.close(end+2, sign)
}

// close continues after a tag that ends at a byte offset, with a sign before its end.
func (l *lexer) close(at int, sign byte) {
	l.at = at
	switch {
	case sign == '-':
		l.skipSpace()
	case sign != '+' && l.at < len(l.src) && l.src[l.at] == '\n':
		l.at++
	}
}

func (l *lexer) skipSpace() {
	rest := l.src[l.at:]
	l.at += len(rest) - len(strings.TrimLeftFunc(rest, pyvalue.IsSpace))
}

// rawBegin returns the length of the rest of a tag that begins a raw block; 0: another tag.
func rawBegin(s string) int {
	rest, found := strings.CutPrefix(strings.TrimLeftFunc(s, pyvalue.IsSpace), "raw")
	if !found {
		return 0
	}
	rest = strings.TrimLeftFunc(rest, pyvalue.IsSpace)
	if after, found := strings.CutPrefix(rest, "-%}"); found {
		return len(s) - len(strings.TrimLeftFunc(after, pyvalue.IsSpace))
	}
	if after, found := strings.CutPrefix(rest, "%}"); found {
		return len(s) - len(after)
	}
	return 0
}

// raw adds the text of a raw block.
func (l *lexer) raw(begin int) {
	for from := l.at; ; {
		i := strings.Index(l.src[from:], "{%")
		if i < 0 {
			l.fail(begin, "the raw block has no end, want {%% endraw %%}")
			return
		}
		from += i
		rest := l.src[from+2:]
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			rest = rest[1:]
		}
		rest, found := strings.CutPrefix(strings.TrimLeftFunc(rest, pyvalue.IsSpace), "endraw")
		rest = strings.TrimLeftFunc(rest, pyvalue.IsSpace)
		sign := byte(0)
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			sign, rest = rest[0], rest[1:]
		}
		if rest, closed := strings.CutPrefix(rest, "%}"); found && closed {
			l.textBefore(from)
			l.close(len(l.src)-len(rest), sign)
			return
		}
		from += 2
	}
}

// inside adds the tokens of a tag, up to its end.
func (l *lexer) inside(end kind) {
	l.open = l.open[:0]
	for {
		l.skipSpace()
		if l.at >= len(l.src) {
			return
		}
		if len(l.open) == 0 && l.end(end) {
			return
		}
		l.token()
	}
}

// end adds the end of a tag if it comes next.
func (l *lexer) end(end kind) bool {
	rest, mark := l.src[l.at:], "%}"
	if end == printEnd {
		mark = "}}"
	}
	sign := byte(0)
	if rest[0] == '-' || rest[0] == '+' && end == blockEnd {
		sign, rest = rest[0], rest[1:]
	}
	if !strings.HasPrefix(rest, mark) {
		return false
	}
	l.add(end, "", l.at)
	if end == printEnd && sign == 0 {
		sign = '+' // }} keeps the line end after it
	}
	l.close(len(l.src)-len(rest)+2, sign)
	return true
}

// token adds a token within a tag.
func (l *lexer) token() {
	c, _ := utf8.DecodeRuneInString(l.src[l.at:])
	switch {
	case '0' <= c && c <= '9':
		l.numeral()
	case c == '_' || unicode15.IsLetter(c):
		rest := strings.TrimLeftFunc(l.src[l.at:], isWord)
		name := l.src[l.at : len(l.src)-len(rest)]
		l.add(nameToken, name, l.at)
		l.at += len(name)
	case c == '"' || c == '\'':
		l.quoted(byte(c))
	default:
		l.operator()
	}
}

// isWord reports whether c may occur in a name.
func isWord(c rune) bool {
	return c == '_' || unicode15.IsLetter(c) || unicode15.IsNumber(c) || c > unicode.MaxASCII && unicode15.In(c, unicode.Mn, unicode.Mc)
}

func (l *lexer) operator() {
	for _, op := range operators {
		if !strings.HasPrefix(l.src[l.at:], op) {
			continue
		}
		switch op {
		case "(":
			l.open = append(l.open, ')')
		case "[":
			l.open = append(l.open, ']')
		case "{":
			l.open = append(l.open, '}')
		case ")", "]", "}":
			last := len(l.open) - 1
			if last < 0 || l.open[last] != op[0] {
				l.fail(l.at, "unexpected %q", op)
				return
			}
			l.open = l.open[:last]
		}
		l.add(opToken, op, l.at)
		l.at += len(op)
		return
	}
	c, _ := utf8.DecodeRuneInString(l.src[l.at:])
	l.fail(l.at, "unexpected character %q", c)
}

// quoted adds a string.
func (l *lexer) quoted(quote byte) {
	for i := l.at + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case quote:
			text, fault := pyvalue.Unescape(l.src[l.at+1 : i])
			if fault != "" {
				l.fail(l.at, "the string has an invalid escape %s", fault)
				return
			}
			l.add(stringToken, text, l.at)
			l.at = i + 1
			return
		}
	}
	l.fail(l.at, "the string has no end, want %c", quote)
}

// numeral adds a number.
func (l *lexer) numeral() {
	rest := l.src[l.at:]
	if n := floatLength(rest); n > 0 && (l.at == 0 || l.src[l.at-1] != '.') {
		f, _ := strconv.ParseFloat(strings.ReplaceAll(rest[:n], "_", ""), 64) // too large: infinite
		l.tokens = append(l.tokens, token{kind: numberToken, number: f, at: l.at})
		l.at += n
		return
	}
	n := integerLength(rest)
	whole, valid, _ := pyvalue.Int(rest[:n], 0)
	if !valid {
		l.fail(l.at, "the number %.20s is too long", rest)
		return
	}
	l.tokens = append(l.tokens, token{kind: numberToken, number: whole, at: l.at})
	l.at += n
}

// digitsLength returns the length of the digits at the start of s; single underscores may join
// them.
func digitsLength(s string, digit func(byte) bool) int {
	n := 0
	for i := range len(s) {
		if digit(s[i]) {
			n = i + 1
		} else if s[i] != '_' || n != i || i == 0 {
			break
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// floatLength returns the length of the float at the start of s; 0: none.
func floatLength(s string) int {
	n := digitsLength(s, isDigit)
	if n == 0 {
		return 0
	}
	float := 0
	if n < len(s) && s[n] == '.' {
		if d := digitsLength(s[n+1:], isDigit); d > 0 {
			n += 1 + d
			float = n
		}
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if d := digitsLength(s[e:], isDigit); d > 0 {
			return e + d
		}
	}
	return float
}

// integerLength returns the length of the integer at the start of s, a digit first.
func integerLength(s string) int {
	if len(s) > 2 && s[0] == '0' {
		var digit func(byte) bool
		switch s[1] | 0x20 {
		case 'x':
			digit = func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
		case 'o':
			digit = func(c byte) bool { return '0' <= c && c <= '7' }
		case 'b':
			digit = func(c byte) bool { return c == '0' || c == '1' }
		}
		if digit != nil {
			if n := digitsLength(strings.TrimPrefix(s[2:], "_"), digit); n > 0 {
				return n + len(s) - len(strings.TrimPrefix(s[2:], "_"))
			}
		}
	}
	if s[0] == '0' {
		return digitsLength(s, func(c byte) bool { return c == '0' })
	}
	return digitsLength(s, isDigit)
}
