package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Limits of objects. Together they bound how often a byte is read.
const (
	deepest  = 16 // objects and lists within each other
	mostOpen = 16 // braces before the code that are tried
	mostBare = 64 // bytes of a value without quotation marks
)

// members are the names of criteria, with values, and the code that an object or lines have.
type members struct {
	values map[int]string // by place
	twice  int            // place of a name that is there twice, with different values; -1: none
	coded  bool           // the code is there
	other  bool           // it has a field that nobody asked for
}

// add adds a name with its value.
func (m *members) add(r *reader, name, value string) {
	place, named := r.names[plain(name)]
	switch {
	case !named && strings.HasPrefix(plain(name), "code") && strings.EqualFold(trimMarks(value), r.code):
		m.coded = true
		return
	case !named && m.values == nil && slices.Contains([]string{"reason", "reasons", "reasoning"}, plain(name)):
		return // it comes before the verdict, as reasons in sentences do
	case !named:
		m.other = true
		return
	case m.values == nil:
		m.values = map[int]string{}
	}
	if before, twice := m.values[place]; twice && fold(before) != fold(value) {
		m.twice = place
	}
	m.values[place] = value
}

// choices returns the choice for each criterion.
func (m *members) choices(asked []Criterion) ([]string, error) {
	switch {
	case m.other:
		return nil, errors.New("its verdict has a field that it was not asked for")
	case !m.coded:
		return nil, errors.New("its object with the code has no field for it")
	case m.twice >= 0:
		return nil, fmt.Errorf("%q is there twice", asked[m.twice].Name)
	}
	choices := make([]string, len(asked))
	for i, c := range asked {
		value, has := m.values[i]
		if !has {
			return nil, fmt.Errorf("%q is missing", c.Name)
		}
		if choices[i] = c.choice(value); choices[i] == "" {
			return nil, fmt.Errorf("%q is %.40q, want one of %q", c.Name, value, c.Choices)
		}
	}
	return choices, nil
}

// choice returns the choice that a value is; empty: none.
func (c *Criterion) choice(value string) string {
	for _, form := range []string{value, trimMarks(value)} {
		for _, choice := range c.Choices {
			if fold(choice) == fold(form) {
				return choice
			}
		}
	}
	return ""
}

// object returns the verdict in the largest object around the code at i; without choices, if there is
// no object. The error is that of an object that is no verdict.
func (r *reader) object(i int) (found stated, err error) {
	for open, tries := i, 0; tries < mostOpen; tries++ {
		if open = strings.LastIndexByte(r.text[:open], '{'); open < 0 {
			break
		}
		s := scanner{reader: r, at: open}
		m := s.object()
		r.steps += s.at - open
		if m != nil && s.at > i {
			found = stated{start: open, end: s.at}
			found.choices, err = m.choices(r.asked)
		}
	}
	return found, err
}

// A scanner reads an object of JSON, or of its kin: quotation marks may be single or missing, and
// commas too many.
type scanner struct {
	*reader
	at int
}

// object reads the object at s.at, with those within it; nil: it is not whole.
func (s *scanner) object() *members {
	m, name := &members{twice: -1}, ""
	var open []byte // the brackets around s.at
	for {
		switch c := s.next(); c {
		case 0:
			return nil
		case ',', ';':
			s.at++
		case '{', '[':
			s.at++
			if open = append(open, c); len(open) > deepest {
				return nil
			}
			if len(open) > 1 && (c == '[' || name != "" && plain(name) != "verdict") {
				m.other = true
			}
			name = ""
		case '}', ']':
			s.at++
			if open = open[:len(open)-1]; len(open) == 0 {
				return m
			}
		default:
			object := open[len(open)-1] == '{'
			word, whole := s.word(c)
			switch after := s.next(); {
			case !whole, strings.IndexByte(":,;}]\"'", after) < 0 || object && (name == "") != (after == ':'):
				return nil
			case after == ':':
				s.at++
				name = word
			default:
				m.add(s.reader, name, word)
				name = ""
			}
		}
	}
}

// next skips white space, and returns the next byte without reading it; 0: the text has ended.
func (s *scanner) next() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

// word reads a name or a value that begins with a byte. In quotation marks it ends with them: a single
// one within a word ends nothing.
func (s *scanner) word(mark byte) (text string, whole bool) {
	start, escaped := s.at, false
	if mark != '"' && mark != '\'' {
		for s.at < len(s.text) && s.at-start <= mostBare && strings.IndexByte(":,;{}[]\"\n", s.text[s.at]) < 0 {
			s.at++
		}
		return strings.TrimSpace(s.text[start:s.at]), s.at > start && s.at-start <= mostBare
	}
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\n':
			return "", false
		case c == mark && (mark == '"' || s.at+1 == len(s.text) || !wordly(s.text[s.at+1])):
			s.at++
			text = s.text[start+1 : s.at-1]
			if escaped && mark == '"' {
				quoted := `"` + strings.ReplaceAll(text, "\t", " ") + `"`
				err := strictjson.Unmarshal([]byte(quoted), &text)
				return text, err == nil
			}
			return text, true
		case c == '\\':
			escaped = true
			s.at++
		}
	}
	s.at = len(s.text)
	return "", false
}

// wordly reports whether a byte is of a word.
func wordly(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
