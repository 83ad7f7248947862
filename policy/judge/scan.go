package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A verdict is the last JSON object of a judge's reply that has a name of a criterion. It counts
// only if it has every name once, each with one of its choices. Objects before it are drafts, or
// quotes of the reply that is judged. Whatever follows it must not name a criterion, nor begin an
// object that does: what the judge meant is then unknown, and an earlier object, perhaps quoted,
// must not stand in for it.

// deepest limits the nesting of objects and lists, and thereby how often a byte is read.
const deepest = 4

// errDeep is the fault of an object that is nested deeper.
var errDeep = fmt.Errorf("objects are nested more than %d deep", deepest)

// A scanner reads objects in a text.
type scanner struct {
	text  string
	names map[string]int // of the criteria asked for, with their places
	at    int
	seen  bool // the current object has a name, perhaps in an object within
	steps int  // bytes read in all, for tests
}

// members are an object's members with names of criteria.
type members struct {
	values map[int]string // by place; "" for a value that no choice can be
	twice  int            // place of a name that is there twice; -1: none
}

// scan returns the choice for each criterion in the verdict of text.
func scan(text string, asked []Criterion) ([]string, error) {
	s := scanner{text: text, names: make(map[string]int, len(asked))}
	for i, c := range asked {
		s.names[c.Name] = i
	}
	return s.scan(asked)
}

func (s *scanner) scan(asked []Criterion) (choices []string, err error) {
	err, end := errors.New("it has no JSON object with the names of the criteria"), 0
	for start := 0; ; {
		open := strings.IndexByte(s.text[start:], '{')
		if open < 0 {
			break
		}
		start += open
		s.at, s.seen = start, false
		found, fault := s.object(1)
		s.steps += s.at - start
		switch {
		case fault != nil && !s.seen:
			start++
			continue
		case fault != nil:
			err = fmt.Errorf("an object with a criterion is not whole: %w", fault)
			if errors.Is(fault, errDeep) {
				return nil, err
			}
		case found.values != nil:
			choices, err = found.choices(asked)
		}
		start = max(s.at, start+1)
		end = start
	}
	if err != nil {
		return nil, err
	}
	for name := range s.names {
		if strings.Contains(s.text[end:], `"`+name+`"`) {
			return nil, fmt.Errorf("%q is named again after the last object", name)
		}
	}
	return choices, nil
}

// choices returns the choice for each criterion.
func (m *members) choices(asked []Criterion) ([]string, error) {
	if m.twice >= 0 {
		return nil, fmt.Errorf("%q is there twice", asked[m.twice].Name)
	}
	choices := make([]string, len(asked))
	for i, c := range asked {
		value, has := m.values[i]
		if !has {
			return nil, fmt.Errorf("%q is missing", c.Name)
		}
		for _, choice := range c.Choices {
			if fold(choice) == fold(value) {
				choices[i] = choice
			}
		}
		if choices[i] == "" {
			return nil, fmt.Errorf("%q is %.40q, want one of %q", c.Name, value, c.Choices)
		}
	}
	return choices, nil
}

// object reads the object at s.at, and returns its members with names or, if it has none, those of
// the last object within that has some.
func (s *scanner) object(depth int) (own members, err error) {
	own.twice = -1
	var within members
	s.at++
	if s.next() == '}' {
		s.at++
		return own, nil
	}
	for {
		name, err := s.string()
		if err != nil {
			return own, err
		}
		if s.next() != ':' {
			return own, s.want("a colon")
		}
		s.at++
		place, named := s.names[name]
		s.seen = s.seen || named
		value, below, err := s.value(depth)
		if err != nil {
			return own, err
		}
		if named {
			own.add(place, value)
		} else if below.values != nil {
			within = below
		}
		switch s.next() {
		case ',':
			s.at++
		case '}':
			s.at++
			if own.values == nil && within.values != nil {
				return within, nil
			}
			return own, nil
		default:
			return own, s.want("a comma or the end of the object")
		}
	}
}

// add adds the value of a name.
func (m *members) add(place int, value string) {
	if m.values == nil {
		m.values = map[int]string{}
	}
	if _, twice := m.values[place]; twice {
		m.twice = place
	}
	m.values[place] = value
}

// value reads any value. It returns the text of a string, a number or a word, and the members of
// an object, or of the last one in a list.
func (s *scanner) value(depth int) (text string, below members, err error) {
	switch c := s.next(); {
	case c == '"':
		text, err = s.string()
	case (c == '{' || c == '[') && depth == deepest:
		err = errDeep
	case c == '{':
		below, err = s.object(depth + 1)
	case c == '[':
		below, err = s.list(depth + 1)
	default:
		text, err = s.literal()
	}
	return text, below, err
}

// list reads the list at s.at, and returns the members of its last object that has some.
func (s *scanner) list(depth int) (last members, err error) {
	s.at++
	if s.next() == ']' {
		s.at++
		return last, nil
	}
	for {
		_, below, err := s.value(depth)
		if err != nil {
			return last, err
		}
		if below.values != nil {
			last = below
		}
		switch s.next() {
		case ',':
			s.at++
		case ']':
			s.at++
			return last, nil
		default:
			return last, s.want("a comma or the end of the list")
		}
	}
}

// next skips white space, and returns the next byte without reading it; 0: the text has ended.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// string reads a string.
func (s *scanner) string() (string, error) {
	if s.next() != '"' {
		return "", s.want("a string")
	}
	start, escaped := s.at, false
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.decode(s.text[start:s.at], escaped)
		case c < ' ':
			return "", errors.New("a string has a line end or another control character")
		case c == '\\':
			escaped = true
			s.at++
		}
	}
	s.at = len(s.text)
	return "", errors.New("a string has no end")
}

// decode returns the text of a string with its quotes.
func (s *scanner) decode(quoted string, escaped bool) (text string, err error) {
	if !escaped {
		return quoted[1 : len(quoted)-1], nil
	}
	err = jsonform.Unmarshal([]byte(quoted), &text)
	return text, err
}

// mostLiteral limits the bytes of a number or word.
const mostLiteral = 64

// literal reads a number, true, false or null.
func (s *scanner) literal() (string, error) {
	start := s.at
	for s.at < len(s.text) && s.at-start <= mostLiteral && !strings.ContainsRune(" \t\r\n,:]}[{\"", rune(s.text[s.at])) {
		s.at++
	}
	text := s.text[start:s.at]
	if !json.Valid([]byte(text)) {
		return "", s.want("a value")
	}
	return text, nil
}

// want returns the error for a byte that is not what JSON has there.
func (s *scanner) want(what string) error {
	return fmt.Errorf("want %s at byte %d", what, s.at)
}
