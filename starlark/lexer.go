package starlark

import (
	"fmt"
	"slices"
	"strings"
)

// A kind is the kind of a token.
type kind uint8

const (
	endToken    kind = iota // the end of the program
	lineToken               // the end of a statement
	indentToken             // the begin of a block
	dedentToken             // the end of a block
	nameToken
	keywordToken
	intToken
	textToken // a text, without its quotes and escapes
	opToken
)

// A token is a piece of the source.
type token struct {
	kind kind
	text string
	at   place
}

// is reports whether t is an operator or a keyword with the text.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == opToken || t.kind == keywordToken)
}

// String names a token in messages.
func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end of the program"
	case lineToken:
		return "the end of the line"
	case indentToken:
		return "an indent"
	case dedentToken:
		return "the end of the block"
	case textToken:
		return "a text"
	}
	return "'" + t.text[:min(len(t.text), 50)] + "'"
}

// keywords are the words that are no names, here or in Python.
var keywords = strings.Fields("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda load None nonlocal not or pass raise return True try while with yield")

// operators lists the operators, the long ones first.
var operators = strings.Fields("//= += -= *= %= // == != <= >= + - * % < > = ( ) [ ] { } , : .")

// A lexer splits a program into tokens.
type lexer struct {
	src     string
	next    int
	line    int // from 1
	begin   int // of the line, in src
	tokens  []token
	indents []int
	open    int // brackets that are not closed
	fault   *Error
}

// lex returns the tokens of src. The last one is an endToken.
func lex(src string) ([]token, *Error) {
	l := lexer{src: src, line: 1, indents: []int{0}}
	for l.next < len(src) && l.fault == nil {
		if l.next == l.begin && l.open == 0 {
			l.indent()
		}
		l.token()
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != lineToken {
		l.add(lineToken, "")
	}
	for range l.indents[1:] {
		l.add(dedentToken, "")
	}
	l.add(endToken, "")
	return l.tokens, l.fault
}

func (l *lexer) here() place { return place{l.line, l.next - l.begin + 1} }

func (l *lexer) add(kind kind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.here()})
}

func (l *lexer) fail(format string, args ...any) {
	if at := l.here(); l.fault == nil {
		l.fault = &Error{at.line, at.column, fmt.Sprintf(format, args...)}
	}
	l.next = len(l.src)
}

// indent compares the space at the begin of a line with that of the lines before.
func (l *lexer) indent() {
	rest := strings.TrimLeft(l.src[l.next:], " ")
	width := len(l.src) - l.next - len(rest)
	l.next += width
	if rest == "" || rest[0] == '\n' || rest[0] == '#' {
		return
	}
	last := l.indents[len(l.indents)-1]
	if width > last {
		l.indents = append(l.indents, width)
		l.add(indentToken, "")
		return
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedentToken, "")
	}
	if width != l.indents[len(l.indents)-1] {
		l.fail("the indent is that of no line before")
	}
}

// token reads a token, or what stands between two.
func (l *lexer) token() {
	if l.next >= len(l.src) {
		return
	}
	c := l.src[l.next]
	switch {
	case c == ' ':
		l.next++
	case c == '#':
		l.next += len(l.src[l.next:]) - len(cutLine(l.src[l.next:]))
	case c == '\n':
		l.newline()
	case c >= '0' && c <= '9':
		l.number()
	case letter(c):
		l.word()
	case c == '"' || c == '\'':
		l.text(c)
	default:
		l.operator()
	}
}

// cutLine returns s from the end of its first line.
func cutLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[i:]
	}
	return ""
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) newline() {
	if n := len(l.tokens); l.open == 0 && n > 0 && l.tokens[n-1].kind > dedentToken {
		l.add(lineToken, "")
	}
	l.next++
	l.line, l.begin = l.line+1, l.next
}

// take returns the characters from here on for which in holds.
func (l *lexer) take(in func(c byte) bool) string {
	end := l.next
	for end < len(l.src) && in(l.src[end]) {
		end++
	}
	return l.src[l.next:end]
}

func (l *lexer) number() {
	text := l.take(func(c byte) bool { return digit(c) || letter(c) || c == '.' })
	if strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' || len(text) > 300 {
		l.fail("want a whole number in decimal digits, without zeros in front")
		return
	}
	l.add(intToken, text)
	l.next += len(text)
}

func (l *lexer) word() {
	text := l.take(func(c byte) bool { return letter(c) || digit(c) })
	kind := nameToken
	if slices.Contains(keywords, text) {
		kind = keywordToken
	}
	l.add(kind, text)
	l.next += len(text)
}

// escapes are the characters that may stand after a backslash.
var escapes = map[byte]byte{'n': '\n', 't': '\t', '\\': '\\', '\'': '\'', '"': '"'}

// text reads a text between two quotes.
func (l *lexer) text(quote byte) {
	var text []byte
	for i := l.next + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		c := l.src[i]
		switch c {
		case quote:
			if i == l.next+1 && strings.HasPrefix(l.src[i+1:], string(quote)) {
				l.fail("texts of several lines are left out")
				return
			}
			l.add(textToken, strings.ToValidUTF8(string(text), "\ufffd"))
			l.next = i + 1
			return
		case '\\':
			i++
			if i == len(l.src) || escapes[l.src[i]] == 0 {
				l.fail("the text has an escape that is left out: want \\n, \\t, \\\\, \\' or \\\"")
				return
			}
			text = append(text, escapes[l.src[i]])
		default:
			text = append(text, c)
		}
	}
	l.fail("the text is not closed on its line")
}

func (l *lexer) operator() {
	for _, op := range operators {
		if !strings.HasPrefix(l.src[l.next:], op) {
			continue
		}
		l.add(opToken, op)
		l.next += len(op)
		switch {
		case strings.Contains("([{", op):
			l.open++
		case strings.Contains(")]}", op):
			l.open = max(0, l.open-1)
		}
		return
	}
	l.fail("unexpected character %q", l.src[l.next])
}
