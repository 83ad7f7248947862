package pydata

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// mostDepth limits values within each other.
const mostDepth = 100

// Literal reads what repr of Python prints for plain values, and gives them the types of
// JSON: map[string]any, []any (also of a tuple), string, json.Number, bool and nil.
func Literal(text string) (any, error) {
	l := &literal{rest: text, size: len(text)}
	v, err := l.value(0)
	if l.space(); err == nil && l.rest != "" {
		err = errors.New("there is more than one value")
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d of the literal: %w", l.size-len(l.rest), err)
	}
	return v, nil
}

// A literal is read from its start.
type literal struct {
	rest string
	size int
}

func (l *literal) space() { l.rest = strings.TrimLeft(l.rest, " \t\r\n") }

// sign skips a sign, and reports whether it was there.
func (l *literal) sign(sign string) (found bool) {
	l.space()
	l.rest, found = strings.CutPrefix(l.rest, sign)
	return found
}

// value reads a value that stands within depth others.
func (l *literal) value(depth int) (any, error) {
	if depth > mostDepth {
		return nil, fmt.Errorf("nested deeper than %d", mostDepth)
	}
	l.space()
	switch {
	case l.rest == "":
		return nil, errCut
	case l.rest[0] == '\'' || l.rest[0] == '"':
		return l.text()
	case l.sign("{"):
		return l.dict(depth)
	case l.sign("["):
		return l.list("]", depth)
	case l.sign("("):
		return l.list(")", depth)
	}
	return l.word()
}

// list reads values up to a closing bracket.
func (l *literal) list(closing string, depth int) (any, error) {
	list := []any{}
	for !l.sign(closing) {
		v, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		comma := l.sign(",")
		if list = append(list, v); !comma && l.sign(closing) {
			if closing == ")" && len(list) == 1 {
				return v, nil // not a tuple
			}
			return list, nil
		}
		if !comma {
			return nil, fmt.Errorf("want a comma or %s", closing)
		}
	}
	return list, nil
}

// dict reads the entries of a dictionary up to its closing bracket.
func (l *literal) dict(depth int) (any, error) {
	entries := map[string]any{}
	for !l.sign("}") {
		key, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, is := key.(string)
		if !is || !l.sign(":") {
			return nil, errors.New("want a text as a key, and a colon")
		}
		if entries[name], err = l.value(depth + 1); err != nil {
			return nil, err
		}
		if !l.sign(",") {
			if l.sign("}") {
				return entries, nil
			}
			return nil, errors.New("want a comma or }")
		}
	}
	return entries, nil
}

var (
	wordForm   = regexp.MustCompile(`^[-+.\w]+`)
	numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// word reads a number, True, False or None.
func (l *literal) word() (any, error) {
	word := wordForm.FindString(l.rest)
	switch {
	case word == "None":
		l.rest = l.rest[len(word):]
		return nil, nil
	case word == "True" || word == "False":
		l.rest = l.rest[len(word):]
		return word == "True", nil
	case numberForm.MatchString(word):
		l.rest = l.rest[len(word):]
		return json.Number(word), nil
	}
	return nil, fmt.Errorf("%.20q is no plain value", l.rest)
}

// text reads a string in quotes.
func (l *literal) text() (any, error) {
	quote := l.rest[0]
	var b strings.Builder
	for i := 1; i < len(l.rest); i++ {
		switch c := l.rest[i]; c {
		case quote:
			l.rest = l.rest[i+1:]
			if !utf8.ValidString(b.String()) {
				return nil, errors.New("the text before is not UTF-8")
			}
			return b.String(), nil
		case '\n':
			l.rest = l.rest[i:]
			return nil, errors.New("a line end within a text")
		case '\\':
			n, err := escape(&b, l.rest[i+1:])
			if err != nil {
				l.rest = l.rest[i:]
				return nil, err
			}
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return nil, errCut
}

// plainEscapes are the escapes of one letter and their characters.
var plainEscapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v'}

// escape writes the character of an escape, and returns the length of the escape without its
// backslash.
func escape(b *strings.Builder, text string) (int, error) {
	if text == "" {
		return 0, errCut
	}
	if c, plain := plainEscapes[text[0]]; plain {
		b.WriteByte(c)
		return 1, nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[0]]
	if digits == 0 {
		return 0, fmt.Errorf("the escape \\%.1q is unknown", text)
	}
	r, err := char(text[1:], digits)
	if err != nil {
		return 0, err
	}
	b.WriteRune(r)
	return 1 + digits, nil
}
