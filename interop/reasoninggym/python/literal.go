package python

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A literal reads Python's literals: numbers, strings, True, False, None, lists, tuples and
// sets. reasoning-gym evaluates some answers; whatever is no literal counts here as an error
// there.
type literal struct {
	text  string
	depth int
}

// mostDepth limits nested lists.
const mostDepth = 90

// ReadLiteral reads all of text as one literal. A list, tuple or set is an []any, a string a
// string, and everything else a json.Number with the text that Python prints.
func ReadLiteral(text string) (v any, ok bool) {
	l := &literal{text: text}
	l.space(true)
	v, ok = l.tuple()
	if l.space(true); !ok || l.text != "" {
		return nil, false
	}
	return v, true
}

// space skips space; line ends only in brackets and at the end.
func (l *literal) space(lines bool) {
	for {
		cut := " \t\f"
		if lines || l.depth > 0 {
			cut += "\r\n"
		}
		l.text = strings.TrimLeft(l.text, cut)
		if !strings.HasPrefix(l.text, "#") {
			return
		}
		end := strings.IndexByte(l.text, '\n')
		if end < 0 {
			end = len(l.text)
		}
		l.text = l.text[end:]
		if l.depth == 0 && !lines {
			return
		}
	}
}

// sign skips a sign, and reports whether it was there.
func (l *literal) sign(sign string) bool {
	l.space(false)
	rest, found := strings.CutPrefix(l.text, sign)
	l.text = rest
	return found
}

// tuple reads a literal, or several with commas between them.
func (l *literal) tuple() (any, bool) {
	v, ok := l.value()
	if !ok || !l.sign(",") {
		return v, ok
	}
	items := []any{v}
	for l.text != "" {
		if v, ok = l.value(); !ok {
			break
		}
		items = append(items, v)
		if !l.sign(",") {
			break
		}
	}
	return items, true
}

// value reads a literal.
func (l *literal) value() (v any, ok bool) {
	for open, closing := range map[string]string{"[": "]", "{": "}", "(": ")"} {
		if l.sign(open) {
			return l.items(open, closing)
		}
	}
	if l.text == "" {
		return nil, false
	}
	if l.text[0] == '"' || l.text[0] == '\'' {
		return l.texts()
	}
	return l.number()
}

// items reads the items of a list up to its closing bracket.
func (l *literal) items(open, closing string) (any, bool) {
	if l.depth++; l.depth > mostDepth {
		return nil, false
	}
	items, comma := []any{}, false
	for !l.sign(closing) {
		v, ok := l.value()
		if !ok {
			return nil, false
		}
		items = append(items, v)
		if comma = l.sign(","); !comma && !strings.HasPrefix(l.text, closing) {
			return nil, false
		}
	}
	l.depth--
	if open == "(" && len(items) == 1 && !comma {
		return items[0], true
	}
	return items, true
}

// Number reads a number, True, False or None.
func (l *literal) number() (v any, ok bool) {
	end := strings.IndexFunc(l.text, func(r rune) bool { return !InWord(r) && r != '.' && r != '-' && r != '+' })
	if end < 0 {
		end = len(l.text)
	}
	word := l.text[:end]
	l.text = l.text[end:]
	switch word {
	case "True", "False", "None":
		return json.Number(word), true
	}
	if n, is := answer.ReadInteger(word); is {
		return json.Number(n.String()), ASCII(word)
	}
	if x, is := answer.ReadFloat(word); is && ASCII(word) && strings.ContainsAny(word, ".eE") {
		return json.Number(WriteFloat(x)), true
	}
	return nil, false
}

// ASCII reports whether a text has only ASCII characters.
func ASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

// texts reads a string, or several without a comma between them, which Python joins.
func (l *literal) texts() (any, bool) {
	var whole strings.Builder
	for l.text != "" && (l.text[0] == '"' || l.text[0] == '\'') {
		quote := l.text[:1]
		if strings.HasPrefix(l.text[1:], quote+quote) {
			quote = l.text[:3]
		}
		part, rest, closed := cutQuoted(l.text[len(quote):], quote)
		if !closed {
			return nil, false
		}
		whole.WriteString(part)
		l.text = rest
		l.space(false)
	}
	return whole.String(), true
}

// cutQuoted returns the text up to a quote. An escape other than of a quote or a backslash
// makes it unreadable: no right answer has one.
func cutQuoted(text, quote string) (part, rest string, closed bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], quote):
			return b.String(), text[i+len(quote):], true
		case c == '\n' && len(quote) == 1:
			return "", "", false
		case c == '\\':
			if i++; i == len(text) || !strings.ContainsRune(`\'"`, rune(text[i])) {
				return "", "", false
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// Joined returns the text of a list whose elements Python prints, or of a text's characters.
func Joined(v any, between string) (string, bool) {
	list, is := items(v)
	parts := make([]string, len(list))
	for i, one := range list {
		switch one := one.(type) {
		case string:
			parts[i] = one
		case json.Number:
			parts[i] = one.String()
		default:
			return "", false
		}
	}
	return strings.Join(parts, between), is
}

// items returns the items of a list, or the characters of a text.
func items(v any) (list []any, ok bool) {
	list, ok = v.([]any)
	if text, is := v.(string); is {
		for _, r := range text {
			list = append(list, string(r))
		}
		ok = true
	}
	return list, ok
}

// Rows returns the text of a list of lists, a line each.
func Rows(v any) (string, bool) {
	list, is := items(v)
	if !is {
		return "", false
	}
	text := make([]string, len(list))
	for i, row := range list {
		if text[i], is = Joined(row, " "); !is {
			return "", false
		}
	}
	return strings.Join(text, "\n"), true
}

// CutText cuts a string, or several without a comma between them, off the front of text.
func CutText(text string) (whole, rest string, ok bool) {
	l := &literal{text: text}
	v, ok := l.texts()
	whole, _ = v.(string)
	return whole, l.text, ok
}
