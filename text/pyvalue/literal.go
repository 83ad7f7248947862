package pyvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A LiteralReader reads literals of Python: texts, numbers, True, False, None, lists, tuples, sets, and dicts
// whose keys are texts. It runs nothing.
type LiteralReader struct {
	Text string
	At   int // the next byte of Text; after an error, the faulty one

	// Brackets is the number of brackets around At: without any, a line end ends a literal.
	Brackets int

	// Words are more words that are literals; nil: none.
	Words map[string]Value

	// Lines reports whether a text in single quotes may have line ends.
	Lines bool

	// Number returns the value of a number, by how it is spelled; nil: its spelling as a json.Number, which must
	// be that of JSON.
	Number func(spelled string) (v Value, ok bool)
}

// A Set is a set, in the order of its literal.
type Set []Value

// maxLiteralDepth limits values within each other.
const maxLiteralDepth = 100

var errEarly = errors.New("it ends early")

// ReadLiteral reads a text that is one literal. See [LiteralReader] for its numbers.
func ReadLiteral(text string) (Value, error) {
	r := LiteralReader{Text: strings.TrimSpace(text)}
	v, err := r.Value()
	if err == nil && !r.Ended() {
		err = errors.New("there is more than one value")
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d of the literal: %w", r.At, err)
	}
	return v, nil
}

// space skips white space and comments.
func (r *LiteralReader) space() {
	for {
		cut := " \t\f"
		if r.Brackets > 0 {
			cut = " \t\f\r\n"
		}
		rest := strings.TrimLeft(r.rest(), cut)
		if strings.HasPrefix(rest, "#") {
			rest = rest[strings.IndexByte(rest+"\n", '\n'):]
		}
		before := r.At
		if r.At = len(r.Text) - len(rest); r.At == before {
			return
		}
	}
}

func (r *LiteralReader) rest() string { return r.Text[r.At:] }

// Skip skips white space and then a sign, and reports whether that was there.
func (r *LiteralReader) Skip(sign string) bool {
	r.space()
	if !strings.HasPrefix(r.rest(), sign) {
		return false
	}
	r.At += len(sign)
	return true
}

// Ended reports whether only white space and comments are left, which it skips.
func (r *LiteralReader) Ended() bool {
	before := r.Brackets
	r.Brackets = 1
	r.space()
	r.Brackets = before
	return r.At == len(r.Text)
}

// Value reads the next literal.
func (r *LiteralReader) Value() (Value, error) {
	if r.space(); r.At == len(r.Text) {
		return nil, errEarly
	}
	switch r.Text[r.At] {
	case '"', '\'':
		return r.texts()
	case '[':
		items, _, err := r.items("]")
		return &List{Items: items}, err
	case '(':
		items, comma, err := r.items(")")
		if err == nil && len(items) == 1 && !comma {
			return items[0], nil
		}
		return NewTuple(items...), err
	case '{':
		return r.braces()
	}
	return r.word()
}

// open skips an opening bracket.
func (r *LiteralReader) open() error {
	if r.Brackets == maxLiteralDepth {
		return fmt.Errorf("nested deeper than %d", maxLiteralDepth)
	}
	r.At++
	r.Brackets++
	return nil
}

// each reads what stands in brackets. Comma reports whether a comma stands before the closing one.
func (r *LiteralReader) each(closing string, read func() error) (comma bool, err error) {
	if err := r.open(); err != nil {
		return false, err
	}
	for comma = true; !r.Skip(closing); comma = r.Skip(",") {
		if !comma {
			return false, fmt.Errorf("want a comma or %s", closing)
		}
		if err := read(); err != nil {
			return false, err
		}
	}
	r.Brackets--
	return comma, nil
}

func (r *LiteralReader) items(closing string) (items []Value, comma bool, err error) {
	comma, err = r.each(closing, func() error {
		v, err := r.Value()
		items = append(items, v)
		return err
	})
	return items, comma, err
}

// braces reads a dict or a set.
func (r *LiteralReader) braces() (Value, error) {
	var set Set
	dict := NewDict(4)
	_, err := r.each("}", func() error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		if !r.Skip(":") {
			set = append(set, v)
		} else if key, ok := v.(string); ok {
			v, err = r.Value()
			dict.Set(key, v)
		} else {
			return errors.New("want a text as a key")
		}
		if len(set) > 0 && dict.length() > 0 {
			return errors.New("want a colon after each key")
		}
		return err
	})
	if len(set) > 0 {
		return set, err
	}
	return dict, err
}

// word reads a number, True, False, None or a word of Words.
func (r *LiteralReader) word() (Value, error) {
	end := 0
	rest := r.rest()
	for end < len(rest) && (inNumber(rest[end]) || strings.IndexByte("+-", rest[end]) >= 0 && (end == 0 || rest[end-1]|0x20 == 'e')) {
		end++
	}
	v, ok := r.Words[rest[:end]]
	switch word := rest[:end]; {
	case ok:
	case word == "None":
		ok = true
	case word == "True" || word == "False":
		v, ok = word == "True", true
	case r.Number != nil:
		v, ok = r.Number(word)
	default:
		v, ok = json.Number(word), strings.ContainsAny(word, "0123456789") && json.Valid([]byte(word))
	}
	if !ok {
		return nil, fmt.Errorf("%.20q is no plain value", rest)
	}
	r.At += end
	return v, nil
}

// inNumber reports whether c may stand in a number or a word.
func inNumber(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// texts reads a text, or several without a comma between them, which Python joins.
func (r *LiteralReader) texts() (Value, error) {
	var whole strings.Builder
	for {
		text, err := r.text()
		if err != nil {
			return nil, err
		}
		whole.WriteString(text)
		if r.space(); r.At == len(r.Text) || r.Text[r.At] != '"' && r.Text[r.At] != '\'' {
			return whole.String(), nil
		}
	}
}

// text reads a text in single or triple quotes.
func (r *LiteralReader) text() (string, error) {
	rest := r.rest()
	quote := rest[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(rest, long) {
		quote = long
	}
	for i := len(quote); i < len(rest); i++ {
		switch {
		case strings.HasPrefix(rest[i:], quote):
			text, fault := Unescape(rest[len(quote):i])
			if fault != "" {
				return "", fmt.Errorf("%s is no escape of Python", fault)
			}
			if !utf8.ValidString(text) {
				return "", errors.New("the text is not UTF-8")
			}
			r.At += i + len(quote)
			return text, nil
		case rest[i] == '\\':
			i++
		case rest[i] == '\n' && len(quote) == 1 && !r.Lines:
			r.At += i
			return "", errors.New("a line end within a text")
		}
	}
	r.At = len(r.Text)
	return "", errEarly
}
